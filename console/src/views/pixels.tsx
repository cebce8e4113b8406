import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { announce } from '../data/bus.ts';
import { useRead } from '../data/read.ts';
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
import { SelectField, TextField } from '../parts/field.tsx';
import { Confirm, FormDialog } from '../parts/form-dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, FaultNotice, Skeleton } from '../parts/notice.tsx';
import { MorePages, Records, RecordsHead } from '../parts/records.tsx';
import { texts } from '../texts.ts';

const types = Object.keys(texts.pixelTypes) as PixelType[]; // The texts have a name for every type.
const changed = () => announce([{ kind: 'PIXEL', recordId: null, action: null }]);

export function PixelsView(): ReactElement {
  const { canWrite } = useSession();
  const [after, setAfter] = useState<string | null>(null);
  const [edited, setEdited] = useState<PixelRowFragment | 'new' | null>(null);
  const [deleted, setDeleted] = useState<PixelRowFragment | null>(null);
  const { data, fault, again } = useRead(PixelsDocument, { after }, { on: ['PIXEL'] });
  const t = texts.pixels;
  return (
    <>
      <RecordsHead
        title={texts.places.pixels}
        lead={t.lead}
        create={canWrite ? t.create : undefined}
        onCreate={() => setEdited('new')}
      />
      {fault && <FaultNotice fault={fault} again={again} />}
      {!data && !fault && <Skeleton rows={3} />}
      {data?.pixels.nodes.length === 0 && <Empty title={t.none}>{t.noneYet}</Empty>}
      {data && data.pixels.nodes.length > 0 && (
        <Records>
          {data.pixels.nodes.map((pixel) => (
            <li key={pixel.id}>
              <Link href={`/?pixel=${pixel.id}`} className="grow name">
                {pixel.name}
              </Link>
              <span className="badge">{texts.pixelTypes[pixel.type] ?? pixel.type}</span>
              <code className="quiet">{pixel.value}</code>
              {canWrite && (
                <Menu
                  label={texts.links.actionsOf(pixel.name)}
                  items={[
                    { name: texts.links.edit, icon: 'next', run: () => setEdited(pixel) },
                    { name: texts.delete, icon: 'trash', danger: true, run: () => setDeleted(pixel) },
                  ]}
                />
              )}
            </li>
          ))}
        </Records>
      )}
      {data && (
        <MorePages
          hasNext={data.pixels.pageInfo.hasNextPage}
          isFirst={after === null}
          onFirst={() => setAfter(null)}
          onNext={() => setAfter(data.pixels.pageInfo.endCursor)}
        />
      )}
      {edited && <PixelDialog pixel={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      {deleted && <DeletePixel pixel={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

function PixelDialog({
  pixel,
  onClose,
}: {
  pixel: PixelRowFragment | null;
  onClose: () => void;
}): ReactElement {
  const session = useSession();
  const [name, setName] = useState(pixel?.name ?? '');
  const [type, setType] = useState<PixelType>(pixel?.type ?? 'GOOGLE_ADS');
  const [value, setValue] = useState(pixel?.value ?? '');
  const t = texts.pixels;
  const save = async () => {
    const input = { name, type, value };
    const outcome =
      pixel === null
        ? (await write(session, CreatePixelDocument, { input })).createPixel
        : (await write(session, UpdatePixelDocument, { id: pixel.id, input })).updatePixel;
    changed();
    return outcome;
  };
  return (
    <FormDialog title={pixel ? t.edit(pixel.name) : t.create} onClose={onClose} onSubmit={save}>
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
          <SelectField
            label={t.type}
            value={type}
            options={types.map((one) => ({ value: one, text: texts.pixelTypes[one] }))}
            onValue={setType}
            error={errors.type}
          />
          <TextField
            label={t.value}
            value={value}
            onText={setValue}
            error={errors.value}
            hint={t.valueHint}
          />
        </>
      )}
    </FormDialog>
  );
}

function DeletePixel({ pixel, onClose }: { pixel: PixelRowFragment; onClose: () => void }): ReactElement {
  const session = useSession();
  const t = texts.pixels;
  return (
    <Confirm
      title={t.deleteTitle(pixel.name)}
      onClose={onClose}
      onYes={async () => {
        const { deletePixel } = await write(session, DeletePixelDocument, { id: pixel.id });
        changed();
        return deletePixel;
      }}
    >
      {t.deleteWarning}
    </Confirm>
  );
}
