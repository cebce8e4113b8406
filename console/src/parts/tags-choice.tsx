import { type ReactElement, useState } from 'react';
import { useClient } from 'urql';
import { Choice } from '../controls/choice.tsx';
import type { ChoiceItem } from '../controls/choice-matches.ts';
import { tagNamed } from '../data/named.ts';
import { useRead } from '../data/read.ts';
import { useSession } from '../data/session.ts';
import { TagChoicesDocument, TagsNamedDocument } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';
import { useMaking } from './making.ts';

/** The most tags of a link. */
const MAX_TAGS = 50;

/** The chosen tags, and a choice of more. A new one is made in place. */
export function TagsChoice({
  label,
  ids,
  typed,
  own = [],
  except,
  mayCreate = false,
  onIds,
  error,
}: {
  label: string;
  ids: readonly string[];
  /** The text that is typed and not chosen. */
  typed: string;
  /** Known tags, which may be beyond the first page. */
  own?: readonly ChoiceItem[] | undefined;
  /** A tag that cannot be chosen. */
  except?: string;
  mayCreate?: boolean;
  onIds: (ids: readonly string[], typed: string) => void;
  error?: string | undefined;
}): ReactElement {
  const session = useSession();
  const client = useClient();
  const [others, setOthers] = useState<readonly ChoiceItem[]>([]);
  const first = useRead(TagChoicesDocument, {}, { on: ['TAG'] }).data?.tags.nodes ?? [];
  const all = new Map([...own, ...others, ...first].map((one) => [one.id, one]));
  const t = texts.tags;
  const creates = useMaking(
    typed,
    { create: t.createNamed, isNew: t.isNew, creating: t.creating },
    (name) => tagNamed(session, name),
    (made, isWanted) => {
      setOthers((before) => [made, ...before]);
      if (isWanted) onIds([...ids, made.id], '');
    },
  );
  const search = async (text: string) => {
    // All tags are read already, unless there are many.
    if (first.length < 100 || text === '') return;
    const { data } = await client.query(TagsNamedDocument, { search: text }).toPromise();
    if (data) setOthers((before) => [...data.tags.nodes, ...before]);
  };
  return (
    <div className="with-chips">
      {ids.length < MAX_TAGS ? (
        <Choice
          label={label}
          placeholder={t.placeholder}
          items={[...all.values()].filter(({ id }) => id !== except && !ids.includes(id))}
          value={null}
          typed={typed}
          onValue={(item, text) => onIds(item ? [...ids, item.id] : ids, text)}
          onSearch={search}
          {...(mayCreate && { creates })}
          error={error}
        />
      ) : (
        <p className="hint">{t.tooMany(MAX_TAGS)}</p>
      )}
      {ids.length > 0 && (
        <ul className="chips" aria-label={label}>
          {ids.map((id) => {
            const { name, color } = all.get(id) ?? { name: t.unknown, color: 0 };
            return (
              <li key={id}>
                <i className={`dot c${color}`} />
                <bdi>{name}</bdi>
                <button
                  type="button"
                  className="bare"
                  aria-label={texts.removeOf(name)}
                  onClick={() =>
                    onIds(
                      ids.filter((one) => one !== id),
                      typed,
                    )
                  }
                >
                  <Icon name="close" />
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
