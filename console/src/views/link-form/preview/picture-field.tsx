import { type ReactElement, useRef, useState } from 'react';
import { readPicture } from '../../../data/picture.ts';
import { Field } from '../../../parts/field.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { previewTexts } from '../../../preview-texts.ts';

/** A picture from a file, as it is sent. */
export function PictureField({
  image,
  error,
  onImage,
}: {
  image: string;
  error: string | undefined;
  onImage: (image: string) => void;
}): ReactElement {
  const [isUnreadable, setUnreadable] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const t = previewTexts;
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    try {
      onImage(await readPicture(file));
      setUnreadable(false);
    } catch {
      setUnreadable(true);
    }
  };
  return (
    <Field
      label={image === '' ? t.choose : t.another}
      hint={t.imageHint}
      error={isUnreadable ? t.unreadable : error}
    >
      {(parts) => (
        <div className="picture-field">
          <input
            type="file"
            accept="image/png,image/jpeg,image/webp"
            ref={input}
            {...parts}
            onChange={({ target }) => void read(target.files?.[0])}
          />
          {image !== '' && (
            <button
              type="button"
              className="button quiet small"
              onClick={() => {
                if (input.current) input.current.value = '';
                onImage('');
                input.current?.focus();
              }}
            >
              <Icon name="close" /> {t.remove}
            </button>
          )}
        </div>
      )}
    </Field>
  );
}
