import { memo, type ReactElement, useId, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { ColorInput } from '../controls/color-input.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { FilePicker } from '../controls/file-picker.tsx';
import { saveFile } from '../data/save-file.ts';
import { local } from '../data/storage.ts';
import { texts } from '../texts.ts';
import { Field, SelectField } from './field.tsx';
import {
  logoIn,
  parseColor,
  plainQr,
  type QrDesign,
  type QrLogo,
  qrFileName,
  qrPng,
  qrSvg,
  wrongColors,
} from './qr-image.ts';

/** A code, which is not made again as somebody types beside it. */
export const QrCode = memo(function QrCode({
  text,
  design = plainQr,
}: {
  text: string;
  design?: QrDesign;
}): ReactElement {
  const image = `data:image/svg+xml,${encodeURIComponent(qrSvg(text, design))}`;
  return <img className="qr" src={image} alt={texts.qr.of(text)} />;
});

const sizes = [256, 512, 1024, 2048, 4096];
/** The largest file of a logo, in bytes. */
const MAX_LOGO = 5_000_000;

const KEPT = 'linkspace:qr';
/** The largest logo that is kept, in characters: 50 kB. */
const MAX_KEPT = 68_000;

function kept(): QrDesign {
  try {
    return { ...plainQr, ...JSON.parse(local.get(KEPT) ?? '{}') };
  } catch {
    return plainQr;
  }
}

const isLarge = (logo: QrLogo | null): boolean => logo !== null && logo.url.length > MAX_KEPT;

/** The design of the last code: the next one is mostly of the same company. */
let last = kept();

function keep(design: QrDesign): void {
  last = design;
  local.set(KEPT, JSON.stringify(isLarge(design.logo) ? { ...design, logo: null } : design));
}

/** The side of so many pixels in centimetres, in print. */
const inPrint = (side: number): string =>
  ((side / 300) * 2.54).toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 });

/** The code of a short URL, how it looks, and buttons that save it. All of it happens in the browser. */
export function QrDialog({ shortUrl, onClose }: { shortUrl: string; onClose: () => void }): ReactElement {
  const [design, setDesign] = useState(last);
  const [typed, setTyped] = useState<Readonly<Record<'dark' | 'light', string>>>(last);
  const [wrongLogo, setWrongLogo] = useState<string>();
  const t = texts.qr;
  const change = (patch: Partial<QrDesign>) => {
    const next = { ...design, ...patch };
    setDesign(next);
    if (wrongColors(next.dark, next.light) === null) keep(next);
  };
  const setColor = (name: 'dark' | 'light', text: string) => {
    setTyped({ ...typed, [name]: text });
    const color = parseColor(text);
    if (color !== null) change({ [name]: color });
  };
  const readLogo = async (file: File) => {
    setWrongLogo(file.size > MAX_LOGO ? t.largeLogo : undefined);
    if (file.size > MAX_LOGO) return;
    try {
      const logo = await logoIn(file);
      // Colours may be chosen while it is read.
      setDesign((before) => {
        const next = { ...before, logo };
        if (wrongColors(next.dark, next.light) === null) keep(next);
        return next;
      });
    } catch {
      setWrongLogo(t.noLogo);
    }
  };
  const faint = wrongColors(design.dark, design.light);
  const isColor = (name: 'dark' | 'light') => parseColor(typed[name]) !== null;
  const wrong = !isColor('dark') || !isColor('light') ? t.noColor : faint && t[faint];
  const isSaveable = wrong === null;
  const note = useId();
  const name = qrFileName(shortUrl);
  const savePng = async () => {
    const png = await qrPng(shortUrl, design);
    if (png) saveFile(`${name}.png`, png);
  };
  const saveSvg = () =>
    saveFile(`${name}.svg`, new Blob([qrSvg(shortUrl, design)], { type: 'image/svg+xml' }));
  return (
    <Dialog title={t.title} onClose={onClose}>
      <div className="qr-dialog">
        <QrCode text={shortUrl} design={design} />
        <p className="address">{shortUrl}</p>
        <div className="pair">
          {(['dark', 'light'] as const).map((one) => (
            <Field key={one} label={t[one]}>
              {(parts) => (
                <ColorInput
                  {...parts}
                  pickLabel={t.pick(t[one])}
                  aria-describedby={note}
                  aria-invalid={!isColor(one) || (wrong !== null && isColor('dark') && isColor('light'))}
                  value={design[one]}
                  typed={typed[one]}
                  onText={(text) => setColor(one, text)}
                />
              )}
            </Field>
          ))}
          <SelectField
            label={t.size}
            value={String(design.size)}
            options={sizes.map((side) => ({ value: String(side), text: t.pixels(side, inPrint(side)) }))}
            onValue={(side) => change({ size: Number(side) })}
          />
          <Field
            label={t.logo}
            hint={t.logoHint}
            warning={isLarge(design.logo) ? t.notKept : null}
            error={wrongLogo}
          >
            {(parts) => (
              <FilePicker
                {...parts}
                accept="image/*"
                isEmpty={design.logo === null}
                onFile={(file) => void readLogo(file)}
              />
            )}
          </Field>
          {design.logo && (
            <Button look="quiet small" text={t.removeLogo} onClick={() => change({ logo: null })} />
          )}
        </div>
        <div className="foot">
          {/* In one place, so that nothing moves. */}
          <p id={note} className={isSaveable ? 'hint' : 'error'} aria-live="polite">
            {wrong ?? t.forPrint}
          </p>
          <div className="buttons end">
            <Button look="quiet" text={t.svg} disabled={!isSaveable} onClick={saveSvg} />
            <Button text={t.png} disabled={!isSaveable} onClick={() => void savePng()} />
          </div>
        </div>
      </div>
    </Dialog>
  );
}
