import { z } from 'zod';
import type { Data } from '../db/database.ts';
import { takeLinksFromSpace } from '../db/links.ts';
import { type Column, countOf, is, isSince, type List } from '../db/reading/keyset.ts';
import type { ListReader } from '../db/reading/list-reader.ts';
import type { Space } from '../generated/sqlite/client.ts';
import type { Actor, Writer } from './access/actor.ts';
import { createOwned, deleteOwned, type Kind, readersOf, updateOwned } from './access/ownership.ts';
import { parseIfUpdatedAt } from './change/change.ts';
import { foldCase, integerOf, parseInput, plainKeyOf, textOf, type Unparsed, withDefault } from './input.ts';
import {
  type Connection,
  type EdgesInput,
  orderInput,
  type Page,
  pageInput,
  readConnection,
  readPage,
  searchInput,
  updatedSince,
} from './pagination.ts';

export type { Space };

const kind = {
  kind: 'SPACE',
  what: 'space',
  table: 'Space',
  fields: {},
  rows: (tx) => tx.prisma.space,
} satisfies Kind<Space, Partial<Space>>;

export const { find: findSpace, findMany: findSpaces } = readersOf<Space>(kind);

const name = textOf(1, 255).describe('The name, 1 to 255 characters.');
const color = integerOf(1, 6).describe('One of six colours, 1 to 6.');

export const createSpaceInput = z.object({ name, color: withDefault(color, 1) });
export const updateSpaceInput = z.object({ name: name.optional(), color: color.optional() });

const columns = {
  ID: { name: 'id', type: 'number' },
  NAME: { name: 'nameKey', type: 'text' },
  UPDATED_AT: { name: 'updatedAt', type: 'timestamp' },
} satisfies Record<string, Column>;

export const spaceOrderFields = {
  ID: 'The order of creation.',
  NAME: 'The name, case-insensitive.',
  UPDATED_AT: 'When they were last changed.',
} as const;

export const spaceFilter = z.object({
  search: searchInput.describe('Only spaces whose name contains this text, case-insensitive.'),
  updatedSince,
});
/** The filter and order of spaces: by default all, newest first. */
const selection = {
  filter: withDefault(spaceFilter, {}),
  orderBy: orderInput(spaceOrderFields, 'ID', 'DESC'),
};
const spacesInput = z.object(selection);
export const spacePageInput = pageInput.extend(selection);

function listOf(lists: ListReader, actor: Actor, { filter, orderBy }: z.output<typeof spacesInput>): List {
  const where = [is('accountId', actor.accountId)];
  if (filter.search) where.push(lists.contains('nameKey', foldCase(filter.search)));
  if (filter.updatedSince) where.push(isSince('updatedAt', filter.updatedSince.at));
  return {
    table: 'Space',
    where,
    orderBy: columns[orderBy.field],
    descending: orderBy.direction === 'DESC',
    needsScan: Boolean(filter.search),
  };
}

/**
 * One numbered page of the account's spaces, with its total, in one statement.
 * @throws DomainError VALIDATION
 */
export async function spacePage(
  lists: ListReader,
  actor: Actor,
  input: Unparsed<typeof spacePageInput>,
): Promise<Page<Space>> {
  const parsed = parseInput(spacePageInput, input);
  const list = listOf(lists, actor, parsed);
  return readPage<Space>(lists, list, parsed, countOf(list));
}

/**
 * A slice of the account's spaces by cursor; `total` counts them when it is called.
 * @throws DomainError VALIDATION
 */
export async function spaceConnection(
  lists: ListReader,
  actor: Actor,
  input: EdgesInput & Unparsed<typeof spacesInput>,
): Promise<Connection<Space>> {
  const parsed = parseInput(spacesInput, input);
  const list = listOf(lists, actor, parsed);
  return readConnection(lists, list, input);
}

function nameKeys(name: string) {
  const nameKey = foldCase(name);
  return { nameKey, plainKey: plainKeyOf(nameKey) };
}

/** @throws DomainError VALIDATION */
export async function createSpace(
  db: Data,
  actor: Writer,
  input: Unparsed<typeof createSpaceInput>,
  now: Date,
): Promise<Space> {
  const fields = parseInput(createSpaceInput, input);
  return createOwned(db, kind, actor, now, fields, (tx, common) =>
    tx.prisma.space.create({ data: { ...fields, ...nameKeys(fields.name), ...common } }),
  );
}

/**
 * Changes the given fields; without any, the space stays as it is.
 * @param ifUpdatedAt the expected time of its last change, in ISO 8601; any time by default
 * @throws DomainError VALIDATION, NOT_FOUND, CONFLICT
 */
export async function updateSpace(
  db: Data,
  actor: Actor,
  id: string,
  input: Unparsed<typeof updateSpaceInput>,
  now: Date,
  ifUpdatedAt?: string | null,
): Promise<Space> {
  const seen = parseIfUpdatedAt(ifUpdatedAt);
  const fields = parseInput(updateSpaceInput, input);
  const keys = fields.name === undefined ? {} : nameKeys(fields.name);
  return updateOwned(db, kind, actor, id, now, () => ({ ...fields, ...keys }), { ifUpdatedAt: seen });
}

/**
 * Deletes the space and returns its id. Its links stay, without a space.
 * @throws DomainError NOT_FOUND
 */
export async function deleteSpace(db: Data, actor: Actor, id: string, now: Date): Promise<number> {
  return deleteOwned(db, kind, actor, id, now, async ({ tx, record }, spaceId) => {
    await tx.lockRow('Space', spaceId, { deleting: true });
    const changed = await takeLinksFromSpace(tx, actor, spaceId, now);
    await record('UPDATED', 'LINK', changed, ['space']);
  });
}
