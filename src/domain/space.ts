import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { contains, countOf, type List, readNumber, readRowsAndTotal, type Sql, sql } from '../db/list.ts';
import type { Space } from '../generated/sqlite/client.ts';
import type { Actor } from './actor.ts';
import { foldCase } from './fold.ts';
import { integerOf, parseInput, textOf, type Unparsed, withDefault } from './input.ts';
import { type Edges, type EdgesInput, type Page, pageInput, readEdges, searchInput } from './list.ts';
import { deleteOwned, updateOwned } from './owned.ts';

export type { Space };

const name = textOf(1, 255);
const color = integerOf(1, 6);

export const createSpaceInput = z.object({ name, color: withDefault(color, 1) });
export const updateSpaceInput = z.object({ name: name.optional(), color: color.optional() });

const columns = { ID: 'id', NAME: 'nameKey' } as const;

const spaceFilter = z.object({ search: searchInput });
const spaceOrder = z.object({
  field: z.enum(['ID', 'NAME']).default('ID'),
  direction: z.enum(['ASC', 'DESC']).default('DESC'),
});
/** Which spaces, in which order: by default all of them, the newest first. */
const selection = {
  filter: withDefault(spaceFilter, {}),
  orderBy: withDefault(spaceOrder, spaceOrder.parse({})),
};
const spacesInput = z.object(selection);
export const spacePageInput = pageInput.extend(selection);

function listOf(actor: Actor, { filter, orderBy }: z.output<typeof spacesInput>): List {
  const where = [sql`"accountId" = ${actor.accountId}`];
  if (filter.search) where.push(contains('nameKey', foldCase(filter.search)));
  return { table: 'Space', where, orderBy: columns[orderBy.field], descending: orderBy.direction === 'DESC' };
}

/** The number of spaces: kept with the account where nothing narrows it, so that it costs no scan; else counted. */
function totalOf(actor: Actor, list: List, narrowed: boolean): Sql {
  if (narrowed) return countOf(list);
  return sql`(SELECT "spaceCount" FROM "Account" WHERE "id" = ${actor.accountId})`;
}

/**
 * One numbered page of the account's spaces, with its total, in one statement.
 * @throws DomainError VALIDATION
 */
export async function pageOfSpaces(
  db: Db,
  actor: Actor,
  input: Unparsed<typeof spacePageInput>,
): Promise<Page<Space>> {
  const { page, perPage, ...which } = parseInput(spacePageInput, input);
  const list = listOf(actor, which);
  const window = { limit: perPage, offset: (page - 1) * perPage };
  const counted = totalOf(actor, list, Boolean(which.filter.search));
  const { rows, total } = await readRowsAndTotal<Space>(db, list, window, counted);
  return { items: rows, total, page, perPage, pageCount: Math.max(1, Math.ceil(total / perPage)) };
}

/**
 * A stretch of the account's spaces by cursor; `total` counts them when it is called.
 * @throws DomainError VALIDATION
 */
export async function edgesOfSpaces(
  db: Db,
  actor: Actor,
  input: EdgesInput & Unparsed<typeof spacesInput>,
): Promise<Edges<Space> & { total(): Promise<number> }> {
  const which = parseInput(spacesInput, { filter: input.filter, orderBy: input.orderBy });
  const list = listOf(actor, which);
  const edges = await readEdges<Space>(db, list, input);
  return { ...edges, total: () => readNumber(db, totalOf(actor, list, Boolean(which.filter.search))) };
}

/** @throws DomainError VALIDATION */
export async function createSpace(
  db: Db,
  actor: Actor,
  input: Unparsed<typeof createSpaceInput>,
  now: Date,
): Promise<Space> {
  const fields = parseInput(createSpaceInput, input);
  const owner = { accountId: actor.accountId, nameKey: foldCase(fields.name) };
  return db.space.create({ data: { ...fields, ...owner, createdAt: now, updatedAt: now } });
}

/**
 * Changes the fields that are there; without any, the space stays as it is.
 * @throws DomainError VALIDATION, NOT_FOUND
 */
export async function updateSpace(
  db: Db,
  actor: Actor,
  id: string,
  input: Unparsed<typeof updateSpaceInput>,
  now: Date,
): Promise<Space> {
  const fields = parseInput(updateSpaceInput, input);
  const nameKey = fields.name === undefined ? undefined : foldCase(fields.name);
  return updateOwned(db.space, 'space', actor, id, { ...fields, nameKey }, now);
}

/**
 * Deletes the space and returns its id.
 * @throws DomainError NOT_FOUND
 */
export async function deleteSpace(db: Db, actor: Actor, id: string): Promise<number> {
  return deleteOwned(db.space, 'space', actor, id);
}
