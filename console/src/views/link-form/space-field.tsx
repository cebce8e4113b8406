import { type ReactElement, useState } from 'react';
import { useClient } from 'urql';
import { attempt } from '../../data/actions.ts';
import { announce } from '../../data/bus.ts';
import { refusalText } from '../../data/refusals.ts';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import { CreateSpaceDocument, SpacesNamedDocument } from '../../generated/documents.ts';
import { Choice, type ChoiceItem } from '../../parts/choice.tsx';
import { showToast } from '../../parts/toasts.tsx';
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
  own,
  spaces,
  onValue,
  error,
}: {
  value: string;
  /** The present space of the link, which need not be among the first ones. */
  own?: Space | null | undefined;
  spaces: readonly Space[];
  onValue: (id: string) => void;
  error: string | undefined;
}): ReactElement {
  const session = useSession();
  const client = useClient();
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
  const create = (name: string) =>
    attempt(ABOUT, async () => {
      const color = (spaces.length % 6) + 1;
      const { createSpace: result } = await write(session, CreateSpaceDocument, { input: { name, color } });
      if (result.__typename !== 'Space') return showToast(refusalText(result), { wrong: true, about: ABOUT });
      setOthers((before) => [result, ...before]);
      announce([{ kind: 'SPACE', recordId: result.id, action: 'CREATED' }]);
      return onValue(result.id);
    });
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
      onValue={(item) => onValue(item?.id ?? '')}
      onSearch={search}
      creates={{ name: t.createSpace, create }}
      error={error}
    />
  );
}
