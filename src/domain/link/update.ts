import type { Data } from '../../db/database.ts';
import { type LinkSettings, readLink, type SelectedLink, updateLinkIn } from '../../db/links.ts';
import type { LinkSelect } from '../../db/reading/link-list.ts';
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
import { ofAccount } from '../password.ts';
import { refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import { utmFor } from '../utm-template.ts';
import { findInputErrors } from './check.ts';
import {
  buildColumns,
  fieldNames,
  fixedDomain,
  type LinkInput,
  MAX_TAGS,
  missingPrivacyPassword,
  resolveExpiry,
  updateLinkInput,
  withPlainKey,
} from './fields.ts';

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

/** The new ids of a list, each once; undefined if they do not change. */
function otherIds(stored: readonly number[], given: readonly number[]): readonly number[] | undefined {
  return listed(stored) === listed(given) ? undefined : [...new Set(given)];
}

/** The new pixels and tags of the link, if they change. @throws DomainError VALIDATION for too many tags */
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
  return { pixelIds: pixels && pixelIds && otherIds(pixels, pixelIds), tagIds };
}

/** A change of a link. */
export interface LinkUpdate {
  readonly id: string;
  /** The fields to change; null clears a field that can be cleared. A list replaces the stored one. */
  readonly input: Unparsed<typeof updateLinkInput>;
  /** The expected time of its last change, in ISO 8601; any time by default. */
  readonly ifUpdatedAt?: string | null | undefined;
}

interface Updating {
  readonly update: LinkUpdate;
  readonly services: Services;
  readonly now: Date;
  /** Which fields of the link are returned in addition to its id. */
  readonly select: LinkSelect;
  /** Of the input, if they are known already. */
  readonly hashed?: Hashed;
}

type Columns = Awaited<ReturnType<typeof hashedColumns>>;

/** Columns, and the link that they were made for. */
interface Hashed extends Columns {
  readonly of: Link;
}

/** The columns that the input sets, and a new hash of the privacy password if it is set to what it is. */
async function hashedColumns(input: LinkInput, services: Services, actor: Actor, link: Link) {
  const data = await buildColumns(input, services, actor, link);
  const { privacyPassword: given } = input;
  const isSame = given != null && data.privacyPassword === link.privacyPassword;
  // The cookies of the statistics page depend on the hash: setting a password ends them.
  const renewed = isSame ? { privacyPassword: await services.hashPassword(ofAccount(actor), given) } : {};
  return { data, renewed };
}

/** The columns for the link as it is now: a password that it was given meanwhile keeps its hash. */
async function columnsNow(
  { data, renewed, of }: Hashed,
  input: LinkInput,
  services: Services,
  actor: Actor,
  link: Link,
): Promise<Columns> {
  const current = async (name: 'password' | 'privacyPassword') => {
    const [given, stored] = [input[name], link[name]];
    if (!given || stored === null || stored === of[name]) return null;
    return (await services.verifyPassword(ofAccount(actor), given, stored)) ? stored : null;
  };
  const columns = { ...data, password: (await current('password')) ?? data.password };
  if (link.privacyPassword === of.privacyPassword) return { data: columns, renewed };
  const made = renewed.privacyPassword ?? data.privacyPassword;
  const kept = await current('privacyPassword');
  return kept && made
    ? { data: { ...columns, privacyPassword: kept }, renewed: { privacyPassword: made } }
    : { data: { ...columns, privacyPassword: made }, renewed: {} };
}

/**
 * Changes a link, and records which fields have changed; if none has, nothing is written.
 * @throws DomainError VALIDATION, NOT_FOUND, CONFLICT
 */
export function updateLink(db: Data, actor: Actor, updating: Updating): Promise<SelectedLink> {
  return retryOvertaken(() => updateOnce(db, actor, updating));
}

/**
 * Hashes and compares the passwords of a change of a batch, which takes long, before the first one is written.
 * @returns a function that does the rest of `updateLink`
 */
export async function prepareLinkUpdate(
  db: Data,
  actor: Actor,
  updating: Updating,
): Promise<() => Promise<SelectedLink>> {
  const { id, input } = updating.update;
  const { data } = updateLinkInput.safeParse(input);
  const hasPassword = (data?.password ?? data?.privacyPassword ?? null) !== null;
  const where = hasPassword ? owned(actor, id) : null;
  const link = where && (await db.prisma.link.findUnique({ where }));
  const hashed = link && data && { ...(await hashedColumns(data, updating.services, actor, link)), of: link };
  return () => updateLink(db, actor, { ...updating, ...(hashed && { hashed }) });
}

async function updateOnce(
  db: Data,
  actor: Actor,
  { update: { id, input: unparsed, ifUpdatedAt }, services, now, select, hashed }: Updating,
): Promise<SelectedLink> {
  const seen = parseIfUpdatedAt(ifUpdatedAt);
  const input = parseInput(updateLinkInput, unparsed);
  const where = owned(actor, id);
  const link = where && (await db.prisma.link.findUnique({ where }));
  if (where === null || link === null) throw notFound('link');
  const errors = await findInputErrors(db, actor, services, input, link.domainId, link);
  if (input.domainId !== undefined && input.domainId !== link.domainId)
    errors.push(fieldError(['domainId'], fixedDomain));
  errors.push(...privacyErrors(input, link));
  if (errors.length > 0) throw invalid(errors);
  // Hashes passwords, which takes long: once, and not in a transaction.
  const { data, renewed } = hashed
    ? await columnsNow(hashed, input, services, actor, link)
    : await hashedColumns(input, services, actor, link);
  /** Returns the columns that the input sets in a stored link and the changed fields; null if nothing changes. */
  const settingsFor = async (
    client: Data,
    stored: Link,
  ): Promise<(LinkSettings & { fields: string[] }) | null> => {
    requireUnchanged(stored, seen);
    const late = privacyErrors(input, stored);
    if (late.length > 0) throw invalid(late);
    const expiresAt = resolveExpiry(stored.expiresAt, input.expiration?.at);
    const { spaceId = stored.spaceId } = input;
    const addUtm = await utmFor(client, actor, input, spaceId, now);
    const set = { ...data, expiresAt };
    const utm = addUtm({ ...stored, ...changedColumns(stored, set) });
    const { plainKey } = withPlainKey({ ...stored, ...changedColumns(stored, { ...set, ...utm }) });
    const changed = changedColumns(stored, { ...set, ...utm, plainKey });
    const lists = await otherLists(client, stored.id, input);
    const { pixelIds: pixels, tagIds: tags } = lists;
    const columns = { ...changed, ...renewed };
    if (Object.keys(columns).length === 0 && !pixels && !tags) return null;
    const fields = changedFields(
      { ...changed, ...(pixels && { pixels }), ...(tags && { tags }) },
      fieldNames,
    );
    const updatedAt = fields.length > 0 ? timeOfChange(stored, now) : stored.updatedAt;
    return { columns: { ...columns, updatedAt }, ...lists, fields };
  };
  const read = async (client: Data) => {
    const shown = await readLink(client, where, select);
    if (shown === null) throw notFound('link');
    return shown;
  };
  const first = await settingsFor(db, link);
  if (first === null) return read(db);
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    let settings: typeof first | null = first;
    if (!(await updateLinkIn(tx, { id: link.id, updatedAt: link.updatedAt }, settings))) {
      // The link was changed after it was read: lock it, and apply the input to its current state.
      await tx.lockRow('Link', link.id);
      const stored = await tx.prisma.link.findUnique({ where });
      if (stored === null) throw notFound('link');
      settings = await settingsFor(tx, stored);
      if (settings === null) return read(tx);
      await updateLinkIn(tx, { id: link.id }, settings);
    }
    const { fields } = settings;
    if (fields.length > 0) await record('UPDATED', 'LINK', [link.id], fields);
    return read(tx);
  });
}
