// Changes links in steps: the input is read, the stored link is read and checked, passwords are hashed, and a transaction
// writes what differs. The write names the time of the change that was read. If the link was changed since, it is locked, and
// the input is applied to it as it is then; passwords are not hashed again for that.
import type { z } from 'zod';
import { listGroups } from '../../db/change-groups.ts';
import type { Data } from '../../db/database.ts';
import { type LinkSettings, readLink, type SelectedLink, updateLinkIn } from '../../db/links.ts';
import type { LinkSelect } from '../../db/reading/link-list.ts';
import type { KeptValues } from '../../engine/changes/events.ts';
import { retryOvertaken } from '../../engine/db/errors.ts';
import { type FieldError, fieldError, invalid, invalidField, notFound } from '../../engine/rules/errors.ts';
import { parseInput, type Unparsed } from '../../engine/rules/input.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { type Actor, owned } from '../access/actor.ts';
import {
  changedColumns,
  changedFields,
  parseIfUpdatedAt,
  recordingChanges,
  requireUnchanged,
  timeOfChange,
} from '../change/change.ts';
import { type ChangedText, requireAfter } from '../change/values.ts';
import { ofAccount } from '../password.ts';
import { ruleColumns, ruleErrors, testErrors, withEarlierRules } from '../rule/columns.ts';
import { refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import { utmFor } from '../utm-template.ts';
import { aliasInput, isSpellingOf } from './alias.ts';
import { findInputErrors, startErrors } from './check.ts';
import {
  buildColumns,
  fieldNames,
  fixedDomain,
  fixedInUpsert,
  type LinkInput,
  MAX_TAGS,
  missingPrivacyPassword,
  resolveTime,
  updateLinkInput,
  withPlainKey,
} from './fields.ts';
import { hasText, keepUpdate } from './values.ts';
import { spendOnUpdates } from './written-rows.ts';

/** A text that is equal for equal sets of ids. */
function listed(ids: readonly number[]): string {
  return [...new Set(ids)].sort((a, b) => a - b).join();
}

/** Errors of the password for statistics, after the input is applied to the link. */
function privacyErrors(input: LinkInput, link: Link): FieldError[] {
  const { privacy = link.privacy, privacyPassword = link.privacyPassword } = input;
  if (privacy !== 'PASSWORD' || privacyPassword !== null) return [];
  return [fieldError(['privacyPassword'], missingPrivacyPassword)];
}

/** The error of another alias than the link has, if the change is an upsert. */
function aliasErrors({ input: { alias }, where }: Change, link: Link): FieldError[] {
  const isKept = where.externalId === undefined || alias === undefined || alias === link.alias;
  return isKept ? [] : [fieldError(['alias'], fixedInUpsert)];
}

/** The new ids of a list, each once; undefined if they do not change. */
function otherIds(stored: readonly number[], given: readonly number[]): readonly number[] | undefined {
  return listed(stored) === listed(given) ? undefined : [...new Set(given)];
}

/**
 * The new pixels and tags of the link, if they change, the tags that it loses, and its lists before.
 * @throws DomainError VALIDATION for too many tags
 */
async function otherLists(
  { prisma }: Data,
  linkId: number,
  { pixelIds, tagIds: given, addTagIds = [], removeTagIds = [] }: LinkInput,
) {
  const where = { linkId };
  const pixels = pixelIds && (await prisma.linkPixel.findMany({ where })).map(({ pixelId }) => pixelId);
  const mayTag = given !== undefined || addTagIds.length + removeTagIds.length > 0;
  const tags = mayTag ? (await prisma.linkTag.findMany({ where })).map(({ tagId }) => tagId) : [];
  const kept = [...(given ?? tags), ...addTagIds].filter((id) => !removeTagIds.includes(id));
  const tagIds = otherIds(tags, kept);
  if (tagIds && tagIds.length > MAX_TAGS)
    throw invalidField('addTagIds', refusal('TAGS_OF_LINK', { tags: tagIds.length, max: MAX_TAGS }));
  const lostTags = tagIds ? tags.filter((id) => !tagIds.includes(id)) : [];
  const before = { pixels, tags };
  return { pixelIds: pixels && pixelIds && otherIds(pixels, pixelIds), tagIds, lostTags, before };
}

/** A change of a link. */
export interface LinkUpdate {
  readonly id: string;
  /** The fields to change; null clears a field that can be cleared. A list replaces the stored one. */
  readonly input: Unparsed<typeof updateLinkInput>;
  /** The expected time of its last change, in ISO 8601; any time by default. */
  readonly ifUpdatedAt?: string | null | undefined;
  /** For an upsert, the external id by which it was found: without it, it is not found any more, and it keeps its alias. */
  readonly upserts?: string | undefined;
  /** For the reversion of another change, the values that it gave the fields of the input, which they must still have. */
  readonly reverts?: readonly ChangedText[] | undefined;
}

/** The arguments of `updateLink`. */
interface Updating {
  readonly update: LinkUpdate;
  readonly services: Services;
  readonly now: Date;
  /** Which fields of the link are returned in addition to its id. */
  readonly select: LinkSelect;
}

/** A change whose input is read. */
interface Change extends Pick<Updating, 'services' | 'now' | 'select'> {
  readonly db: Data;
  readonly actor: Actor;
  readonly input: z.output<typeof updateLinkInput>;
  readonly where: NonNullable<ReturnType<typeof owned>> & { readonly externalId?: string };
  /** The time of the link's last change that the editor saw; null for any. */
  readonly seen: Date | null;
  readonly reverts: readonly ChangedText[];
}

/**
 * Changes a link, and records which fields have changed; if none has, nothing is written.
 * @throws DomainError VALIDATION, NOT_FOUND, CONFLICT
 */
export async function updateLink(db: Data, actor: Actor, updating: Updating): Promise<SelectedLink> {
  const change = await readUpdate(db, actor, updating);
  await spendOnUpdates(db, actor, [updating.update]);
  return writeUpdate(change);
}

/**
 * Hashes and compares the passwords of a change of a batch, and makes its image, which takes long, before the first one is written.
 * @returns a function that does the rest of `updateLink`
 * @throws DomainError VALIDATION, NOT_FOUND
 */
export async function prepareLinkUpdate(
  db: Data,
  actor: Actor,
  updating: Updating,
): Promise<() => Promise<SelectedLink>> {
  const change = await readUpdate(db, actor, updating);
  const { password, privacyPassword, preview } = change.input;
  if (password == null && privacyPassword == null && preview?.image == null) return () => writeUpdate(change);
  const link = await db.prisma.link.findUnique({ where: change.where });
  const hashed = link && { ...(await hashUpdate(change, link)), link };
  return () => writeUpdate(change, hashed);
}

/** The input with the alias that the link has, in place of a spelling of it that a new link could not have. */
async function withOwnAlias(
  { prisma }: Data,
  where: NonNullable<ReturnType<typeof owned>>,
  input: Updating['update']['input'],
): Promise<Updating['update']['input']> {
  const { alias, ...others } = input;
  if (typeof alias !== 'string' || aliasInput.safeParse(alias).success) return input;
  const link = await prisma.link.findUnique({ where, select: { alias: true } });
  return link !== null && isSpellingOf(alias, link.alias) ? others : input;
}

/** Parses the input. @throws DomainError VALIDATION, or NOT_FOUND for the id of no record */
async function readUpdate(
  db: Data,
  actor: Actor,
  { update: { id, input: unparsed, ifUpdatedAt, upserts, reverts = [] }, services, now, select }: Updating,
): Promise<Change> {
  const seen = parseIfUpdatedAt(ifUpdatedAt);
  const where = owned(actor, id);
  const own = where === null ? unparsed : await withOwnAlias(db, where, unparsed);
  const input = parseInput(updateLinkInput, own);
  if (where === null) throw notFound('link');
  const found = upserts === undefined ? where : { ...where, externalId: upserts };
  return { db, actor, input, where: found, seen, reverts, services, now, select };
}

/** The columns that the input sets, and a new hash of the privacy password if it is set to what it is. */
type Columns = Awaited<ReturnType<typeof hashUpdate>>;

/** Columns, and the link that they were made for. */
interface Hashed extends Columns {
  readonly link: Link;
}

/** Hashes the passwords. A password that is set to what it is keeps its hash, but the statistics get a new one. */
async function hashUpdate({ db, input, services, actor, now }: Change, link: Link) {
  const data = await buildColumns(input, { db, services, actor, now }, link);
  const { privacyPassword: given } = input;
  const isSame = given != null && data.privacyPassword === link.privacyPassword;
  // The cookies of the statistics page depend on the hash: setting a password ends them.
  const renewed = isSame ? { privacyPassword: await services.hashPassword(ofAccount(actor), given) } : {};
  return { data, renewed };
}

/** Returns the columns for the link as it is now: a password that it was given meanwhile keeps its hash. */
async function adoptHashes(
  { data, renewed, link: before }: Hashed,
  { input, services, actor }: Change,
  link: Link,
): Promise<Columns> {
  const current = async (name: 'password' | 'privacyPassword') => {
    const [given, stored] = [input[name], link[name]];
    if (!given || stored === null || stored === before[name]) return null;
    return (await services.verifyPassword(ofAccount(actor), given, stored)) ? stored : null;
  };
  const columns = { ...data, password: (await current('password')) ?? data.password };
  if (link.privacyPassword === before.privacyPassword) return { data: columns, renewed };
  const made = renewed.privacyPassword ?? data.privacyPassword;
  const kept = await current('privacyPassword');
  return kept && made
    ? { data: { ...columns, privacyPassword: kept }, renewed: { privacyPassword: made } }
    : { data: { ...columns, privacyPassword: made }, renewed: {} };
}

/** Checks, hashes and writes the change; again if another write has overtaken it. @param hashed what is hashed already */
function writeUpdate(change: Change, hashed?: Hashed | null): Promise<SelectedLink> {
  return retryOvertaken(async () => {
    const link = await readForUpdate(change, change.db);
    // A conflict is one whatever else is wrong; the same is checked again with the values to write.
    await requireReverted(change, change.db, link);
    await requireValid(change, link);
    // Takes long, so not in a transaction; a batch has hashed before.
    const columns = hashed ? await adoptHashes(hashed, change, link) : await hashUpdate(change, link);
    const settings = await settingsFor(change, columns, change.db, link);
    return settings === null
      ? readChanged(change, change.db)
      : writeSettings(change, columns, link, settings);
  });
}

/** Reads the whole row. @throws DomainError NOT_FOUND */
async function readForUpdate({ where }: Change, { prisma }: Data): Promise<Link> {
  const link = await prisma.link.findUnique({ where });
  if (link === null) throw notFound('link');
  return link;
}

/** Reads what was selected of the link. @throws DomainError NOT_FOUND */
async function readChanged({ where, select }: Change, db: Data): Promise<SelectedLink> {
  const link = await readLink(db, where, select);
  if (link === null) throw notFound('link');
  return link;
}

/** @throws DomainError VALIDATION with all fields that do not fit the database or the link */
async function requireValid(change: Change, link: Link): Promise<void> {
  const { db, actor, services, input, reverts, now } = change;
  const errors = aliasErrors(change, link);
  const { alias, ...others } = input;
  // Whether it is taken does not matter then.
  const checked = errors.length > 0 ? others : { alias, ...others };
  errors.push(
    ...(await findInputErrors(db, actor, services, {
      ...{ input: checked, domainId: link.domainId, now },
      link: withRulesOf(reverts, link),
    })),
  );
  if (input.domainId !== undefined && input.domainId !== link.domainId)
    errors.push(fieldError(['domainId'], fixedDomain));
  errors.push(...privacyErrors(input, link));
  if (errors.length > 0) throw invalid(errors);
}

/** Makes sure that the fields of a reversion still have the values of its change. @throws DomainError CONFLICT */
async function requireReverted({ reverts }: Change, { prisma }: Data, link: Link): Promise<void> {
  const where = { linkId: link.id };
  const reads = (list: string) => reverts.some(({ name }) => name === list);
  const pixels = reads('pixels') ? await prisma.linkPixel.findMany({ where }) : [];
  const tags = reads('tags') ? await prisma.linkTag.findMany({ where }) : [];
  const lists = { pixels: pixels.map(({ pixelId }) => pixelId), tags: tags.map(({ tagId }) => tagId) };
  requireAfter(link, reverts, (name, text) => hasText(name, text, { ...link, ...lists }));
}

/** The link with the rules that a reversion brings back, whose ids its input names. */
function withRulesOf(reverts: readonly ChangedText[], link: Link): Link {
  const earlier = reverts.find(({ name }) => name === 'rules')?.before;
  return earlier ? withEarlierRules(link, earlier) : link;
}

interface Settings extends LinkSettings {
  /** The changed fields; none if only a hash is renewed. */
  readonly fields: readonly string[];
  /** The space and the tags that the link loses. */
  readonly lost: string;
  /** The values of the changed fields. */
  readonly values: KeptValues | null;
}

/**
 * Returns what the change sets in a stored link; null if nothing changes.
 * @param client what to read from: the database, or the transaction that locks the link
 * @throws DomainError VALIDATION, CONFLICT
 */
async function settingsFor(
  change: Change,
  { data, renewed }: Columns,
  client: Data,
  stored: Link,
): Promise<Settings | null> {
  const { actor, input, seen, now } = change;
  requireUnchanged(stored, seen);
  await requireReverted(change, client, stored);
  const known = withRulesOf(change.reverts, stored);
  const late = [
    ...aliasErrors(change, stored),
    ...privacyErrors(input, stored),
    ...startErrors(input, stored),
    ...ruleErrors(input, known, now),
  ];
  if (late.length > 0) throw invalid(late);
  const expiresAt = resolveTime(stored.expiresAt, input.expiration?.at);
  const startsAt = resolveTime(stored.startsAt, input.startsAt);
  const { spaceId = stored.spaceId } = input;
  const addUtm = await utmFor(client, actor, input, spaceId, now);
  const set = { ...data, expiresAt, startsAt, ...ruleColumns(input, known, now) };
  const utm = addUtm({ ...stored, ...changedColumns(stored, set) });
  const failing = testErrors(input, { ...stored, ...changedColumns(stored, { ...set, ...utm }) }, stored);
  if (failing.length > 0) throw invalid(failing);
  const { plainKey } = withPlainKey({ ...stored, ...changedColumns(stored, { ...set, ...utm }) });
  const changed = changedColumns(stored, { ...set, ...utm, plainKey });
  const { lostTags, before, ...lists } = await otherLists(client, stored.id, input);
  const { pixelIds: pixels, tagIds: tags } = lists;
  const columns = { ...changed, ...renewed };
  if (Object.keys(columns).length === 0 && !pixels && !tags) return null;
  const fields = changedFields({ ...changed, ...(pixels && { pixels }), ...(tags && { tags }) }, fieldNames);
  const updatedAt = fields.length > 0 ? timeOfChange(stored, now) : stored.updatedAt;
  const lostSpaces = changed.spaceId === undefined || stored.spaceId === null ? [] : [stored.spaceId];
  const lost = listGroups({ spaces: lostSpaces, tags: lostTags });
  const values = keepUpdate(fields, { ...stored, ...before }, { ...stored, ...changed, pixels, tags });
  return { columns: { ...columns, updatedAt }, ...lists, fields, lost, values };
}

/** Writes the settings, which were made for `link`. If it was changed since, they are made anew for the locked link. */
function writeSettings(
  change: Change,
  columns: Columns,
  { id, updatedAt }: Link,
  made: Settings,
): Promise<SelectedLink> {
  const { db, actor, now } = change;
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    let settings: Settings | null = made;
    if (!(await updateLinkIn(tx, { id, updatedAt }, settings))) {
      await tx.lockRow('Link', id);
      settings = await settingsFor(change, columns, tx, await readForUpdate(change, tx));
      if (settings === null) return readChanged(change, tx);
      await updateLinkIn(tx, { id }, settings);
    }
    const { fields, lost: moreGroups, values } = settings;
    if (fields.length === 0) return readChanged(change, tx);
    // Sent together.
    const [link] = await Promise.all([
      readChanged(change, tx),
      record('UPDATED', 'LINK', [id], fields, { moreGroups, values }),
    ]);
    return link;
  });
}
