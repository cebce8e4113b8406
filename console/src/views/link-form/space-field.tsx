import type { ReactElement } from 'react';
import { useClient } from 'urql';
import { Choice } from '../../controls/choice.tsx';
import type { ChoiceItem } from '../../controls/choice-matches.ts';
import { spaceNamed } from '../../data/named.ts';
import { useSession } from '../../data/session.ts';
import { SpacesNamedDocument } from '../../generated/documents.ts';
import { useMaking } from '../../parts/making.ts';
import { texts } from '../../texts.ts';

interface SpaceFieldProps {
  readonly value: string;
  readonly typed: string;
  /** The present space of the link, which may be beyond the first page. */
  readonly own?: ChoiceItem | null | undefined;
  readonly spaces: readonly ChoiceItem[];
  onValue(id: string, typed: string): void;
  readonly error: string | undefined;
}

/** The space of a link; a new one is made in place. */
export function SpaceField({ value, typed, own, spaces, onValue, error }: SpaceFieldProps): ReactElement {
  const session = useSession();
  const client = useClient();
  const t = texts.form;
  const { items, ...making } = useMaking({
    ...{ first: spaces, own: own ? [own] : [], typed },
    words: { create: t.createSpace, isNew: t.isNewSpace, creating: t.creatingSpace },
    find: async (search) =>
      (await client.query(SpacesNamedDocument, { search }).toPromise()).data?.spaces.nodes,
    make: (name) => spaceNamed(session, name),
    onMade: (id) => onValue(id, ''),
  });
  return (
    <Choice
      label={t.space}
      placeholder={t.noSpace}
      hasNone
      {...making}
      items={[...items.values()]}
      value={value === '' ? null : (items.get(value) ?? { id: value, name: t.unknownSpace })}
      typed={typed}
      onValue={(item, text) => onValue(item?.id ?? '', text)}
      error={error}
    />
  );
}
