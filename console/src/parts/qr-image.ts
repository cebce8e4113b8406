import encodeQR from 'qr';
import { readDataUrl } from '../data/data-url.ts';

/** The design of a code. */
export interface QrDesign {
  /** The pixels of a side. */
  readonly size: number;
  /** As `#1a2b3c`. */
  readonly dark: string;
  readonly light: string;
  readonly logo: QrLogo | null;
}

export interface QrLogo {
  /** A `data:` URL. */
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

export const plainQr: QrDesign = { size: 1024, dark: '#000000', light: '#ffffff', logo: null };

/** The margin that scanners expect around a code, in modules. */
const MARGIN = 4;
/** The part of the code's width that a logo and its margin may cover: many scanners fail beyond that. */
const MAX_LOGO = 0.2;
/** The contrast that scanners need, as WCAG counts it. */
const MIN_CONTRAST = 3;

/** A colour as people write it, as `#1a2b3c`; null if it is none. */
export function parseColor(text: string): string | null {
  const [, digits = ''] = /^\s*#?([\da-f]{3}|[\da-f]{6})\s*$/i.exec(text) ?? [];
  const all = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  return all === '' ? null : `#${all.toLowerCase()}`;
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The reason why scanners may not read a code in these colours; null if they do. */
export function wrongColors(dark: string, light: string): 'lightOnDark' | 'faint' | null {
  const [code, ground] = [luminance(dark), luminance(light)];
  if (code > ground) return 'lightOnDark';
  return (ground + 0.05) / (code + 0.05) < MIN_CONTRAST ? 'faint' : null;
}

/** The drawing in modules: the dark ones as the path of an image, and the place of the logo. */
export function qrDrawing(text: string, logo: QrLogo | null) {
  // Error correction has to restore the modules below a logo.
  const rows = encodeQR(text, 'raw', { ecc: logo ? 'high' : 'medium', border: MARGIN });
  const size = rows.length;
  const fits = Math.floor((size - 2 * MARGIN) * MAX_LOGO);
  // Whole modules, with as many on each side: codes have an odd number.
  const hole = logo ? fits - ((fits + 1) % 2) : 0;
  const isCovered = (at: number) => Math.abs(at + 0.5 - size / 2) < hole / 2;
  // Modules beside each other are one shape, without a hairline between them in print.
  const path = rows
    .flatMap((row, y) => {
      const line = row.map((dark, x) => (dark && !(isCovered(x) && isCovered(y)) ? '1' : '0')).join('');
      return [...line.matchAll(/1+/g)].map(
        ({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`,
      );
    })
    .join('');
  if (logo === null) return { path, size, at: null };
  const scale = (hole - 0.5) / Math.max(logo.width, logo.height);
  const [width, height] = [logo.width * scale, logo.height * scale];
  return { path, size, at: { x: (size - width) / 2, y: (size - height) / 2, width, height } };
}

export function qrSvg(text: string, { size: side, dark, light, logo }: QrDesign): string {
  const { path, size, at } = qrDrawing(text, logo);
  const image =
    at && logo
      ? `<image x="${at.x}" y="${at.y}" width="${at.width}" height="${at.height}" href="${logo.url}"/>`
      : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${side}" height="${side}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="${light}"/><path fill="${dark}" d="${path}"/>${image}</svg>`;
}

async function loaded(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = url;
  await image.decode();
  return image;
}

function makeCanvas(width: number, height: number) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser has no canvas.');
  return { canvas, context };
}

/** The code as pixels: each module has as many, and the margin has the rest. */
export async function qrPng(text: string, { size: side, dark, light, logo }: QrDesign): Promise<Blob | null> {
  const { path, size, at } = qrDrawing(text, logo);
  const { canvas, context } = makeCanvas(side, side);
  const scale = Math.max(1, Math.floor(side / size));
  const rest = Math.floor((side - size * scale) / 2);
  context.fillStyle = light;
  context.fillRect(0, 0, side, side);
  context.setTransform(scale, 0, 0, scale, rest, rest);
  context.fillStyle = dark;
  context.fill(new Path2D(path));
  if (at && logo) context.drawImage(await loaded(logo.url), at.x, at.y, at.width, at.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

/** The most pixels of a side of a logo. */
const LOGO_SIDE = 512;

/**
 * The image in a file, as pixels and nothing else: files may have scripts, and where a picture was taken.
 * @throws if the browser cannot show it
 */
export async function logoIn(file: Blob): Promise<QrLogo> {
  const image = await loaded(await readDataUrl(file));
  // Drawings may have no size of their own.
  const [naturalWidth, naturalHeight] = [image.naturalWidth || LOGO_SIDE, image.naturalHeight || LOGO_SIDE];
  const scale = Math.min(LOGO_SIDE / Math.max(naturalWidth, naturalHeight), 4);
  const width = Math.max(1, Math.round(naturalWidth * scale));
  const height = Math.max(1, Math.round(naturalHeight * scale));
  const { canvas, context } = makeCanvas(width, height);
  context.drawImage(image, 0, 0, width, height);
  return { url: canvas.toDataURL('image/png'), width, height };
}

/** The name of a file with the code of a short URL, without its extension. */
export const qrFileName = (shortUrl: string): string =>
  shortUrl.replace(/^https?:\/\//, '').replace(/[^\p{L}\p{N}._-]+/gu, '-');
