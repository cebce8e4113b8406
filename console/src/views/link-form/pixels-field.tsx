import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { Choice } from '../../controls/choice.tsx';
import { Chips, without } from '../../parts/chips.tsx';
import { texts } from '../../texts.ts';

interface Pixel {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** A pixel with its network: one shop often has the same name at several. */
export function nameOfPixel(pixels: readonly Pixel[], id: string): string {
  const pixel = pixels.find((one) => one.id === id);
  return pixel ? `${pixel.name} · ${texts.pixelTypes[pixel.type] ?? pixel.type}` : texts.form.unknownPixel;
}

interface PixelsFieldProps {
  readonly ids: readonly string[];
  readonly typed: string;
  readonly pixels: readonly Pixel[];
  onIds(ids: readonly string[], typed: string): void;
  readonly error: string | undefined;
}

/** The chosen pixels of a link, and a choice of more. */
export function PixelsField({ ids, typed, pixels, onIds, error }: PixelsFieldProps): ReactElement {
  const t = texts.form;
  const toItem = (id: string) => ({ id, name: nameOfPixel(pixels, id) });
  if (pixels.length === 0 && ids.length === 0 && typed === '')
    return (
      <p className="hint">
        {t.noPixels} <Link href="/pixels">{t.addPixel}</Link>
      </p>
    );
  return (
    <>
      <Chips items={ids.map(toItem)} onRemove={(id) => onIds(without(ids, id), typed)} />
      <Choice
        label={t.addPixel}
        items={pixels.filter(({ id }) => !ids.includes(id)).map(({ id }) => toItem(id))}
        value={null}
        typed={typed}
        onValue={(item, text) => onIds(item ? [...ids, item.id] : ids, text)}
        error={error}
      />
    </>
  );
}
