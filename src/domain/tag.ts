import { z } from 'zod';
import { listGroups } from '../db/change-groups.ts';
import type { Data, Transaction } from '../db/database.ts';
import { idsOfTags, linksWithTags, lockTags, replaceTags } from '../db/tags.ts';
import { MAX_WRITTEN_LINKS, MAX_WRITTEN_ROWS } from '../db/written-limits.ts';
import type { ListReader } from '../engine/lists/list-reader.ts';
import { type Connection, type EdgesInput, readConnection } from '../engine/lists/pagination.ts';
import type { Writer } from '../engine/rules/caller.ts';
import { invalidField, notFound } from '../engine/rules/errors.ts';
import { idSchema, listSchema, MAX_BATCH, parseInput, type Unparsed } from '../engine/rules/input.ts';
import type { Tag } from '../generated/sqlite/client.ts';
import { type Actor, owned } from './access/actor.ts';
import {
  type CommonColumns,
  createOwned,
  createReaders,
  type Kind,
  type RestoredRecord,
  requireRoom,
  updateOwned,
  whereOwned,
} from './access/ownership.ts';
import { type Changing, parseIfUpdatedAt } from './change/change.ts';
import type { ChangedText } from './change/values.ts';
import { emptyAndDelete } from './empty-record.ts';
import { unknownIds } from './link/check.ts';
import { MAX_TAGS as MAX_TAGS_OF_LINK, wrongTag } from './link/fields.ts';
import { keepLists } from './link/values.ts';
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
  whereNameIsFree,
} from './name-and-color.ts';
import { refusal } from './rules.ts';

export type { Tag };

const kind = {
  kind: 'TAG',
  what: 'tag',
  table: 'Tag',
  fields: {},
  rows: (tx) => tx.prisma.tag,
} satisfies Kind<Tag, Partial<Tag>>;

export const { find: findTag, findMany: findTags } = createReaders<Tag>(kind);

export const { filter: tagFilter, selection } = namedSelection('tags');
const tagsInput = z.object(selection);

/** Maximum number of tags of an account. */
const MAX_TAGS = 5_000;
export const noRoom = refusal('TAGS_OF_ACCOUNT', { max: MAX_TAGS });

/**
 * A slice of the account's tags by cursor; `total` counts them when it is called.
 * @throws DomainError VALIDATION
 */
export async function tagConnection(
  lists: ListReader,
  actor: Actor,
  input: EdgesInput & Unparsed<typeof tagsInput>,
): Promise<Connection<Tag>> {
  return readConnection(lists, namedList('Tag', lists, actor, parseInput(tagsInput, input)), input);
}

/** Number of tags that the account may still add. */
export async function roomForTags(db: Data, accountId: number): Promise<number> {
  return MAX_TAGS - (await db.prisma.tag.count({ where: { accountId } }));
}

const taken = refusal('TAG_TAKEN');

/** @param restored a deleted tag that comes back @throws DomainError VALIDATION */
export async function createTag(
  db: Data,
  actor: Writer,
  input: Unparsed<typeof createNamedInput>,
  now: Date,
  restored?: RestoredRecord,
): Promise<Tag> {
  const fields = parseInput(createNamedInput, input);
  const create = async (tx: Transaction, common: CommonColumns) => {
    const { accountId } = actor;
    const count = () => tx.prisma.tag.count({ where: { accountId } });
    await requireRoom(tx, accountId, MAX_TAGS, count, () => invalidField('name', noRoom));
    return tx.prisma.tag.create({ data: { ...fields, ...foldName(fields.name), ...common } });
  };
  return whereNameIsFree(createOwned(db, kind, actor, now, fields, create, restored), taken);
}

/**
 * Changes the given fields; without any, the tag stays as it is.
 * @param ifUpdatedAt the expected time of its last change, in ISO 8601; any time by default
 * @param reverts values that another change gave the fields, which they must still have
 * @throws DomainError VALIDATION, NOT_FOUND, CONFLICT
 */
export async function updateTag(
  db: Data,
  actor: Actor,
  id: string,
  input: Unparsed<typeof updateNamedInput>,
  now: Date,
  ifUpdatedAt?: string | null,
  reverts: readonly ChangedText[] = [],
): Promise<Tag> {
  const seen = parseIfUpdatedAt(ifUpdatedAt);
  const fields = parseInput(updateNamedInput, input);
  const update = updateOwned(db, kind, actor, id, now, nameColumnsAfter(fields, reverts), {
    ifUpdatedAt: seen,
    values: (row: Tag, changes) => keepNamedUpdate(row, changes),
  });
  return whereNameIsFree(update, taken);
}

/** The most rows of links' tags that one transaction writes, beside a change with values of each link and of each tag. */
const MAX_TAGS_OF_LINKS = MAX_WRITTEN_ROWS - 3 * MAX_WRITTEN_LINKS;

/**
 * Takes tags from their links, and deletes them.
 * @param into a tag that the links get instead
 * @param lock locks the tags @throws DomainError
 */
async function emptyTags(
  db: Data,
  work: LongWork,
  actor: Actor,
  now: Date,
  tagIds: readonly number[],
  into: number | null,
  lock: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const rowsOfLink = Math.min(tagIds.length, MAX_TAGS_OF_LINK) + (into === null ? 0 : 1);
  const [only] = tagIds;
  const isMerged = into !== null || only === undefined;
  return emptyAndDelete(db, work, actor, now, {
    taken: isMerged ? null : { kind: 'TAG', recordId: only },
    rowsOfLink,
    max: Math.min(MAX_WRITTEN_LINKS, Math.floor(MAX_TAGS_OF_LINKS / rowsOfLink)),
    linksAfter: (data, after, max) => linksWithTags(data, tagIds, after, max),
    lock: ({ tx }) => lock(tx),
    async take({ tx, record }, ids) {
      const added = into === null ? [] : [into];
      const moreGroups = listGroups({ tags: added });
      return replaceTags(tx, tagIds, ids, into, now, async (tagsBefore) => {
        const stays = (id: number) => !tagIds.includes(id);
        const values = keepLists('tags', tagsBefore, stays, { added, isFinal: isMerged });
        await record('UPDATED', 'LINK', [...values.keys()], ['tags'], { moreGroups, values });
      });
    },
    async delete({ tx, record }, linkIds) {
      const where = { id: { in: [...tagIds] } };
      const rows = await tx.prisma.tag.findMany({ where });
      const values = new Map(rows.map((row) => [row.id, keepNamedDeletion(row, linkIds)]));
      await tx.prisma.tag.deleteMany({ where });
      await record('DELETED', 'TAG', tagIds, [], { values });
    },
  });
}

/**
 * Deletes the tag, also from its links, and returns its id. Of many links, it is first taken in slices.
 * @param before further work in each transaction, while the tag is locked
 * @throws DomainError NOT_FOUND, and the errors of `emptyAndDelete`
 */
export async function deleteTag(
  db: Data,
  work: LongWork,
  actor: Actor,
  id: string,
  now: Date,
  before?: (tx: Transaction) => Promise<void>,
): Promise<number> {
  const tag = await whereOwned(db, kind, actor, id);
  await emptyTags(db, work, actor, now, [tag.id], null, async (tx) => {
    if (!(await lockTags(tx, actor, [tag.id])).has(tag.id)) throw notFound('tag');
    await before?.(tx);
  });
  return tag.id;
}

const mergeInput = z.object({
  ids: listSchema(idSchema(wrongTag), MAX_BATCH).refine((ids) => ids.length > 0, refusal('TAG_MISSING')),
});

/**
 * Gives all links of some tags another one instead, and deletes those tags. Many links get it in slices.
 * @throws DomainError VALIDATION, NOT_FOUND if there is no tag to merge into, and the errors of `emptyAndDelete`
 */
export async function mergeTags(
  db: Data,
  work: LongWork,
  actor: Actor,
  given: { readonly ids: readonly (string | number)[]; readonly into: string | number },
  now: Date,
): Promise<Tag> {
  const { ids } = parseInput(mergeInput, { ids: given.ids.map(String) });
  const where = owned(actor, String(given.into));
  if (where === null) throw notFound('tag');
  if (ids.includes(where.id)) throw invalidField('ids', refusal('TAG_MERGED'));
  const merged = [...new Set(ids)];
  const requireAll = (found: ReadonlySet<number>) => {
    if (!found.has(where.id)) throw notFound('tag');
    const unknown = unknownIds('TAG', ids, found);
    if (unknown !== null) throw invalidField('ids', unknown);
  };
  const all = [...merged, where.id];
  requireAll(new Set((await findTags(db, actor, all)).map(({ id }) => id)));
  await emptyTags(db, work, actor, now, merged, where.id, async (tx) =>
    requireAll(await lockTags(tx, actor, all)),
  );
  const tag = await db.prisma.tag.findUnique({ where });
  if (tag === null) throw notFound('tag');
  return tag;
}

/** A tag by its name, as an import has it. */
export interface NamedTag {
  readonly name: string;
  /** For a new one; null for the first colour. */
  readonly color: number | null;
}

/** The ids of the tags with these names, by their case-folded names; those that the account does not have are made. */
export async function tagsNamed(
  { tx, record }: Changing,
  { accountId }: Writer,
  wanted: ReadonlyMap<string, NamedTag>,
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const known = await idsOfTags(tx, accountId, [...wanted.keys()]);
  const missing = [...wanted].filter(([nameKey]) => !known.has(nameKey));
  if (missing.length === 0) return known;
  const times = { createdAt: now, updatedAt: now };
  const rows = missing.map(([, { name, color }]) => ({
    ...{ accountId, name, ...foldName(name), color: color ?? 1, ...times },
  }));
  const ids = await tx.insertMany('Tag', rows);
  await record('CREATED', 'TAG', ids, ['name', 'color']);
  return new Map([...known, ...missing.map(([nameKey], index) => [nameKey, ids[index] ?? 0] as const)]);
}
