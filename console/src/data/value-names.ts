import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { ChoicesDocument, NamedRecordDocument, TagChoicesDocument } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { useRuleWords } from './late-rule-words.ts';
import { readNow, useRead } from './read.ts';
import { type ChangedValue, idsIn, type NamedKind, type NameOf } from './values.ts';

/** The most records that are looked up one by one, since no list of choices has them. */
const MAX_LOOKED_UP = 50;

const keyOf = (kind: NamedKind, id: string): string => `${kind} ${id}`;

/** The names of the records in the values of changes: from the lists of choices, or else one by one. */
export function useValueNames(changes: readonly { readonly values: readonly ChangedValue[] }[]): NameOf {
  const client = useClient();
  useRuleWords(changes.some(({ values }) => values.some(({ name }) => /^rule(s|Tests)$/.test(name))));
  const [found, setFound] = useState<ReadonlyMap<string, string | null>>(new Map());
  const wanted = changes.flatMap(({ values }) => idsIn(values));
  const pause = wanted.length === 0;
  const choices = useRead(ChoicesDocument, {}, { pause, on: ['SPACE', 'PIXEL', 'DOMAIN'] }).data;
  const tags = useRead(TagChoicesDocument, {}, { pause, on: ['TAG'] }).data;
  const known = new Map<string, string | null>(found);
  const add = (kind: NamedKind, nodes: readonly { readonly id: string; readonly name: string }[] = []) => {
    for (const { id, name } of nodes) known.set(keyOf(kind, id), name);
  };
  add('SPACE', choices?.spaces.nodes);
  add('PIXEL', choices?.pixels.nodes);
  add('DOMAIN', choices?.domains.nodes);
  add('TAG', tags?.tags.nodes);
  const missing =
    choices && tags
      ? [...new Map(wanted.map((one) => [keyOf(one.kind, one.id), one])).values()]
          .filter(({ kind, id }) => !known.has(keyOf(kind, id)))
          .slice(0, Math.max(0, MAX_LOOKED_UP - found.size))
      : [];
  const key = missing.map(({ kind, id }) => keyOf(kind, id)).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names all that is read, which is collected anew with each render
  useEffect(() => {
    for (const { kind, id } of missing) {
      const is = { isSpace: kind === 'SPACE', isTag: kind === 'TAG', isPixel: kind === 'PIXEL' };
      const variables = { id, ...is, isDomain: kind === 'DOMAIN' };
      void readNow(client, NamedRecordDocument, variables).then(({ data }) => {
        if (!data) return;
        const { name = null } = data.space ?? data.tag ?? data.pixel ?? data.domain ?? {};
        setFound((before) => new Map([...before, [keyOf(kind, id), name]]));
      });
    }
  }, [client, key]);
  return (kind, id) => {
    const name = known.get(keyOf(kind, id));
    return name === undefined ? `#${id}` : (name ?? texts.history.lost(id));
  };
}
