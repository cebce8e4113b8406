import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { Menu } from '../controls/menu.tsx';
import type { MenuItem } from '../controls/menu-item.tsx';
import { useRead } from '../data/read.ts';
import { useSession } from '../data/session.ts';
import { write } from '../data/write.ts';
import {
  CreateSavedViewDocument,
  DeleteSavedViewDocument,
  type SavedViewKind,
  type SavedViewRowFragment,
  SavedViewsDocument,
  UpdateSavedViewDocument,
} from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { NameField } from './field.tsx';
import { Confirm, FormDialog } from './form-dialog.tsx';
import { useTexts } from './tied.ts';

const t = texts.views;

type Row = SavedViewRowFragment;

/** The address of a view: the overview of a space or a tag has a path of its own. */
function pathOf({ view, query }: Pick<Row, 'view' | 'query'>): string {
  const params = new URLSearchParams(query);
  const withQuery = (path: string) => (params.size > 0 ? `${path}?${params}` : path);
  if (view === 'LINKS') return withQuery('/links');
  for (const group of ['space', 'tag']) {
    const id = params.get(group);
    if (id === null || !/^\d+$/.test(id)) continue;
    params.delete(group);
    return withQuery(`/${group}s/${id}`);
  }
  return withQuery('/overview');
}

/**
 * A menu with the saved views of a part of the console, by which the present one is saved, too.
 * @param query the query string of the present view, without a question mark
 */
export function SavedViews({ view, query }: { view: SavedViewKind; query: string }): ReactElement | null {
  const { canWrite } = useSession();
  const [, navigate] = useLocation();
  const [form, setForm] = useState<Row | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Row | null>(null);
  const { data } = useRead(SavedViewsDocument, {}, { on: ['SAVED_VIEW'] });
  const views = data?.savedViews.nodes.filter((one) => one.view === view) ?? [];
  const chosen = views.find((one) => pathOf(one) === pathOf({ view, query }));
  if (views.length === 0 && !canWrite) return null;
  const items: readonly MenuItem[] = [
    ...views.map((one) => ({
      id: one.id,
      name: one.name,
      checked: one === chosen,
      ...({ icon: one === chosen ? 'check' : view === 'LINKS' ? 'link' : 'overview' } as const),
      run: () => navigate(pathOf(one)),
    })),
    ...(canWrite && !chosen
      ? [{ id: 'new', name: t.create, icon: 'plus', run: () => setForm('new') } as const]
      : []),
    ...(canWrite && chosen
      ? ([
          { id: 'edit', name: t.rename, icon: 'edit', run: () => setForm(chosen) },
          { id: 'delete', name: texts.delete, icon: 'trash', danger: true, run: () => setDeleted(chosen) },
        ] as const)
      : []),
  ];
  return (
    <>
      <Menu label={t.title} items={items} look={chosen ? 'filter set' : 'filter'}>
        <bdi className="cut">{chosen ? chosen.name : t.title}</bdi>
      </Menu>
      {form && (
        <ViewForm {...{ view, query }} record={form === 'new' ? null : form} onClose={() => setForm(null)} />
      )}
      {deleted && <Deletion view={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

interface ViewFormProps {
  readonly view: SavedViewKind;
  readonly query: string;
  readonly record: Row | null;
  onClose(): void;
}

function ViewForm({ view, query, record, onClose }: ViewFormProps): ReactElement {
  const session = useSession();
  const [{ name }, tied] = useTexts({ name: record?.name ?? '' });
  const save = async () =>
    record === null
      ? (await write(session, CreateSavedViewDocument, { input: { name, view, query } })).createSavedView
      : (await write(session, UpdateSavedViewDocument, { id: record.id, input: { name } })).updateSavedView;
  return (
    <FormDialog
      title={record ? t.rename : t.create}
      action={record ? texts.save : texts.create}
      kinds={['SAVED_VIEW']}
      done={texts.saved(name)}
      shown={['name']}
      onClose={onClose}
      onSubmit={save}
    >
      {(errors) => (
        <>
          <NameField label={texts.spaces.name} {...tied('name', errors)} maxLength={60} />
          {record === null && <p className="hint">{t.hint}</p>}
        </>
      )}
    </FormDialog>
  );
}

function Deletion({ view: { id, name }, onClose }: { view: Row; onClose: () => void }): ReactElement {
  const session = useSession();
  return (
    <Confirm
      title={t.deleteTitle(name)}
      kinds={['SAVED_VIEW']}
      onClose={onClose}
      onSubmit={async () => (await write(session, DeleteSavedViewDocument, { id })).deleteSavedView}
    >
      {t.deleteWarning}
    </Confirm>
  );
}
