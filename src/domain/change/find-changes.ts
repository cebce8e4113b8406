import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import type { LoggedChange } from '../../engine/changes/events.ts';
import { changesWithIds, reachesBack, requireReach } from '../../engine/changes/log.ts';
import type { Subscriber } from '../../engine/changes/subscriptions.ts';
import { type LogPosition, transactionOrder } from '../../engine/changes/transaction-order.ts';
import { is, isNotIn } from '../../engine/lists/conditions.ts';
import type { ListReader } from '../../engine/lists/list-reader.ts';
import type { List } from '../../engine/lists/list-statements.ts';
import {
  type Connection,
  type CursorList,
  type EdgesInput,
  encodeCursor,
  orderInput,
  readConnection,
  readCursor,
} from '../../engine/lists/pagination.ts';
import { parseId, parseInput, type Unparsed, withDefault } from '../../engine/rules/input.ts';
import { type Actor, callerOf } from '../access/actor.ts';
import type { RecordKind } from './change.ts';
import {
  type ChangeFilter,
  changeFilter,
  isIndexed,
  listConditions,
  matches,
  toSql,
} from './change-filter.ts';

export const changeOrderFields = { ID: 'The order of the changes.' } as const;

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

/** @throws DomainError VALIDATION */
export function parseChangeFilter(filter: Unparsed<typeof changeFilter> | null | undefined): ChangeFilter {
  return parseInput(changesInput, { filter }).filter;
}

/** The caller as a subscriber to the changes that match the filter. */
export function makeSubscriber(actor: Actor, filter: ChangeFilter): Subscriber {
  const conditions = listConditions(filter);
  return {
    accountId: actor.accountId,
    caller: callerOf(actor),
    wants: (change) => matches(conditions, change) && maySee(actor, change),
  };
}

/** The order of the log. */
const inLog: CursorList = { table: 'Change', orderBy: { name: 'tx', type: 'number', large: true } };

/** The cursor of a change in `changes` and in histories. */
export function toCursor({ tx, id }: { readonly tx: number | bigint; readonly id: number }): string {
  return encodeCursor(inLog, [Number(tx), id]);
}

/** The position after which a reader goes on. @throws DomainError VALIDATION */
export function parseAfter(after: string): LogPosition {
  const [tx, id] = readCursor('after', after, inLog);
  return { tx: Number(tx), id };
}

/**
 * Makes sure that the log has all changes after a position. Call it when they are read: they may have been deleted just before.
 * @param primary the database to which the account's data is written: a replica may lack the change at the position itself
 * @throws DomainError HISTORY_GONE
 */
async function requireAllAfter(
  primary: Data,
  lists: ListReader,
  { accountId }: Actor,
  after: LogPosition,
): Promise<void> {
  if ((await lists.number(reachesBack(accountId, after))) === 0)
    await requireReach(primary, accountId, after);
}

/**
 * A slice of the account's changes by cursor, oldest first by default. A client that continues from a cursor misses none.
 * @param primary the database to which the account's data is written
 * @throws DomainError VALIDATION, HISTORY_GONE
 */
export async function changeConnection(
  db: Data,
  primary: Data,
  lists: ListReader,
  actor: Actor,
  input: EdgesInput & Unparsed<typeof changesInput>,
): Promise<Connection<LoggedChange>> {
  const { filter, orderBy } = parseInput(changesInput, input);
  const conditions = listConditions(filter);
  const list: List = {
    ...inLog,
    where: [
      is('accountId', actor.accountId),
      ...(maySeeAll(actor) ? [] : [isNotIn('kind', ofPeople)]),
      transactionOrder(db).isSettled,
      ...toSql(lists, conditions),
    ],
    descending: orderBy.direction === 'DESC',
    needsScan: !isIndexed(conditions),
  };
  const found = await readConnection<LoggedChange>(lists, list, input, { needsScan: true });
  if (input.after != null && !list.descending)
    await requireAllAfter(primary, lists, actor, parseAfter(input.after));
  return found;
}

export async function findChanges(db: Data, actor: Actor, ids: readonly number[]): Promise<LoggedChange[]> {
  const found = await changesWithIds(db, actor.accountId, ids);
  return found.filter((change) => maySee(actor, change));
}

/** The account's change with this id, as soon as it is committed; null if it has none, or the caller may not see it. */
export async function findChange(db: Data, actor: Actor, id: string): Promise<LoggedChange | null> {
  const number = parseId(id);
  const [found] = number === null ? [] : await findChanges(db, actor, [number]);
  return found ?? null;
}

/** A slice of the changes of one record, newest first. */
export function findHistory(
  db: Data,
  primary: Data,
  lists: ListReader,
  actor: Actor,
  kind: RecordKind,
  record: { readonly id: number },
  input: EdgesInput,
): Promise<Connection<LoggedChange>> {
  const filter = { kind, recordId: String(record.id) };
  return changeConnection(db, primary, lists, actor, { ...input, filter, orderBy: { direction: 'DESC' } });
}
