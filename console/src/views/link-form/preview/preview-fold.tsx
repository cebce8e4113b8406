import type { ReactElement } from 'react';
import type { FormProps } from '../../../data/link-fields.ts';
import { Field, TextField } from '../../../parts/field.tsx';
import { previewTexts } from '../../../preview-texts.ts';
import { texts } from '../../../texts.ts';
import { Fold } from '../fold.tsx';
import { PictureField } from './picture-field.tsx';
import { PreviewCards } from './preview-cards.tsx';

/** The fields of the card that chats and networks show of the link, and the card as they show it. */
export function PreviewFold({ fields, errors, onChange, host }: FormProps & { host: string }): ReactElement {
  const { preview, title: ownTitle } = fields;
  const t = previewTexts;
  const change = (patch: Partial<typeof preview>) => onChange({ preview: { ...preview, ...patch } });
  const { title, description, image } = preview;
  const isWrong = Object.keys(errors).some(
    (path) => errors[path] !== undefined && path.startsWith('preview'),
  );
  const isEmpty = [title, description, image].every((one) => one.trim() === '');
  // A password hides the link's own title, too.
  const shown = title.trim() || (fields.password === '' && ownTitle.trim()) || t.untitled;
  return (
    <Fold title={texts.link.names.preview} value={isEmpty ? t.none : shown} isWrong={isWrong}>
      <p className="hint">{t.lead}</p>
      <TextField
        label={t.cardTitle}
        value={title}
        onText={(text) => change({ title: text })}
        hint={t.cardTitleHint}
        error={errors['preview.title']}
        maxLength={255}
      />
      <Field label={t.description} error={errors['preview.description']}>
        {(parts) => (
          <textarea
            rows={3}
            maxLength={500}
            value={description}
            {...parts}
            onChange={(event) => change({ description: event.target.value })}
          />
        )}
      </Field>
      <PictureField image={image} error={errors['preview.image']} onImage={(one) => change({ image: one })} />
      {!isEmpty && <PreviewCards card={{ title: shown, description: description.trim(), image, host }} />}
      <p className="hint">{t.where}</p>
    </Fold>
  );
}
