import type { Db } from '../db/connection/client.ts';
import { lockRow, type Tx } from '../db/connection/transaction.ts';
import { type Actor, owned } from './access/actor.ts';
import {
  type Changing,
  differing,
  type FieldNames,
  fieldsOf,
  type RecordKind,
  recordingChanges,
} from './change/change.ts';
import { notFound } from './errors.ts';
import { requireUnchanged, timeOfChange } from './unchanged.ts';

type Where = { id: number; accountId: number };

/** What of Prisma's tables these verbs need. */
interface Table<Row, Data> {
  findUnique(args: { where: Where }): PromiseLike<Row | null>;
  update(args: { where: Where; data: Partial<Data> & { updatedAt: Date } }): PromiseLike<Row>;
}

/** A kind of records that accounts own. */
export interface Kind<Row, Data> {
  readonly kind: RecordKind;
  /** What it is called in an error. */
  readonly what: string;
  readonly table: 'Link' | 'Space' | 'Domain' | 'Pixel' | 'Webhook';
  /** What the schema calls its columns; those that it does not know are not told of. */
  readonly fields: FieldNames;
  rows(tx: Tx): Table<Row, Data>;
}

/**
 * Changes the account's own record and records which fields have other values now; where none has, it stays as it is, the
 * time of its last change included. Nobody else changes it meanwhile.
 * @param decide what to set, of the record as it is
 * @param ifUpdatedAt when the record must have been changed last; null for whenever
 * @throws DomainError NOT_FOUND, CONFLICT
 */
export async function updateOwned<Row extends { updatedAt: Date }, Data extends object>(
  db: Db,
  { kind, what, table, fields, rows }: Kind<Row, Data>,
  actor: Actor,
  id: string,
  now: Date,
  decide: (row: Row) => Data,
  ifUpdatedAt: Date | null = null,
): Promise<Row> {
  const where = owned(actor, id);
  if (where === null) throw notFound(what);
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    await lockRow(tx, table, where.id);
    const row = await rows(tx).findUnique({ where });
    if (row === null) throw notFound(what);
    requireUnchanged(row, ifUpdatedAt);
    const changes = differing(row, decide(row));
    if (Object.keys(changes).length === 0) return row;
    const updated = await rows(tx).update({
      where,
      data: { ...changes, updatedAt: timeOfChange(row, ifUpdatedAt, now) },
    });
    await record('UPDATED', kind, [where.id], fieldsOf(changes, fields));
    return updated;
  });
}

/**
 * Deletes the account's own record, and returns its id.
 * @param first what else to do in the same transaction, before
 * @throws DomainError NOT_FOUND
 */
export async function deleteOwned(
  db: Db,
  {
    kind,
    what,
    rows,
  }: Pick<Kind<unknown, never>, 'kind' | 'what'> & {
    rows(tx: Tx): { deleteMany(args: { where: Where }): PromiseLike<{ count: number }> };
  },
  actor: Actor,
  id: string,
  now: Date,
  first?: (changing: Changing, id: number) => Promise<void>,
): Promise<number> {
  const where = owned(actor, id);
  if (where === null) throw notFound(what);
  return recordingChanges(db, actor, now, async (changing) => {
    await first?.(changing, where.id);
    const { count } = await rows(changing.tx).deleteMany({ where });
    if (count === 0) throw notFound(what);
    await changing.record('DELETED', kind, [where.id]);
    return where.id;
  });
}
