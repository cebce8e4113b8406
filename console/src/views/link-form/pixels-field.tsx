import type { ReactElement } from 'react';
import { Choice } from '../../parts/choice.tsx';
import { Icon } from '../../parts/icon.tsx';
import { texts } from '../../texts.ts';

/** The pixels of a link: those chosen, and a choice of more. */
export function PixelsField({
  ids,
  pixels,
  onIds,
  error,
}: {
  ids: readonly string[];
  pixels: readonly { id: string; name: string }[];
  onIds: (ids: string[]) => void;
  error: string | undefined;
}): ReactElement {
  const t = texts.form;
  const nameOf = (id: string) => pixels.find((one) => one.id === id)?.name ?? texts.form.unknownPixel;
  if (pixels.length === 0 && ids.length === 0) return <p className="hint">{t.noPixels}</p>;
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
                onClick={() => onIds(ids.filter((one) => one !== id))}
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
        onValue={(item) => item && onIds([...ids, item.id])}
        error={error}
      />
    </>
  );
}
