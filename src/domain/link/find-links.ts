// Reads an account's links: filters and orders (`linkFilter`), pages (`linkPage`), cursors (`linkConnection`), and single links
// by id or short URL. `listFor` makes of a filter what `src/db/reading/link-list.ts` turns into SQL. Every list has only the
// account's own links.
import { z } from 'zod';
import type { SelectedLink } from '../../db/links.ts';
import type { AccountReader } from '../../db/reading/account-reader.ts';
import {
  archivedLinks,
  difference,
  hasExternalId,
  hasPixel,
  isServedAt,
  type LinkOrder,
  type LinkSelect,
  linksOfStatus,
  linksSql,
  linksTagged,
  type TagCondition,
} from '../../db/reading/link-list.ts';
import { hasStatus } from '../../db/reading/link-status.ts';
import { type Expression, is, isEarlier, isIn, isNull, isSince } from '../../engine/lists/conditions.ts';
import type { List } from '../../engine/lists/list-statements.ts';
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
} from '../../engine/lists/pagination.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import {
  choiceSchema,
  foldCase,
  foldMarks,
  idSchema,
  listSchema,
  longestFor,
  parseInput,
  textSchema,
  timestamp,
  trimPasted,
  type Unparsed,
  withDefault,
} from '../../engine/rules/input.ts';
import { normalHost } from '../../engine/rules/url.ts';
import { parseUrl } from '../../engine/tools/parse-url.ts';
import { readOnce } from '../../engine/tools/remembered.ts';
import { type Actor, owned } from '../access/actor.ts';
import { because, refusal } from '../rules.ts';
import { namesServing } from '../short-domain/host.ts';
import { listCandidates, type PathMeaning, readPath } from './alias.ts';
import { externalIdInput, MAX_EXTERNAL_ID, MAX_TAGS, wrongDomain, wrongSpace } from './fields.ts';
import { linkStatuses } from './status.ts';

export const linkSearchFields = {
  TITLE: 'The title.',
  ALIAS: 'The alias.',
  URL: 'The URL.',
  ANYWHERE:
    'Title, alias, URL, and names of the space and the tags. Each word, of at most 8, must be a part of one of them, whatever its accents.',
} as const;

const searchColumns = { TITLE: 'titleKey', ALIAS: 'aliasKey', URL: 'urlKey', ANYWHERE: 'anywhere' } as const;

/** Maximum number of words in a search for words anywhere. */
const MAX_WORDS = 8;

const splitWords = readOnce((search): readonly string[] => {
  const words = search.split(/\s+/).map(foldMarks);
  return [...new Set(words)].filter(Boolean);
});

export const linkOrderFields = {
  ID: 'The order of creation.',
  CLICKS: 'The number of clicks.',
  TITLE: 'The title, case-insensitive. Links without a title come last in both directions.',
  ALIAS: 'The alias, case-insensitive.',
  URL: 'The URL, case-insensitive.',
  UPDATED_AT: 'When they were last changed.',
} as const satisfies Record<LinkOrder, string>;

/** The choices which links a list has: archived ones, others or both. */
export const archivedFilters = {
  WITHOUT: 'Only links that are not archived.',
  ONLY: 'Only archived links.',
  WITH: 'Archived links and all others.',
} as const;

const tagIds = listSchema(
  idSchema(because(refusal('ID', { what: 'one of your tags' }), 'UNKNOWN_TAG', {})),
  MAX_TAGS,
).nullish();

const createdTime = (which: string) =>
  timestamp.meta({ format: 'date-time', description: `Only links that were created ${which}` }).nullish();

const linkFilterFields = z.object({
  search: searchInput.describe('Only links that contain this text, case-insensitive.'),
  searchBy: withDefault(choiceSchema(linkSearchFields).meta({ title: 'LinkSearchField' }), 'TITLE').describe(
    'The field that is searched.',
  ),
  status: choiceSchema(linkStatuses)
    .meta({ title: 'LinkStatus', description: 'Only links with this status.' })
    .nullish(),
  spaceId: idSchema(wrongSpace).nullish().describe('Only links in the space with this id.'),
  withoutSpace: z
    .boolean()
    .nullish()
    .describe('If true, only links without a space; if false, no condition.'),
  domainId: idSchema(wrongDomain).nullish().describe('Only links on the domain with this id.'),
  externalIdPrefix: textSchema(0, MAX_EXTERNAL_ID, (text) => text)
    .nullish()
    .describe('Only links with an external id that begins with this text, case-sensitive.'),
  pixelId: idSchema(because(refusal('ID', { what: 'one of your pixels' }), 'UNKNOWN_PIXEL', {}))
    .nullish()
    .describe('Only links with the pixel with this id.'),
  tags: z
    .object({
      any: tagIds.describe('Links must have at least one of these tags.'),
      all: tagIds.describe('Links must have all of these tags.'),
      none: tagIds.describe('Links must have none of these tags.'),
    })
    .meta({
      title: 'LinkTagFilter',
      description: 'A condition on the tags of links. Empty lists are no conditions.',
    })
    .nullish()
    .describe('Only links with such tags.'),
  archived: choiceSchema(archivedFilters)
    .meta({
      title: 'ArchivedFilter',
      description:
        'Whether the list has archived links. By default it does not, unless `search` or `updatedSince` is given.',
    })
    .nullish(),
  createdFrom: createdTime('at this time or later: ISO 8601 with an offset from UTC.'),
  createdUntil: createdTime('before this time.'),
  updatedSince,
});

export const linkFilter = linkFilterFields.superRefine(({ search, searchBy }, context) => {
  const words = searchBy === 'ANYWHERE' ? splitWords(search ?? '').length : 0;
  if (words <= MAX_WORDS) return;
  context.addIssue({ ...refusal('MAX_WORDS', { max: MAX_WORDS, words }).issue, path: ['search'] });
});

/** The filter and order of links: by default all, newest first. */
const selection = {
  filter: withDefault(linkFilter, linkFilter.parse({})),
  orderBy: orderInput(linkOrderFields, 'ID', 'DESC'),
};
const linksInput = z.object(selection);
export const linkPageInput = pageInput.extend(selection);

type Filter = z.output<typeof linkFilter>;
/** Whose links a list has, if it is not the account. */
export interface LinksOf {
  readonly spaceId?: number;
  readonly tagId?: number;
}

/** The tags that links must have; undefined for any. */
function tagCondition({ tags }: Filter, tagId: number | undefined): TagCondition | undefined {
  const { any: given, all, none } = tags ?? {};
  const any = given ?? [];
  // One of one is all.
  const needed = [tagId, ...(all ?? []), ...(any.length === 1 ? any : [])].filter((id) => id !== undefined);
  const found = { any: any.length === 1 ? [] : any, all: [...new Set(needed)], none: none ?? [] };
  return Object.values(found).some((ids) => ids.length > 0) ? found : undefined;
}

const NOT_READY =
  'Links of an earlier version are still being prepared for searches ANYWHERE. Try again in a few minutes, or search one field.';

/** The maximum `totalCount` of a search that no index covers, or anywhere. */
export const MAX_COUNTED = 1_000;

/**
 * The conditions of the filter except the space; `isSelective` if an index leaves only few links to check, `indexed` if an
 * index covers the search.
 */
async function buildConditions(
  lists: AccountReader,
  { accountId }: Actor,
  { search, searchBy, status, domainId, externalIdPrefix, pixelId, ...times }: Filter,
  now: () => Date,
): Promise<{ where: Expression[]; isSelective: boolean; indexed: boolean }> {
  const { createdFrom, createdUntil, updatedSince } = times;
  const where: Expression[] = [];
  let isSelective = false;
  let indexed = true;
  const text = searchBy === 'ANYWHERE' ? splitWords(search ?? '').join(' ') : foldCase(search ?? '');
  if (text) {
    const found = await lists.makeSearchCondition({ accountId, column: searchColumns[searchBy], text });
    if (found === null) throw new DomainError('UNAVAILABLE', NOT_READY, [], 60);
    where.push(found.condition);
    ({ isSelective, indexed } = found);
  }
  if (externalIdPrefix) {
    const found = await lists.makeSearchCondition({
      accountId,
      column: 'externalId',
      text: externalIdPrefix,
    });
    if (found !== null) where.push(found.condition);
    isSelective ||= found?.isSelective === true;
  }
  if (status) where.push(hasStatus(status, now()));
  if (domainId) where.push(is('domainId', domainId));
  if (pixelId) where.push(hasPixel(pixelId));
  if (createdFrom) where.push(isSince('createdAt', createdFrom.at));
  if (createdUntil) where.push(isEarlier('createdAt', createdUntil.at));
  if (updatedSince) where.push(isSince('updatedAt', updatedSince.at));
  return { where, isSelective, indexed };
}

/** The list, and expressions for its total: exact, and limited for connections. */
async function listFor(
  lists: AccountReader,
  actor: Actor,
  { filter, orderBy }: z.output<typeof linksInput>,
  now: () => Date,
  of: LinksOf,
  select: LinkSelect,
): Promise<{ list: List; total: Expression; counted: Expression }> {
  const { accountId } = actor;
  const { indexed, ...narrowed } = await buildConditions(lists, actor, filter, now);
  const archived = archivedIn(filter);
  const spaces = [filter.spaceId, of.spaceId].filter((id) => id != null);
  const tags = tagCondition(filter, of.tagId);
  const inSpaces = [
    ...spaces.map((id) => is('spaceId', id)),
    ...(filter.withoutSpace ? [isNull('spaceId')] : []),
  ];
  const order = { orderBy: orderBy.field, descending: orderBy.direction === 'DESC' };
  const selected = { accountId, ...narrowed, inSpaces, tags, ...order };
  const { list, count } = lists.links({ ...selected, archived }, select);
  const countRows = () => {
    // An index has the links of a space that are not archived.
    if (archived === 'WITH' || narrowed.isSelective || spaces.length > 0) return count();
    const left = archivedLinks(accountId, [...narrowed.where, ...inSpaces], tags);
    return archived === 'ONLY' ? left : difference(lists.links(selected, select).count(), left);
  };
  const total = fastTotal(accountId, filter, spaces.length > 0, tags, now) ?? countRows();
  return { list, total, counted: indexed ? total : count(MAX_COUNTED) };
}

/** Returns the choice of a filter. By default, archived links are left out, but not of a search, and not of what has changed. */
function archivedIn({ archived, search, updatedSince }: Filter): keyof typeof archivedFilters {
  return archived ?? (search || updatedSince ? 'WITH' : 'WITHOUT');
}

/**
 * One numbered page of the account's links, with its total, in one statement; a search is looked up before.
 * @throws DomainError VALIDATION
 */
export async function linkPage(
  lists: AccountReader,
  actor: Actor,
  input: Unparsed<typeof linkPageInput>,
  now: () => Date,
  select: LinkSelect,
): Promise<Page<SelectedLink>> {
  const parsed = parseInput(linkPageInput, input);
  const { list, total } = await listFor(lists, actor, parsed, now, {}, select);
  return readPage<SelectedLink>(lists, list, parsed, total);
}

/**
 * A slice of the account's links by cursor, only those of a space or a tag if `of` names one; `total` counts them when it is
 * called, for a search anywhere, or of one or two characters, only up to `MAX_COUNTED`.
 * @throws DomainError VALIDATION
 */
export async function linkConnection(
  lists: AccountReader,
  actor: Actor,
  input: EdgesInput & Unparsed<typeof linksInput>,
  now: () => Date,
  of: LinksOf,
  select: LinkSelect,
): Promise<Connection<SelectedLink>> {
  const parsed = parseInput(linksInput, input);
  const { list, counted } = await listFor(lists, actor, parsed, now, of, select);
  return readConnection(lists, list, input, { total: counted });
}

/** The account's own link with this id; null if it has none. */
export async function findLink(
  lists: AccountReader,
  actor: Actor,
  id: string,
  select: LinkSelect,
): Promise<SelectedLink | null> {
  const where = owned(actor, id);
  if (where === null) return null;
  const [row] = await linksWhere(lists, actor, is('id', where.id), 1, select);
  return row ?? null;
}

/** The account's own links with these ids; `ids` must not be empty. */
export function findLinks(
  lists: AccountReader,
  actor: Actor,
  ids: readonly number[],
  select: LinkSelect,
): Promise<SelectedLink[]> {
  return linksWhere(lists, actor, isIn('id', ids), ids.length, select);
}

/** Some of the account's own links that meet a condition. */
async function linksWhere(
  lists: AccountReader,
  { accountId }: Actor,
  condition: Expression,
  limit: number,
  select: LinkSelect,
): Promise<SelectedLink[]> {
  return lists.rows<SelectedLink>(
    lists.links({ accountId, where: [condition], isSelective: true }, select).list,
    {
      limit,
    },
  );
}

/**
 * A fast expression for the number of an account's links, of all, of one status or of tags; undefined with any other filter,
 * for which the rows have to be counted.
 * @param isOfSpace whether the list is that of a space
 */
function fastTotal(
  accountId: number,
  filter: Filter,
  isOfSpace: boolean,
  tags: TagCondition | undefined,
  now: () => Date,
): Expression | undefined {
  const { status, searchBy: _searchBy, tags: _tags, archived: _archived, ...others } = filter;
  if (isOfSpace || (status && tags) || Object.values(others).some(Boolean)) return undefined;
  const archived = archivedIn(filter);
  if (!(status || tags)) return linksSql(accountId, archived);
  const at = now();
  const left = () => archivedLinks(accountId, status ? [hasStatus(status, at)] : [], tags);
  if (archived === 'ONLY') return left();
  const all = tags ? linksTagged(accountId, tags) : linksOfStatus(accountId, status ?? 'ACTIVE', at);
  return archived === 'WITH' ? all : difference(all, left());
}

/** The longest short URL that is parsed, in characters, without its query and fragment. */
const MAX_SHORT_URL = 4_096;

/** The host and the meaning of the path of a short URL, with or without its scheme; null if it is not one. */
function splitShortUrl(text: string): ({ readonly host: string } & PathMeaning) | null {
  if (text.length > longestFor(MAX_SHORT_URL)) return null;
  const trimmed = trimPasted(text).replace(/[?#].*$/s, '');
  if (trimmed.length > MAX_SHORT_URL) return null;
  const url = parseUrl(
    /^([a-z][a-z\d+.-]*:)?\/\//i.test(trimmed) ? trimmed.replace(/^\/\//, 'http://') : `http://${trimmed}`,
  );
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const [host, meaning] = [normalHost(url), readPath(url.pathname.replace(/^\/+/, '/'))];
  return host === null ? null : { host, ...meaning };
}

/** The account's own link that visitors get at a short URL; scheme, query and fragment are ignored. Null if there is none. */
export async function findLinkByShortUrl(
  lists: AccountReader,
  actor: Actor,
  text: string,
  select: LinkSelect,
): Promise<SelectedLink | null> {
  const parts = splitShortUrl(text);
  if (parts === null) return null;
  const { host, ...meaning } = parts;
  const candidates = listCandidates(meaning, true);
  if (candidates.length === 0) return null;
  const condition = isServedAt(
    host,
    namesServing(host),
    candidates.map(({ alias, rest }) => ({ alias, isBeginning: rest !== undefined })),
  );
  const [link] = await linksWhere(lists, actor, condition, 1, select);
  return link ?? null;
}

/** The account's own link with this external id; null if there is none. */
export async function findLinkByExternalId(
  lists: AccountReader,
  actor: Actor,
  text: string,
  select: LinkSelect,
): Promise<SelectedLink | null> {
  const { data: externalId } = externalIdInput.safeParse(text);
  if (externalId === undefined) return null;
  const condition = hasExternalId(actor.accountId, externalId);
  const [link] = await linksWhere(lists, actor, condition, 1, select);
  return link ?? null;
}
