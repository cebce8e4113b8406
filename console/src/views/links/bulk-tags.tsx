import { type ReactElement, useState } from 'react';
import { Segments } from '../../controls/segments.tsx';
import { tagNamed } from '../../data/named.ts';
import { useSession } from '../../data/session.ts';
import { TagDocument } from '../../generated/documents.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TagsChoice } from '../../parts/tags-choice.tsx';
import { texts } from '../../texts.ts';
import type { BulkDialogProps } from './use-bulk.ts';

type TagsUpdate = { readonly addTagIds: readonly string[] } | { readonly removeTagIds: readonly string[] };

/** Asks which tags the selected links get, or lose. */
export function BulkTags({ count, onClose, onUpdate }: BulkDialogProps<TagsUpdate>): ReactElement {
  const [removes, setRemoves] = useState(false);
  const [ids, setIds] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState('');
  const session = useSession();
  const t = texts.tags;
  const submit = async () => {
    const missing = { __typename: 'ValidationError', fields: [{ path: ['ids'], messages: [] }] };
    const tag = removes || typed === '' ? null : await tagNamed(session, typed.trim());
    if (tag && !('id' in tag)) return { __typename: 'ValidationError', ...tag };
    const chosen = tag ? [...new Set([...ids, tag.id])] : ids;
    if (chosen.length === 0 || (removes && typed !== '')) return missing;
    const readTagName = async (id: string) =>
      (await session.client.query(TagDocument, { id }).toPromise()).data?.tag?.name ?? t.unknown;
    const names = await Promise.all(chosen.map(readTagName));
    const told = removes ? texts.bulk.untagged : texts.bulk.tagged;
    onUpdate(removes ? { removeTagIds: chosen } : { addTagIds: chosen }, (count) => told(count, names));
    return { __typename: 'Link' };
  };
  return (
    <FormDialog
      title={t.bulkTitle(count)}
      action={removes ? t.removeFrom(count) : t.addTo(count)}
      shown={['ids']}
      isEmpty={ids.length === 0 && typed.trim() === ''}
      onClose={onClose}
      onSubmit={submit}
    >
      {(errors) => (
        <>
          <Segments
            label={t.what}
            items={(['add', 'remove'] as const).map((key) => ({ key, name: t[key] }))}
            chosen={removes ? 'remove' : 'add'}
            onChoose={(key) => setRemoves(key === 'remove')}
          />
          <TagsChoice
            label={t.field}
            ids={ids}
            typed={typed}
            mayCreate={!removes}
            onIds={(chosen, text) => {
              setIds(chosen);
              setTyped(text);
            }}
            error={errors.ids}
          />
        </>
      )}
    </FormDialog>
  );
}
