import { type ReactElement, useRef, useState } from 'react';
import { Button } from '../../../controls/button.tsx';
import { FilePicker } from '../../../controls/file-picker.tsx';
import { readPicture } from '../../../data/picture.ts';
import { Field } from '../../../parts/field.tsx';
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
    <Field label={t.image} hint={t.imageHint} error={isUnreadable ? t.unreadable : error}>
      {(parts) => (
        <div className="buttons">
          <FilePicker
            {...parts}
            ref={input}
            accept="image/png,image/jpeg,image/webp"
            isEmpty={image === ''}
            onFile={(file) => void read(file)}
          />
          {image !== '' && (
            <Button
              look="quiet small"
              icon="close"
              text={t.remove}
              onClick={() => {
                onImage('');
                input.current?.focus();
              }}
            />
          )}
        </div>
      )}
    </Field>
  );
}
