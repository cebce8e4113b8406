import type { ReactElement } from 'react';
import { useClient } from 'urql';
import { Choice } from '../controls/choice.tsx';
import type { ChoiceItem } from '../controls/choice-matches.ts';
import { tagNamed } from '../data/named.ts';
import { useRead } from '../data/read.ts';
import { useSession } from '../data/session.ts';
import { TagChoicesDocument, TagsNamedDocument } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { Chips, without } from './chips.tsx';
import { useMaking } from './making.ts';

/** The most tags of a link. */
const MAX_TAGS = 50;

interface TagsChoiceProps {
  readonly label: string;
  readonly ids: readonly string[];
  /** The text that is typed and not chosen. */
  readonly typed: string;
  /** Known tags, which may be beyond the first page. */
  readonly own?: readonly ChoiceItem[] | undefined;
  /** A tag that cannot be chosen. */
  readonly except?: string;
  readonly mayCreate?: boolean;
  onIds(ids: readonly string[], typed: string): void;
  readonly error?: string | undefined;
}

/** The chosen tags, and a choice of more. A new one is made in place. */
export function TagsChoice(props: TagsChoiceProps): ReactElement {
  const { label, ids, typed, own = [], except, mayCreate = false, onIds, error } = props;
  const session = useSession();
  const client = useClient();
  const first = useRead(TagChoicesDocument, {}, { on: ['TAG'] }).data?.tags.nodes ?? [];
  const t = texts.tags;
  const { items, onSearch, creates } = useMaking({
    ...{ first, own, typed },
    words: { create: t.createNamed, isNew: t.isNew, creating: t.creating },
    find: async (search) => (await client.query(TagsNamedDocument, { search }).toPromise()).data?.tags.nodes,
    make: (name) => tagNamed(session, name),
    onMade: (id) => onIds([...ids, id], ''),
  });
  return (
    <div className="with-chips">
      {ids.length < MAX_TAGS ? (
        <Choice
          label={label}
          placeholder={t.placeholder}
          items={[...items.values()].filter(({ id }) => id !== except && !ids.includes(id))}
          value={null}
          typed={typed}
          onValue={(item, text) => onIds(item ? [...ids, item.id] : ids, text)}
          onSearch={onSearch}
          {...(mayCreate && { creates })}
          error={error}
        />
      ) : (
        <p className="hint">{t.tooMany(MAX_TAGS)}</p>
      )}
      <Chips
        label={label}
        items={ids.map((id) => items.get(id) ?? { id, name: t.unknown, color: 0 })}
        onRemove={(id) => onIds(without(ids, id), typed)}
      />
    </div>
  );
}
