import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { announceKinds } from '../data/bus.ts';
import { useSession } from '../data/session.ts';
import { write } from '../data/write.ts';
import {
  CreateSpaceDocument,
  DeleteSpaceDocument,
  type SpaceRowFragment,
  SpacesDocument,
  UpdateSpaceDocument,
} from '../generated/documents.ts';
import { TextField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { inDigits } from '../parts/format.ts';
import { type RecordFormProps, RecordsView } from '../parts/records-view.tsx';
import { texts } from '../texts.ts';

const colors = [1, 2, 3, 4, 5, 6] as const;

export function SpacesView(): ReactElement {
  const session = useSession();
  return (
    <RecordsView
      kind="SPACE"
      title={texts.places.spaces}
      words={texts.spaces}
      document={SpacesDocument}
      pageOf={({ spaces }) => spaces}
      Form={SpaceForm}
      remove={async (id) => (await write(session, DeleteSpaceDocument, { id })).deleteSpace}
    >
      {(space) => (
        <>
          <i className={`dot c${space.color}`} />
          <Link href={`/?space=${space.id}`} className="grow name">
            {space.name}
          </Link>
          <Link href={`/spaces/${space.id}`} className="quiet">
            {texts.spaces.figures(space.links.totalCount, inDigits(space.statistics.clicks))}
          </Link>
        </>
      )}
    </RecordsView>
  );
}

function SpaceForm({ record: space, dialog }: RecordFormProps<SpaceRowFragment>): ReactElement {
  const session = useSession();
  const [name, setName] = useState(space?.name ?? '');
  const [color, setColor] = useState(space?.color ?? 1);
  const [read] = useState(space);
  const isOther = space?.name !== read?.name || space?.color !== read?.color;
  const t = texts.spaces;
  const save = async () => {
    const input = { name, color };
    const outcome =
      space === null
        ? (await write(session, CreateSpaceDocument, { input })).createSpace
        : (await write(session, UpdateSpaceDocument, { id: space.id, input, ifUpdatedAt: space.updatedAt }))
            .updateSpace;
    announceKinds('SPACE');
    return outcome;
  };
  return (
    <FormDialog {...dialog} shown={['name']} onSubmit={save}>
      {(errors) => (
        <>
          {space && isOther && (
            <p className="notice" role="alert">
              {t.changedMeanwhile(
                space.name,
                texts.spaces.colors[colors.find((one) => one === space.color) ?? 1],
              )}
            </p>
          )}
          <TextField
            label={t.name}
            value={name}
            onText={setName}
            error={errors.name}
            maxLength={255}
            autoFocus
          />
          <fieldset className="colors">
            <legend>{t.color}</legend>
            {colors.map((one) => (
              <label key={one}>
                <input type="radio" name="color" checked={one === color} onChange={() => setColor(one)} />
                <i className={`dot c${one}`} />
                <span className="unseen">{t.colors[one]}</span>
              </label>
            ))}
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}
