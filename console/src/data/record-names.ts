import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { ChangedRecordsDocument, type ChangedRecordsQuery, type Role } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { shortUrlText, withoutScheme } from '../words/format.ts';
import { readNow } from './read.ts';

/** The most records that a request reads by their ids. */
export const MAX_RECORDS = 100;
/** The pause before names are read again after a failure, in milliseconds; it doubles with each further one, up to a minute. */
const PAUSE = 1_000;
const MAX_PAUSE = 60_000;

/** Null for records that are not there any more. */
type Names = ReadonlyMap<string, string | null>;

/** People and keys with the role that they have now: changes have no values. */
const withRole = (name: string, role: Role | null): string =>
  role === null ? name : `${name} (${texts.roles[role]})`;

/** The names of the records that are still there, by their global ids. */
function namesIn({ nodes }: ChangedRecordsQuery): [string, string][] {
  return nodes.flatMap((record): [string, string][] => {
    if (record === null) return [];
    if ('shortUrl' in record) return [[record.nodeId, record.title ?? shortUrlText(record.shortUrl)]];
    if ('memberRole' in record) return [[record.nodeId, withRole(record.user.name, record.memberRole)]];
    if ('email' in record) return [[record.nodeId, withRole(record.email, record.invitedRole)]];
    if ('prefix' in record)
      return [[record.nodeId, withRole(record.name || `${record.prefix}…`, record.keyRole)]];
    if ('name' in record) return [[record.nodeId, record.name]];
    return 'receiver' in record ? [[record.nodeId, withoutScheme(record.receiver)]] : [];
  });
}

/**
 * The names of records by their global ids, each read once for each occasion.
 * @param occasions lists of global ids, by ids of their own: a record of a new one is read again, since its name may be new
 */
export function useNames(occasions: ReadonlyMap<string, readonly string[]>): Names {
  const client = useClient();
  const [names, setNames] = useState<Names>(new Map());
  const [failures, setFailures] = useState(0);
  const read = useRef(new Set<string>());
  const next: string[] = [];
  const nodeIds = new Set<string>();
  for (const [id, ids] of occasions) {
    if (read.current.has(id) || nodeIds.size + ids.length > MAX_RECORDS) continue;
    next.push(id);
    for (const one of ids) nodeIds.add(one);
  }
  const key = next.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names all that is read, which is collected anew with each render
  useEffect(() => {
    if (next.length === 0) return;
    for (const id of next) read.current.add(id);
    void readNow(client, ChangedRecordsDocument, { nodeIds: [...nodeIds] }).then(({ data }) => {
      if (data)
        return setNames((before) => {
          const gone = [...nodeIds].filter((id) => !before.has(id)).map((id) => [id, null] as const);
          return new Map([...before, ...gone, ...namesIn(data)]);
        });
      for (const id of next) read.current.delete(id);
      setTimeout(() => setFailures((count) => count + 1), Math.min(PAUSE * 2 ** failures, MAX_PAUSE));
    });
  }, [client, key, failures]);
  return names;
}
