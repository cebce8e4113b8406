import encodeQR from 'qr';
import type { ReactElement } from 'react';
import { texts } from '../texts.ts';
import { Dialog } from './dialog.tsx';

const MARGIN = 4;

/** The dark modules of the short URL's code, as the path of an image, and its width. */
function qrOf(text: string): { path: string; size: number } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: MARGIN });
  const path = rows
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
  return { path, size: rows.length };
}

function svgOf(text: string): string {
  const { path, size } = qrOf(text);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="1024" height="1024" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}"/></svg>`;
}

/** The pixels of a side of the PNG, at least: it is a multiple of the number of modules. */
const PNG_SIDE = 1_000;

function pngOf(text: string): Promise<Blob | null> {
  const { path, size } = qrOf(text);
  const scale = Math.ceil(PNG_SIDE / size);
  const canvas = document.createElement('canvas');
  canvas.width = size * scale;
  canvas.height = size * scale;
  const context = canvas.getContext('2d');
  if (context) {
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(scale, scale);
    context.fillStyle = '#000';
    context.fill(new Path2D(path));
  }
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

/** Gives the browser a file to save. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function QrCode({ text }: { text: string }): ReactElement {
  const { path, size } = qrOf(text);
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={texts.qr.of(text)}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

const nameOf = (shortUrl: string): string => shortUrl.replace(/^https?:\/\//, '').replace(/[^\w.-]+/g, '-');

/** Buttons that save the code as a file. */
export function QrFiles({ shortUrl }: { shortUrl: string }): ReactElement {
  const savePng = async () => {
    const png = await pngOf(shortUrl);
    if (png) saveFile(`${nameOf(shortUrl)}.png`, png);
  };
  return (
    <div className="buttons">
      <button
        type="button"
        className="button quiet"
        onClick={() =>
          saveFile(`${nameOf(shortUrl)}.svg`, new Blob([svgOf(shortUrl)], { type: 'image/svg+xml' }))
        }
      >
        {texts.qr.svg}
      </button>
      <button type="button" className="button quiet" onClick={savePng}>
        {texts.qr.png}
      </button>
    </div>
  );
}

export function QrDialog({ shortUrl, onClose }: { shortUrl: string; onClose: () => void }): ReactElement {
  return (
    <Dialog title={texts.qr.title} onClose={onClose}>
      <div className="qr-dialog">
        <QrCode text={shortUrl} />
        <p className="address">{shortUrl}</p>
        <QrFiles shortUrl={shortUrl} />
      </div>
    </Dialog>
  );
}
