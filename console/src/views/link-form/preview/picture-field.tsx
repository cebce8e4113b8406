import { type ReactElement, useRef, useState } from 'react';
import { FilePicker } from '../../../controls/file-picker.tsx';
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
  const read = async (file: File) => {
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
          <FilePicker
            {...parts}
            ref={input}
            accept="image/png,image/jpeg,image/webp"
            isEmpty={image === ''}
            onFile={(file) => void read(file)}
          />
          {image !== '' && (
            <button
              type="button"
              className="button quiet small"
              onClick={() => {
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
