import { retryConflicts } from '../db/retry.ts';
import { type Actor, owned } from './actor.ts';
import { notFound } from './errors.ts';

type Where = { id: number; accountId: number };

/** What of Prisma's tables these verbs need. */
interface Table<Row, Data> {
  findMany(args: { where: Where }): PromiseLike<Row[]>;
  updateManyAndReturn(args: { where: Where; data: Data & { updatedAt: Date } }): PromiseLike<Row[]>;
  deleteMany(args: { where: Where }): PromiseLike<{ count: number }>;
}

/**
 * Changes the account's own record, and returns it. Without any field it stays as it is, the time of its last change
 * included. `what` names the kind of record in an error.
 * @throws DomainError NOT_FOUND
 */
export async function updateOwned<Row, Data extends object>(
  table: Table<Row, Data>,
  what: string,
  actor: Actor,
  id: string,
  data: Data,
  now: Date,
): Promise<Row> {
  const where = owned(actor, id);
  if (where === null) throw notFound(what);
  const changes = Object.values(data).some((value) => value !== undefined);
  const [row] = changes
    ? await retryConflicts(() => table.updateManyAndReturn({ where, data: { ...data, updatedAt: now } }))
    : await table.findMany({ where });
  if (row === undefined) throw notFound(what);
  return row;
}

/**
 * Deletes the account's own record, and returns its id.
 * @throws DomainError NOT_FOUND
 */
export async function deleteOwned(
  table: Pick<Table<unknown, never>, 'deleteMany'>,
  what: string,
  actor: Actor,
  id: string,
): Promise<number> {
  const where = owned(actor, id);
  if (where === null) throw notFound(what);
  const { count } = await retryConflicts(() => table.deleteMany({ where }));
  if (count === 0) throw notFound(what);
  return where.id;
}
