import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { attempt } from '../data/actions.ts';
import { announce } from '../data/bus.ts';
import { type Refusal, refusalText } from '../data/refusals.ts';
import type { RecordKind } from '../generated/documents.ts';
import type { ChoiceItem } from './choice.tsx';

interface Words {
  create(name: string): string;
  noSuch(name: string): string;
  creating(name: string): string;
}

/** Has a choice make a record with the name that is typed in it. */
export function useMaking(
  kind: RecordKind,
  typed: string,
  words: Words,
  make: (name: string) => Promise<(ChoiceItem & { readonly updatedAt: string }) | Refusal>,
  /** Called with what is made; not `isWanted` if something else was typed meanwhile. */
  onMade: (made: ChoiceItem, isWanted: boolean) => void,
) {
  const [making, setMaking] = useState<string | null>(null);
  const [refused, setRefused] = useState<{ name: string; why: string } | null>(null);
  const now = useRef(typed);
  now.current = typed;
  const create = async (name: string) => {
    if (making !== null) return;
    setMaking(name);
    await attempt(`new ${kind}`, async () => {
      const result = await make(name);
      if (!('updatedAt' in result)) return setRefused({ name, why: refusalText(result) });
      flushSync(() => onMade(result, now.current.trim() === name));
      return announce([{ kind, recordId: result.id, action: 'CREATED' }]);
    });
    setMaking(null);
  };
  const why = (name: string) => {
    if (name === making) return words.creating(name);
    return name === refused?.name ? refused.why : words.noSuch(name);
  };
  return { isBusy: making !== null, name: words.create, create, why };
}
