import type { ReactElement } from 'react';
import { type FormProps, hasErrors } from '../../../data/link-fields.ts';
import { AreaField, TextField } from '../../../parts/field.tsx';
import { tiedTo } from '../../../parts/tied.ts';
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
  const tied = tiedTo(preview, change);
  const isWrong = hasErrors(errors, ['preview']);
  const card = toCard(fields, host);
  return (
    <Fold title={texts.link.names.preview} value={card?.title ?? t.none} isWrong={isWrong}>
      <p className="hint">{t.lead}</p>
      <TextField
        label={t.cardTitle}
        hint={t.cardTitleHint}
        {...tied('title', errors, 'preview.title')}
        maxLength={255}
      />
      <AreaField
        label={t.description}
        {...tied('description', errors, 'preview.description')}
        rows={3}
        maxLength={500}
      />
      <PictureField
        image={preview.image}
        error={errors['preview.image']}
        onImage={(image) => change({ image })}
      />
      {card && <PreviewCards card={card} />}
      <p className="hint">{t.where}</p>
    </Fold>
  );
}
