import { type ReactElement, useState } from 'react';
import { useClient } from 'urql';
import { Choice } from '../../controls/choice.tsx';
import type { ChoiceItem } from '../../controls/choice-matches.ts';
import { spaceNamed } from '../../data/named.ts';
import { useSession } from '../../data/session.ts';
import { SpacesNamedDocument } from '../../generated/documents.ts';
import { useMaking } from '../../parts/making.ts';
import { texts } from '../../texts.ts';

/** The space of a link; a new one is made in place. */
export function SpaceField({
  value,
  typed,
  own,
  spaces,
  onValue,
  error,
}: {
  value: string;
  typed: string;
  /** The present space of the link, which may be beyond the first page. */
  own?: ChoiceItem | null | undefined;
  spaces: readonly ChoiceItem[];
  onValue: (id: string, typed: string) => void;
  error: string | undefined;
}): ReactElement {
  const session = useSession();
  const client = useClient();
  const [others, setOthers] = useState<readonly ChoiceItem[]>([]);
  const all = [
    ...new Map([...(own ? [own] : []), ...others, ...spaces].map((one) => [one.id, one])).values(),
  ];
  const search = async (text: string) => {
    // All spaces are read already, unless there are many.
    if (spaces.length < 100 || text === '') return;
    const { data } = await client.query(SpacesNamedDocument, { search: text }).toPromise();
    if (data) setOthers((before) => [...data.spaces.nodes, ...before]);
  };
  const t = texts.form;
  const creates = useMaking(
    typed,
    { create: t.createSpace, isNew: t.isNewSpace, creating: t.creatingSpace },
    (name) => spaceNamed(session, name),
    (made, isWanted) => {
      setOthers((before) => [made, ...before]);
      if (isWanted) onValue(made.id, '');
    },
  );
  const items: ChoiceItem[] = all.map(({ id, name, color }) => ({ id, name, color }));
  return (
    <Choice
      label={t.space}
      placeholder={t.noSpace}
      hasNone
      items={items}
      value={
        value === '' ? null : (items.find(({ id }) => id === value) ?? { id: value, name: t.unknownSpace })
      }
      typed={typed}
      onValue={(item, text) => onValue(item?.id ?? '', text)}
      onSearch={search}
      creates={creates}
      error={error}
    />
  );
}
