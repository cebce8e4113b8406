import type { ReactElement } from 'react';
import type { FormProps } from '../../../data/link-fields.ts';
import { Field, TextField } from '../../../parts/field.tsx';
import { previewTexts } from '../../../preview-texts.ts';
import { texts } from '../../../texts.ts';
import { Fold } from '../fold.tsx';
import { PictureField } from './picture-field.tsx';
import { PreviewCards, toCard } from './preview-cards.tsx';

/** The fields of the card that chats and networks show of the link, and the card as they show it. */
export function PreviewFold({ fields, errors, onChange, host }: FormProps & { host: string }): ReactElement {
  const { preview } = fields;
  const t = previewTexts;
  const change = (patch: Partial<typeof preview>) => onChange({ preview: { ...preview, ...patch } });
  const { title, description, image } = preview;
  const isWrong = Object.keys(errors).some(
    (path) => errors[path] !== undefined && path.startsWith('preview'),
  );
  const card = toCard(fields, host);
  return (
    <Fold title={texts.link.names.preview} value={card?.title ?? t.none} isWrong={isWrong}>
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
      {card && <PreviewCards card={card} />}
      <p className="hint">{t.where}</p>
    </Fold>
  );
}
