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

/** Lets a choice make a record with the typed name. */
export function useMaking(
  typed: string,
  words: Words,
  make: (name: string) => Promise<ChoiceItem | Refusal>,
  /** Called with the new record; not `isWanted` if something else was typed meanwhile. */
  onMade: (made: ChoiceItem, isWanted: boolean) => void,
) {
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
      return flushSync(() => onMade(result, now.current.trim() === name));
    });
    setMaking(null);
  };
  return {
    create,
    name: words.create,
    note: (name: string) => (name === making ? words.creating : words.isNew)(name),
    refused: (name: string) => (name === refused?.name ? refused.why : undefined),
  };
}
