import type { Data, Transaction } from '../../db/database.ts';
import type { KeptValues } from '../../engine/changes/events.ts';
import { is } from '../../engine/lists/conditions.ts';
import type { ListReader } from '../../engine/lists/list-reader.ts';
import {
  byCreation,
  type Connection,
  type EdgesInput,
  readConnection,
} from '../../engine/lists/pagination.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { type DomainError, notFound } from '../../engine/rules/errors.ts';
import {
  type ChangeDetails,
  type Changing,
  changedColumns,
  changedFields,
  type FieldNames,
  fieldsSet,
  type RecordKind,
  recordingChanges,
  requireUnchanged,
  timeOfChange,
} from '../change/change.ts';
import { type Actor, owned } from './actor.ts';

export type Where = { id: number; accountId: number };

/** The part of Prisma's delegates that these functions need. */
interface Table<Row, Columns> {
  findUnique(args: { where: Where }): PromiseLike<Row | null>;
  findMany(args: { where: { id: { in: number[] }; accountId: number } }): PromiseLike<Row[]>;
  update(args: { where: Where; data: Partial<Columns> & { updatedAt: Date } }): PromiseLike<Row>;
  deleteMany(args: { where: Where }): PromiseLike<{ count: number }>;
}

/** A kind of record that accounts own. */
export interface Kind<Row, Columns> {
  readonly kind: RecordKind;
  /** Its name in error messages. */
  readonly what: string;
  readonly table:
    | 'Link'
    | 'Space'
    | 'Tag'
    | 'Domain'
    | 'Pixel'
    | 'UtmTemplate'
    | 'SavedOperation'
    | 'SavedView'
    | 'Webhook';
  /** The schema's names of its columns. */
  readonly fields: FieldNames;
  rows(db: Data): Table<Row, Columns>;
  /** Further columns of a change in the log, given the record after it. */
  details?(row: Row): ChangeDetails;
  /** The values that a deletion keeps in the log; none by default. */
  deletedValues?(tx: Transaction, where: Where): Promise<KeptValues | null>;
}

/** Functions that read the accounts' own records of a kind. */
export function createReaders<Row extends { id: number }>({ rows, table }: Kind<Row, never>) {
  return {
    /** The account's record with this id; null if it has none. */
    async find(db: Data, actor: Actor, id: string): Promise<Row | null> {
      const where = owned(actor, id);
      return where && rows(db).findUnique({ where });
    },
    /** The account's records with these ids. */
    async findMany(db: Data, { accountId }: Actor, ids: readonly number[]): Promise<Row[]> {
      return rows(db).findMany({ where: { id: { in: [...ids] }, accountId } });
    },
    /**
     * A slice of the account's records, by cursor, oldest first; `total` counts them when it is called.
     * @throws DomainError VALIDATION
     */
    connection(lists: ListReader, { accountId }: Actor, input: EdgesInput): Promise<Connection<Row>> {
      return readConnection(lists, byCreation(table, is('accountId', accountId)), input);
    },
  };
}

/** The columns that all new records of accounts have; a restored record also has its id. */
export interface CommonColumns {
  readonly id?: number;
  readonly accountId: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A deleted record that comes back. */
export interface RestoredRecord {
  readonly id: number;
  readonly createdAt: Date;
}

/**
 * Creates a record of the writer's account, and records which of the given fields it has.
 * @param create gets the columns that all kinds have
 */
export function createOwned<Row extends { id: number }>(
  db: Data,
  { kind, fields, details }: Kind<Row, never>,
  writer: Writer,
  now: Date,
  given: object,
  create: (tx: Transaction, common: CommonColumns) => Promise<Row>,
  restored?: RestoredRecord,
): Promise<Row> {
  return recordingChanges(db, writer, now, async ({ tx, record }) => {
    const { accountId } = writer;
    const row = await create(tx, { accountId, createdAt: now, updatedAt: now, ...restored });
    await record('CREATED', kind, [row.id], fieldsSet(given, fields), details?.(row));
    return row;
  });
}

/**
 * Makes sure that the account may have one more record of a kind, and locks it against concurrent additions.
 * @param count counts the records
 * @throws the refusal
 */
export async function requireRoom(
  tx: Transaction,
  accountId: number,
  max: number,
  count: () => PromiseLike<number>,
  refusal: () => DomainError,
): Promise<void> {
  await tx.lockRow('Account', accountId);
  if ((await count()) >= max) throw refusal();
}

interface UpdateOptions<Row, Columns> {
  /** Work in the same transaction before the record is locked, such as locking what the caller's access depends on. */
  before?(tx: Transaction): Promise<void>;
  /** The expected time of the last change; null for any. */
  readonly ifUpdatedAt?: Date | null;
  /** Further work in the same transaction, also if nothing changes. */
  inTransaction?(changing: Changing, row: Row): Promise<void>;
  /** The values that the log keeps, given the record before; none by default. */
  values?(row: Row, changes: Partial<Columns>): KeptValues | null;
}

/**
 * Changes the account's own record, under a lock, and records which fields have changed; if none has, nothing is written,
 * not even the time of the last change.
 * @param decide returns what to set, given the current record
 * @throws DomainError NOT_FOUND, CONFLICT
 */
export async function updateOwned<Row extends { updatedAt: Date }, Columns extends object>(
  db: Data,
  { kind, what, table, fields, rows, details }: Kind<Row, Columns>,
  actor: Actor,
  id: string,
  now: Date,
  decide: (row: Row) => Columns,
  { ifUpdatedAt = null, before, inTransaction, values }: UpdateOptions<Row, Columns> = {},
): Promise<Row> {
  const where = owned(actor, id);
  if (where === null) throw notFound(what);
  return recordingChanges(db, actor, now, async (changing) => {
    const { tx, record } = changing;
    await before?.(tx);
    await tx.lockRow(table, where.id);
    const row = await rows(tx).findUnique({ where });
    if (row === null) throw notFound(what);
    requireUnchanged(row, ifUpdatedAt);
    await inTransaction?.(changing, row);
    const changes = changedColumns(row, decide(row));
    if (Object.keys(changes).length === 0) return row;
    const updated = await rows(tx).update({
      where,
      data: { ...changes, updatedAt: timeOfChange(row, now) },
    });
    await record('UPDATED', kind, [where.id], changedFields(changes, fields), {
      ...details?.(updated),
      values: values?.(row, changes) ?? null,
    });
    return updated;
  });
}

/** The parts of a kind of record that a deletion needs. */
type DeletedKind = Pick<Kind<unknown, never>, 'kind' | 'what' | 'rows' | 'deletedValues'>;

/**
 * Deletes the account's own record, and returns its id.
 * @param first further work in the same transaction, before the deletion
 * @throws DomainError NOT_FOUND
 */
export async function deleteOwned(
  db: Data,
  kind: DeletedKind,
  actor: Actor,
  id: string,
  now: Date,
  first?: (changing: Changing, id: number) => Promise<void>,
): Promise<number> {
  const where = owned(actor, id);
  if (where === null) throw notFound(kind.what);
  return recordingChanges(db, actor, now, async (changing) => {
    await first?.(changing, where.id);
    return deleteLocked(changing, kind, where);
  });
}

/** Where the account's record with an id is. @throws DomainError NOT_FOUND if there is none */
export async function whereOwned(
  db: Data,
  { what, rows }: Pick<Kind<unknown, never>, 'what' | 'rows'>,
  actor: Actor,
  id: string,
): Promise<Where> {
  const where = owned(actor, id);
  if (where === null || (await rows(db).findUnique({ where })) === null) throw notFound(what);
  return where;
}

/**
 * Locks a record in a transaction, also against new references.
 * @param where what `owned` returns
 * @throws DomainError NOT_FOUND
 */
export async function lockOwned(
  tx: Transaction,
  { what, table, rows }: Pick<Kind<unknown, never>, 'what' | 'table' | 'rows'>,
  where: Where,
): Promise<void> {
  await tx.lockRow(table, where.id, { deleting: true });
  if ((await rows(tx).findUnique({ where })) === null) throw notFound(what);
}

/** Deletes a record in a transaction, and returns its id. @throws DomainError NOT_FOUND */
export async function deleteLocked(
  { tx, record }: Changing,
  { kind, what, rows, deletedValues }: DeletedKind,
  where: Where,
): Promise<number> {
  const values = (await deletedValues?.(tx, where)) ?? null;
  await record('DELETED', kind, [where.id], [], { values });
  const { count } = await rows(tx).deleteMany({ where });
  if (count === 0) throw notFound(what);
  return where.id;
}
