import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { emptying } from '../data/emptying.ts';
import { useSession } from '../data/session.ts';
import { write } from '../data/write.ts';
import {
  CreatePixelDocument,
  DeletePixelDocument,
  type PixelRowFragment,
  PixelsDocument,
  type PixelType,
  UpdatePixelDocument,
} from '../generated/documents.ts';
import { NameField, SelectField, TextField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { type RecordFormProps, RecordsView } from '../parts/records-view.tsx';
import { useTexts } from '../parts/tied.ts';
import { texts } from '../texts.ts';
import { pixelIds } from '../words/names.ts';

/** In the order of their names. */
const types = (Object.keys(texts.pixelTypes) as PixelType[]) // The texts have a name for every type.
  .sort((a, b) => texts.pixelTypes[a].localeCompare(texts.pixelTypes[b]));

export function PixelsView(): ReactElement {
  const session = useSession();
  return (
    <RecordsView
      kind="PIXEL"
      title={texts.places.pixels}
      words={texts.pixels}
      document={PixelsDocument}
      pageOf={({ pixels }) => pixels}
      Form={PixelForm}
      remove={(id, onProgress) =>
        emptying(
          session,
          { pixelId: id },
          onProgress,
          async (long) => (await write(session, DeletePixelDocument, { id }, long)).deletePixel,
        )
      }
    >
      {(pixel) => (
        <>
          <Link href={`/links?pixel=${pixel.id}`} className="grow name">
            <bdi>{pixel.name}</bdi>
          </Link>
          <span className="badge">{texts.pixelTypes[pixel.type] ?? pixel.type}</span>
          <code className="quiet">{pixel.value}</code>
        </>
      )}
    </RecordsView>
  );
}

function PixelForm({ record: pixel, dialog }: RecordFormProps<PixelRowFragment>): ReactElement {
  const session = useSession();
  const [typed, tied] = useTexts({ name: pixel?.name ?? '', value: pixel?.value ?? '' });
  const [type, setType] = useState<PixelType>(pixel?.type ?? 'GOOGLE_ADS');
  const [sentType, setSentType] = useState(type);
  const t = texts.pixels;
  const save = async () => {
    const input = { ...typed, type };
    setSentType(type);
    return pixel === null
      ? (await write(session, CreatePixelDocument, { input })).createPixel
      : (await write(session, UpdatePixelDocument, { id: pixel.id, input })).updatePixel;
  };
  return (
    <FormDialog {...dialog} done={texts.saved(typed.name)} shown={['name', 'type', 'value']} onSubmit={save}>
      {(errors) => (
        <>
          <p className="hint">{t.noneYet}</p>
          <NameField label={t.name} {...tied('name', errors)} />
          <SelectField
            label={t.type}
            value={type}
            options={types.map((one) => ({ value: one, text: texts.pixelTypes[one] }))}
            onValue={setType}
            error={errors.type}
          />
          <TextField
            label={t.value}
            // An error is about the network that was sent.
            {...tied('value', type === sentType ? errors : {})}
            hint={t.valueHint(pixelIds[type].place, pixelIds[type].example)}
          />
          <p className="hint">{t.withoutCookies}</p>
        </>
      )}
    </FormDialog>
  );
}
