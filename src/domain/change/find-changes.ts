import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import type { LoggedChange } from '../../engine/changes/events.ts';
import { changesWithIds } from '../../engine/changes/log.ts';
import type { Subscriber } from '../../engine/changes/subscriptions.ts';
import { transactionOrder } from '../../engine/changes/transaction-order.ts';
import { is, isNotIn, isSince } from '../../engine/lists/conditions.ts';
import type { ListReader } from '../../engine/lists/list-reader.ts';
import type { List } from '../../engine/lists/list-statements.ts';
import {
  type Connection,
  type EdgesInput,
  orderInput,
  readConnection,
} from '../../engine/lists/pagination.ts';
import {
  choiceSchema,
  idSchema,
  parseInput,
  timestamp,
  type Unparsed,
  withDefault,
} from '../../engine/rules/input.ts';
import { type Actor, callerOf } from '../access/actor.ts';
import { refusal } from '../rules.ts';
import { type RecordKind, recordKinds } from './change.ts';

export const changeOrderFields = { ID: 'The order of the changes.' } as const;

export const changeFilter = z.object({
  kind: choiceSchema(recordKinds)
    .meta({ title: 'RecordKind', description: 'Only changes of this kind of record.' })
    .nullish(),
  recordId: idSchema(refusal('ID', { what: 'a record' }))
    .nullish()
    .describe('Only changes of records with this id.'),
  since: timestamp
    .meta({
      format: 'date-time',
      description: 'Only changes from this time on: ISO 8601 with an offset from UTC.',
    })
    .nullish(),
});
const changesInput = z.object({
  filter: withDefault(changeFilter, {}),
  orderBy: orderInput(changeOrderFields, 'ID', 'ASC'),
});

/** The kinds of changes that only those see who may read people and keys. */
const ofPeople: readonly string[] = ['MEMBER', 'INVITATION', 'API_KEY'] satisfies RecordKind[];

const maySeeAll = ({ permissions }: Actor) => permissions.has('READ_PEOPLE');

function maySee(actor: Actor, { kind }: { readonly kind: string }): boolean {
  return maySeeAll(actor) || !ofPeople.includes(kind);
}

export type ChangeFilter = z.output<typeof changeFilter>;

/** @throws DomainError VALIDATION */
export function parseChangeFilter(filter: Unparsed<typeof changeFilter> | null | undefined): ChangeFilter {
  return parseInput(changesInput, { filter }).filter;
}

function matchesFilter({ kind, recordId, since }: ChangeFilter, change: LoggedChange): boolean {
  return (
    (kind == null || change.kind === kind) &&
    (recordId == null || change.recordId === recordId) &&
    (since == null || change.at >= since.at)
  );
}

/** The caller as a subscriber to the changes that match the filter. */
export function makeSubscriber(actor: Actor, filter: ChangeFilter): Subscriber {
  return {
    accountId: actor.accountId,
    caller: callerOf(actor),
    wants: (change) => matchesFilter(filter, change) && maySee(actor, change),
  };
}

/**
 * A slice of the account's changes by cursor, oldest first by default. A client that continues from a cursor misses none.
 * @throws DomainError VALIDATION
 */
export async function changeConnection(
  db: Data,
  lists: ListReader,
  actor: Actor,
  input: EdgesInput & Unparsed<typeof changesInput>,
): Promise<Connection<LoggedChange>> {
  const { filter, orderBy } = parseInput(changesInput, input);
  const { kind, recordId, since } = filter;
  const list: List = {
    table: 'Change',
    where: [
      is('accountId', actor.accountId),
      ...(maySeeAll(actor) ? [] : [isNotIn('kind', ofPeople)]),
      transactionOrder(db).isSettled,
      ...(kind == null ? [] : [is('kind', kind)]),
      ...(recordId == null ? [] : [is('recordId', recordId)]),
      ...(since == null ? [] : [isSince('at', since.at)]),
    ],
    orderBy: { name: 'tx', type: 'number', large: true },
    descending: orderBy.direction === 'DESC',
    // There is an index for the changes of one record.
    needsScan: since != null || (kind == null) !== (recordId == null),
  };
  return readConnection(lists, list, input, { needsScan: true });
}

export async function findChanges(db: Data, actor: Actor, ids: readonly number[]): Promise<LoggedChange[]> {
  const found = await changesWithIds(db, actor.accountId, ids);
  return found.filter((change) => maySee(actor, change));
}

/** A slice of the changes of one record, newest first. */
export function findHistory(
  db: Data,
  lists: ListReader,
  actor: Actor,
  kind: RecordKind,
  record: { readonly id: number },
  input: EdgesInput,
): Promise<Connection<LoggedChange>> {
  const filter = { kind, recordId: String(record.id) };
  return changeConnection(db, lists, actor, { ...input, filter, orderBy: { direction: 'DESC' } });
}
