import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ChoiceItem } from '../controls/choice-matches.ts';
import { attempt } from '../data/actions.ts';
import { type Refusal, refusalText } from '../data/refusals.ts';

interface Words {
  create(name: string): string;
  isNew(name: string): string;
  creating(name: string): string;
}

interface Making {
  /** The first page of records, and those that are known besides. */
  readonly first: readonly ChoiceItem[];
  readonly own: readonly ChoiceItem[];
  readonly typed: string;
  readonly words: Words;
  find(search: string): Promise<readonly ChoiceItem[] | undefined>;
  make(name: string): Promise<ChoiceItem | Refusal>;
  /** Called with the id of a new record, unless something else was typed meanwhile. */
  onMade(id: string): void;
}

/** The records of a choice: those that are known, others as somebody searches, and new ones with the typed name. */
export function useMaking({ first, own, typed, words, find, make, onMade }: Making) {
  const [others, setOthers] = useState<readonly ChoiceItem[]>([]);
  const items = new Map([...own, ...others, ...first].map((one) => [one.id, one]));
  const add = (more: readonly ChoiceItem[]) => setOthers((before) => [...more, ...before]);
  const onSearch = async (text: string) => {
    // All are read already, unless there are many.
    if (first.length >= 100 && text !== '') add((await find(text)) ?? []);
  };
  const [making, setMaking] = useState<string | null>(null);
  const [refused, setRefused] = useState<{ name: string; why: string } | null>(null);
  const now = useRef(typed);
  now.current = typed;
  const create = async (name: string) => {
    if (making !== null) return;
    setMaking(name);
    await attempt('new record', async () => {
      const result = await make(name);
      if (!('id' in result)) return setRefused({ name, why: refusalText(result) });
      return flushSync(() => {
        add([result]);
        if (now.current.trim() === name) onMade(result.id);
      });
    });
    setMaking(null);
  };
  const creates = {
    create,
    name: words.create,
    note: (name: string) => (name === making ? words.creating : words.isNew)(name),
    refused: (name: string) => (name === refused?.name ? refused.why : undefined),
  };
  return { items, onSearch, creates };
}
