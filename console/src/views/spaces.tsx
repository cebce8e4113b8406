import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { announce } from '../data/bus.ts';
import { useRead } from '../data/read.ts';
import { type Session, useSession } from '../data/session.ts';
import { write } from '../data/write.ts';
import {
  CreateSpaceDocument,
  DeleteSpaceDocument,
  type SpaceRowFragment,
  SpacesDocument,
  UpdateSpaceDocument,
} from '../generated/documents.ts';
import { TextField } from '../parts/field.tsx';
import { Confirm, FormDialog, type Outcome } from '../parts/form-dialog.tsx';
import { inDigits } from '../parts/format.ts';
import { Menu } from '../parts/menu.tsx';
import { Empty, FaultNotice, Skeleton } from '../parts/notice.tsx';
import { MorePages, Records, RecordsHead } from '../parts/records.tsx';
import { texts } from '../texts.ts';

const colors = [1, 2, 3, 4, 5, 6] as const;

export function SpacesView(): ReactElement {
  const { canWrite } = useSession();
  const [after, setAfter] = useState<string | null>(null);
  const [edited, setEdited] = useState<SpaceRowFragment | 'new' | null>(null);
  const [deleted, setDeleted] = useState<SpaceRowFragment | null>(null);
  const { data, fault, again } = useRead(SpacesDocument, { after }, { on: ['SPACE'] });
  const t = texts.spaces;
  return (
    <>
      <RecordsHead
        title={texts.places.spaces}
        lead={t.lead}
        create={canWrite ? t.create : undefined}
        onCreate={() => setEdited('new')}
      />
      {fault && <FaultNotice fault={fault} again={again} />}
      {!data && !fault && <Skeleton rows={4} />}
      {data?.spaces.nodes.length === 0 && <Empty title={t.none}>{t.noneYet}</Empty>}
      {data && data.spaces.nodes.length > 0 && (
        <Records>
          {data.spaces.nodes.map((space) => (
            <li key={space.id}>
              <i className={`dot c${space.color}`} />
              <Link href={`/?space=${space.id}`} className="grow name">
                {space.name}
              </Link>
              <span className="quiet">
                {t.figures(space.links.totalCount, inDigits(space.statistics.clicks))}
              </span>
              {canWrite && (
                <Menu
                  label={texts.links.actionsOf(space.name)}
                  items={[
                    { name: texts.links.edit, icon: 'next', run: () => setEdited(space) },
                    { name: texts.delete, icon: 'trash', danger: true, run: () => setDeleted(space) },
                  ]}
                />
              )}
            </li>
          ))}
        </Records>
      )}
      {data && (
        <MorePages
          hasNext={data.spaces.pageInfo.hasNextPage}
          isFirst={after === null}
          onFirst={() => setAfter(null)}
          onNext={() => setAfter(data.spaces.pageInfo.endCursor)}
        />
      )}
      {edited && <SpaceDialog space={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      {deleted && <DeleteSpace space={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

async function save(
  session: Session,
  space: SpaceRowFragment | null,
  name: string,
  color: number,
): Promise<Outcome> {
  const input = { name, color };
  const outcome =
    space === null
      ? (await write(session, CreateSpaceDocument, { input })).createSpace
      : (await write(session, UpdateSpaceDocument, { id: space.id, input, ifUpdatedAt: space.updatedAt }))
          .updateSpace;
  announce([{ kind: 'SPACE', recordId: space?.id ?? null, action: null }]);
  return outcome;
}

function SpaceDialog({
  space,
  onClose,
}: {
  space: SpaceRowFragment | null;
  onClose: () => void;
}): ReactElement {
  const session = useSession();
  const [name, setName] = useState(space?.name ?? '');
  const [color, setColor] = useState(space?.color ?? 1);
  const t = texts.spaces;
  return (
    <FormDialog
      title={space ? t.edit(space.name) : t.create}
      onClose={onClose}
      onSubmit={() => save(session, space, name, color)}
    >
      {(errors) => (
        <>
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

function DeleteSpace({ space, onClose }: { space: SpaceRowFragment; onClose: () => void }): ReactElement {
  const session = useSession();
  const t = texts.spaces;
  return (
    <Confirm
      title={t.deleteTitle(space.name)}
      onClose={onClose}
      onYes={async () => {
        const { deleteSpace } = await write(session, DeleteSpaceDocument, { id: space.id });
        announce([
          { kind: 'SPACE', recordId: space.id, action: 'DELETED' },
          { kind: 'LINK', recordId: null, action: null },
        ]);
        return deleteSpace;
      }}
    >
      {t.deleteWarning}
    </Confirm>
  );
}
