import { type ReactElement, type ReactNode, useState } from 'react';
import { Menu } from '../controls/menu.tsx';
import type { MenuItem } from '../controls/menu-item.tsx';
import { UNDO_FOR, undo } from '../data/actions.ts';
import type { Progress } from '../data/batches.ts';
import type { Outcome } from '../data/refusals.ts';
import { type Session, useSession } from '../data/session.ts';
import { showToast } from '../data/toasts.ts';
import type { Permission, RecordKind } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { Confirm } from './form-dialog.tsx';
import { Empty, Unread } from './notice.tsx';
import { type Paged, usePages } from './pages.tsx';
import { Records, RecordsHead } from './records.tsx';

interface Words {
  readonly lead: string;
  readonly create: string;
  edit(name: string): string;
  readonly none?: string;
  readonly noneYet?: string;
  deleteTitle(name: string): string;
  readonly deleteWarning: string | ((name: string) => string);
}

/** The outcome of a deletion, with its changes if the last of them can be taken back. */
type Removal = Outcome & { readonly changeIds?: readonly string[] };

/** The props of a record's form: the record, null for a new one, and the head of its dialog. */
export interface RecordFormProps<Row> {
  readonly record: Row | null;
  readonly dialog: {
    readonly title: string;
    readonly action: string;
    readonly kinds: readonly RecordKind[];
    onClose(): void;
  };
}

/** Says that a record is deleted, and offers to restore it with its links. */
function tellDeleted(session: Session, name: string, { changeIds = [] }: Removal): void {
  // The record's own change comes after those of its links.
  const own = changeIds.slice(-1);
  const run = () => void undo(session, own);
  const action = own.length > 0 && { shownFor: UNDO_FOR, action: { name: texts.undo, run } };
  showToast(texts.deleted(name), { ...action });
}

/** The records of a kind in pages, each with a menu, and the dialogs that create, change and delete one. */
export function RecordsView<Data, Row extends { readonly id: string; readonly name: string }>({
  kind,
  on = [kind],
  permission = 'WRITE',
  title,
  words,
  Form,
  remove,
  isFixed = () => false,
  actionsOf = () => [],
  more,
  children,
  ...paged
}: Paged<Data, Row> & {
  kind: RecordKind;
  /** Changes of these kinds read the records again; by default those of their own. */
  on?: readonly RecordKind[];
  /** The permission to change the records. */
  permission?: Permission;
  title: string;
  words: Words;
  Form: (props: RecordFormProps<Row>) => ReactElement;
  remove: (id: string, onProgress: (progress: Progress) => void) => Promise<Removal>;
  /** True if a record cannot be changed. */
  isFixed?: (row: Row) => boolean;
  /** More items of its menu. */
  actionsOf?: (row: Row) => readonly MenuItem[];
  /** The part below a row. */
  more?: (row: Row) => ReactNode;
  /** The contents of a row, beside its menu. */
  children: (row: Row) => ReactNode;
}): ReactElement {
  const session = useSession();
  const mayChange = session.may(permission);
  const [edited, setEdited] = useState<Row | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Row | null>(null);
  const [progress, setProgress] = useState<{ readonly id: string; readonly of: Progress } | null>(null);
  const { nodes, turns, fault, again } = usePages(paged, (after) => ({ after }), { on });
  // The record as it is now: somebody else may have changed it.
  const record = edited === 'new' ? null : (nodes?.find(({ id }) => id === edited?.id) ?? edited);
  const toMenu = (row: Row) =>
    mayChange &&
    !isFixed(row) && (
      <Menu
        label={texts.links.actionsOf(row.name)}
        items={[
          { name: texts.links.edit, icon: 'edit', run: () => setEdited(row) },
          ...actionsOf(row),
          { name: texts.delete, icon: 'trash', danger: true, run: () => setDeleted(row) },
        ]}
      />
    );
  // Nothing of one's own: what cannot be changed comes from the service.
  const isEmpty = nodes?.every(isFixed) === true && words.none !== undefined;
  return (
    <>
      <RecordsHead
        title={title}
        lead={words.lead}
        create={mayChange && !isEmpty ? words.create : undefined}
        onCreate={() => setEdited('new')}
      />
      <Unread fault={fault} again={again} isKept={nodes !== undefined} />
      {nodes && nodes.length > 0 && (
        <Records>
          {nodes.map((row) => (
            <li key={row.id} className="record">
              <div className="parts flow">{children(row)}</div>
              {toMenu(row)}
              {more && <div className="more">{more(row)}</div>}
            </li>
          ))}
        </Records>
      )}
      {isEmpty && (
        <Empty
          title={words.none ?? ''}
          create={mayChange ? words.create : undefined}
          onCreate={() => setEdited('new')}
        >
          {words.noneYet}
        </Empty>
      )}
      {turns}
      {edited && (
        <Form
          record={record}
          dialog={{
            ...(edited === 'new'
              ? { title: words.create, action: texts.create }
              : { title: words.edit(edited.name), action: texts.save }),
            kinds: [kind],
            onClose: () => setEdited(null),
          }}
        />
      )}
      {deleted && (
        <Confirm
          title={words.deleteTitle(deleted.name)}
          // Links show what they are in, too.
          kinds={[kind, 'LINK']}
          progress={progress?.id === deleted.id ? progress.of : null}
          onClose={() => setDeleted(null)}
          onSubmit={async () => {
            const { id } = deleted;
            const outcome = await remove(id, (of) => setProgress({ id, of }));
            if (outcome.__typename === 'DeletedRecord') tellDeleted(session, deleted.name, outcome);
            return outcome;
          }}
        >
          {typeof words.deleteWarning === 'string' ? words.deleteWarning : words.deleteWarning(deleted.name)}
        </Confirm>
      )}
    </>
  );
}
