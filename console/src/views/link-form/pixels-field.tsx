import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { Choice } from '../../parts/choice.tsx';
import { Icon } from '../../parts/icon.tsx';
import { texts } from '../../texts.ts';

/** The pixels of a link: those chosen, and a choice of more. */
export function PixelsField({
  ids,
  typed,
  pixels,
  onIds,
  error,
}: {
  ids: readonly string[];
  typed: string;
  pixels: readonly { id: string; name: string }[];
  onIds: (ids: readonly string[], typed: string) => void;
  error: string | undefined;
}): ReactElement {
  const t = texts.form;
  const nameOf = (id: string) => pixels.find((one) => one.id === id)?.name ?? texts.form.unknownPixel;
  if (pixels.length === 0 && ids.length === 0 && typed === '')
    return (
      <p className="hint">
        {t.noPixels} <Link href="/pixels">{t.addPixel}</Link>
      </p>
    );
  return (
    <>
      {ids.length > 0 && (
        <ul className="chips">
          {ids.map((id) => (
            <li key={id}>
              {nameOf(id)}
              <button
                type="button"
                className="bare"
                aria-label={texts.removeOf(nameOf(id))}
                onClick={() =>
                  onIds(
                    ids.filter((one) => one !== id),
                    typed,
                  )
                }
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Choice
        label={t.addPixel}
        items={pixels.filter(({ id }) => !ids.includes(id)).map(({ id, name }) => ({ id, name }))}
        value={null}
        typed={typed}
        onValue={(item, text) => onIds(item ? [...ids, item.id] : ids, text)}
        error={error}
      />
    </>
  );
}
