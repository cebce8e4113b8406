import { z } from 'zod';
import { listGroups } from '../db/change-groups.ts';
import type { Data, Transaction } from '../db/database.ts';
import { linksInSpace, takeLinksFromSpace } from '../db/links.ts';
import type { ListReader } from '../engine/lists/list-reader.ts';
import { countSql } from '../engine/lists/list-statements.ts';
import {
  type Connection,
  type EdgesInput,
  type Page,
  pageInput,
  readConnection,
  readPage,
} from '../engine/lists/pagination.ts';
import type { Writer } from '../engine/rules/caller.ts';
import { invalidField } from '../engine/rules/errors.ts';
import { parseInput, type Unparsed } from '../engine/rules/input.ts';
import type { Space } from '../generated/sqlite/client.ts';
import type { Actor } from './access/actor.ts';
import {
  type CommonColumns,
  createOwned,
  createReaders,
  type Kind,
  type RestoredRecord,
  requireRoom,
  updateOwned,
} from './access/ownership.ts';
import { parseIfUpdatedAt } from './change/change.ts';
import type { ChangedText } from './change/values.ts';
import { emptyAndDeleteOwned } from './empty-record.ts';
import { keepUpdate } from './link/values.ts';
import type { LongWork } from './long-work.ts';
import {
  createNamedInput,
  foldName,
  keepNamedDeletion,
  keepNamedUpdate,
  nameColumnsAfter,
  namedList,
  namedSelection,
  updateNamedInput,
} from './name-and-color.ts';
import { refusal } from './rules.ts';

export type { Space };

const kind = {
  kind: 'SPACE',
  what: 'space',
  table: 'Space',
  fields: {},
  rows: (tx) => tx.prisma.space,
} satisfies Kind<Space, Partial<Space>>;

export const { find: findSpace, findMany: findSpaces } = createReaders<Space>(kind);

/** Maximum number of spaces of an account. */
export const MAX_SPACES = 10_000;
export const noRoomForSpaces = refusal('SPACES_OF_ACCOUNT', { max: MAX_SPACES });

export const { filter: spaceFilter, selection } = namedSelection('spaces');
const spacesInput = z.object(selection);
export const spacePageInput = pageInput.extend(selection);

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
  const list = namedList('Space', lists, actor, parsed);
  return readPage<Space>(lists, list, parsed, countSql(list));
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
  const list = namedList('Space', lists, actor, parsed);
  return readConnection(lists, list, input);
}

/** @param restored a deleted space that comes back @throws DomainError VALIDATION */
export async function createSpace(
  db: Data,
  actor: Writer,
  input: Unparsed<typeof createNamedInput>,
  now: Date,
  restored?: RestoredRecord,
): Promise<Space> {
  const fields = parseInput(createNamedInput, input);
  const { accountId } = actor;
  const create = async (tx: Transaction, common: CommonColumns) => {
    const count = () => tx.prisma.space.count({ where: { accountId } });
    await requireRoom(tx, accountId, MAX_SPACES, count, () => invalidField('name', noRoomForSpaces));
    return tx.prisma.space.create({ data: { ...fields, ...foldName(fields.name), ...common } });
  };
  return createOwned(db, kind, actor, now, fields, create, restored);
}

/**
 * Changes the given fields; without any, the space stays as it is.
 * @param ifUpdatedAt the expected time of its last change, in ISO 8601; any time by default
 * @param reverts values that another change gave the fields, which they must still have
 * @throws DomainError VALIDATION, NOT_FOUND, CONFLICT
 */
export async function updateSpace(
  db: Data,
  actor: Actor,
  id: string,
  input: Unparsed<typeof updateNamedInput>,
  now: Date,
  ifUpdatedAt?: string | null,
  reverts: readonly ChangedText[] = [],
): Promise<Space> {
  const seen = parseIfUpdatedAt(ifUpdatedAt);
  const fields = parseInput(updateNamedInput, input);
  return updateOwned(db, kind, actor, id, now, nameColumnsAfter(fields, reverts), {
    ifUpdatedAt: seen,
    values: (row: Space, changes) => keepNamedUpdate(row, changes),
  });
}

/**
 * Deletes the space and returns its id. Its links stay, without a space. Many links are first taken out of it in slices.
 * @param before further work in each transaction, while the space is locked
 * @throws DomainError NOT_FOUND, and the errors of `emptyAndDelete`
 */
export async function deleteSpace(
  db: Data,
  work: LongWork,
  actor: Actor,
  id: string,
  now: Date,
  before?: (tx: Transaction) => Promise<void>,
): Promise<number> {
  return emptyAndDeleteOwned(db, work, kind, actor, id, now, (space) => ({
    before,
    taken: { kind: 'SPACE', recordId: space.id },
    linksAfter: (data, after, max) => linksInSpace(data, actor, space.id, after, max),
    async take({ tx, record }, ids) {
      const taken = await takeLinksFromSpace(tx, actor, space.id, ids, now);
      const values = keepUpdate(['space'], { spaceId: space.id }, { spaceId: null });
      const moreGroups = listGroups({ spaces: [space.id] });
      await record('UPDATED', 'LINK', taken, ['space'], { moreGroups, values });
      return taken;
    },
    values: async ({ tx }, linkIds) =>
      keepNamedDeletion(await tx.prisma.space.findUniqueOrThrow({ where: space }), linkIds),
  }));
}
