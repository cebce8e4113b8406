import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type OperationResult, useClient } from 'urql';
import {
  type ChangeRowFragment,
  ChangesDocument,
  type ChangesQuery,
  type ChangesQueryVariables,
  type LoggedChangeFragment,
  type RecordKind,
} from '../generated/documents.ts';
import type { Happening } from './bus.ts';
import { Fault, toFault } from './faults.ts';
import { readNow, useHappenings, useRead } from './read.ts';
import type { Session } from './session.ts';

/** The number of changes that a request reads: the most that the API gives. */
const PAGE = 100;
/** The number of lines that are read before somebody asks for older ones, unless that takes more than `MAX_PAGES` requests. */
const LINES = 25;
const MAX_PAGES = 10;
/** The longest time that one line stands for, in milliseconds. */
const SPAN = 60_000;

/** An action of somebody: one change, or an equal one of many records in a row. */
export interface ChangeGroup {
  /** The newest of them. */
  readonly change: LoggedChangeFragment;
  /** The changes of its records, by their global ids. */
  readonly records: ReadonlyMap<string, LoggedChangeFragment>;
}

/** The fields of a new record say little: many that are made at once differ in them. */
const changeSort = ({ action, kind, by, fields }: LoggedChangeFragment): string =>
  JSON.stringify([action, kind, by?.__typename, by?.id, action === 'UPDATED' ? fields : []]);

/** Changes, newest first, with those of one action together: it changes a record once. */
function groupChanges(changes: readonly LoggedChangeFragment[]): ChangeGroup[] {
  const groups: (ChangeGroup & { readonly records: Map<string, LoggedChangeFragment> })[] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    const continues =
      last &&
      changeSort(last.change) === changeSort(change) &&
      !last.records.has(change.recordNodeId) &&
      Date.parse(last.change.at) - Date.parse(change.at) <= SPAN;
    if (continues) last.records.set(change.recordNodeId, change);
    else groups.push({ change, records: new Map([[change.recordNodeId, change]]) });
  }
  return groups;
}

/** True if the user made a change. */
export const isOwn = ({ by }: Pick<ChangeRowFragment, 'by'>, { viewer }: Pick<Session, 'viewer'>): boolean =>
  by?.__typename === 'User' && by.id === viewer.user?.id;

const none: readonly LoggedChangeFragment[] = [];

/** The changes of a link, those after a time if it is given, the newest first, as far as one request reads them. */
export function useChangesOfLink(
  recordId: string,
  since: string | null,
  pause = false,
): readonly LoggedChangeFragment[] {
  const filter = { kind: 'LINK', recordId, ...(since !== null && { since }) } as const;
  const on = (one: Happening) => one.kind === 'LINK' && (one.recordId === null || one.recordId === recordId);
  const { data } = useRead(ChangesDocument, { first: PAGE, filter }, { on, pause });
  return pause || !data ? none : data.changes.nodes.filter(({ at }) => since === null || at > since);
}

interface Log {
  readonly changes: readonly LoggedChangeFragment[];
  /** The cursors of its ends; null if there is no change. */
  readonly newest: string | null;
  readonly oldest: string | null;
  readonly hasOlder: boolean;
}

export interface Changes {
  /** Null until there are some. */
  readonly groups: readonly ChangeGroup[] | null;
  readonly hasOlder: boolean;
  readonly fault: Fault | null;
  readOlder(): void;
  again(): void;
}

/** The log of changes, newest first, which new ones are added to as they are made. The filter stays the same. */
export function useChanges(filter: {
  readonly kind: RecordKind | null;
  readonly recordId?: string;
}): Changes {
  const client = useClient();
  const [log, setLog] = useState<Log | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const held = useRef<Log>({ changes: [], newest: null, oldest: null, hasOlder: true });
  const turn = useRef(Promise.resolve());

  const read = async (page: Omit<ChangesQueryVariables, 'filter'>): Promise<ChangesQuery['changes']> => {
    const { data, error }: OperationResult<ChangesQuery> = await readNow(client, ChangesDocument, {
      ...page,
      filter,
    });
    if (data) return data.changes;
    throw error ? toFault(error) : new Fault('away', '');
  };
  const older = async (log: Log): Promise<Log> => {
    const enough = groupChanges(log.changes).length + LINES;
    let now = log;
    for (
      let page = 0;
      page < MAX_PAGES && now.hasOlder && groupChanges(now.changes).length < enough;
      page++
    ) {
      const { nodes, pageInfo } = await read({ first: PAGE, after: now.oldest });
      now = {
        changes: [...now.changes, ...nodes],
        newest: now.newest ?? pageInfo.startCursor,
        oldest: pageInfo.endCursor ?? now.oldest,
        hasOlder: pageInfo.hasNextPage,
      };
    }
    return now;
  };
  const newer = async (log: Log): Promise<Log> => {
    if (log.newest === null) return older({ ...log, hasOlder: true });
    let now = log;
    for (let page = 0, hasMore = true; page < MAX_PAGES && hasMore; page++) {
      const { nodes, pageInfo } = await read({ last: PAGE, before: now.newest });
      now = { ...now, changes: [...nodes, ...now.changes], newest: pageInfo.startCursor ?? now.newest };
      hasMore = pageInfo.hasPreviousPage;
    }
    return now;
  };
  // One after the other: each continues what the one before has read.
  const extend = (more: (log: Log) => Promise<Log>) => {
    turn.current = turn.current.then(async () => {
      try {
        held.current = await more(held.current);
        setLog(held.current);
        setFault(null);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        setFault(error);
      }
    });
  };
  const again = () => extend(held.current.newest === null ? older : newer);
  const readFirst = useEffectEvent(() => extend(older));
  useEffect(() => readFirst(), []);
  useHappenings(
    ({ kind, recordId }) =>
      (filter.kind === null || filter.kind === kind) &&
      (filter.recordId === undefined || recordId === null || filter.recordId === recordId),
    again,
  );
  return {
    groups: log && groupChanges(log.changes),
    hasOlder: log?.hasOlder ?? false,
    fault,
    readOlder: () => extend(older),
    again,
  };
}
