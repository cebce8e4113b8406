import { type ReactElement, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useClient } from 'urql';
import { attempt } from '../../data/actions.ts';
import { announce } from '../../data/bus.ts';
import { createSpace } from '../../data/new-space.ts';
import { refusalText } from '../../data/refusals.ts';
import { useSession } from '../../data/session.ts';
import { SpacesNamedDocument } from '../../generated/documents.ts';
import { Choice, type ChoiceItem } from '../../parts/choice.tsx';
import { texts } from '../../texts.ts';

const ABOUT = 'new space';

interface Space {
  readonly id: string;
  readonly name: string;
  readonly color: number;
}

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
  /** The present space of the link, which need not be among the first ones. */
  own?: Space | null | undefined;
  spaces: readonly Space[];
  onValue: (id: string, typed: string) => void;
  error: string | undefined;
}): ReactElement {
  const session = useSession();
  const client = useClient();
  const [making, setMaking] = useState<string | null>(null);
  const [refused, setRefused] = useState<{ name: string; why: string } | null>(null);
  const now = useRef(typed);
  now.current = typed;
  const [others, setOthers] = useState<readonly Space[]>([]);
  const all = [
    ...new Map([...(own ? [own] : []), ...others, ...spaces].map((one) => [one.id, one])).values(),
  ];
  const search = async (text: string) => {
    // All of them are there already, unless there are many.
    if (spaces.length < 100 || text === '') return;
    const { data } = await client.query(SpacesNamedDocument, { search: text }).toPromise();
    if (data) setOthers((before) => [...data.spaces.nodes, ...before]);
  };
  const create = async (name: string) => {
    if (making !== null) return;
    setMaking(name);
    await attempt(ABOUT, async () => {
      const color = (spaces.length % 6) + 1;
      const result = await createSpace(session, name, color);
      if (result.__typename !== 'Space') return setRefused({ name, why: refusalText(result) });
      flushSync(() => {
        setOthers((before) => [result, ...before]);
        // Unless something else was typed meanwhile.
        if (now.current.trim() === name) onValue(result.id, '');
      });
      return announce([{ kind: 'SPACE', recordId: result.id, action: 'CREATED' }]);
    });
    setMaking(null);
  };
  const why = (name: string) => {
    if (name === making) return t.creatingSpace(name);
    return name === refused?.name ? refused.why : t.noSuchSpace(name);
  };
  const items: ChoiceItem[] = all.map(({ id, name, color }) => ({ id, name, color }));
  const t = texts.form;
  return (
    <Choice
      label={t.space}
      placeholder={t.noSpace}
      items={items}
      value={
        value === '' ? null : (items.find(({ id }) => id === value) ?? { id: value, name: t.unknownSpace })
      }
      typed={typed}
      onValue={(item, text) => onValue(item?.id ?? '', text)}
      onSearch={search}
      creates={{ isBusy: making !== null, name: t.createSpace, create, why }}
      error={error}
    />
  );
}
