import type { Db } from '../../db/connection/client.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/connection/errors.ts';
import type { Tx } from '../../db/connection/transaction.ts';
import {
  insertLink,
  insertLinkIn,
  type LinkSettings,
  readPixelIds,
  readStoredLink,
  updateLinkAsRead,
  updateLinkIn,
} from '../../db/links.ts';
import type { Destination } from '../../db/reading/same-links.ts';
import { forgetStatistics } from '../../db/statistics/forget.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { type Actor, owned } from '../access/actor.ts';
import {
  differing,
  type FieldNames,
  fieldsOf,
  fieldsSet,
  newChange,
  recordingChanges,
} from '../change/change.ts';
import { type FieldError, invalid, notFound } from '../errors.ts';
import { foldCase } from '../fold.ts';
import { parseInput, type Unparsed } from '../input.ts';
import { deleteOwned } from '../owned.ts';
import { verifyPassword } from '../password.ts';
import { parseIfUpdatedAt, requireUnchanged, timeOfChange } from '../unchanged.ts';
import { generateAlias } from './alias.ts';
import { aliasTaken, refusalsOf } from './check.ts';
import {
  createLinkInput,
  fixedDomain,
  type LinkInput,
  missingPrivacyPassword,
  updateLinkInput,
} from './input.ts';
import type { OperatorLists } from './operator-lists.ts';
import { Reuse } from './reuse.ts';
import { encodeTargets } from './targeting.ts';

export type { Link };

/** Settings and services that the rules depend on. */
export interface Site {
  /** The scheme of short URLs: `https:`. */
  readonly scheme: string;
  /** The domain of links without a given one. */
  readonly defaultDomainId: number;
  /** A random integer from 0 to below the given number. */
  random(below: number): number;
  /** A hash for `verifyPassword`. */
  hashPassword(password: string): Promise<string>;
  /** Whether domains must be verified to serve visitors. */
  readonly verifiesDomains: boolean;
  /** The texts of a name's TXT records in DNS. */
  resolveTxt(name: string): Promise<readonly string[]>;
  /** The operator's blocked hosts and reserved aliases. */
  readonly lists: OperatorLists;
}

/** The short URL of the link. */
export function shortUrlOf(
  { scheme }: Pick<Site, 'scheme'>,
  domain: { name: string },
  { alias }: { alias: string },
): string {
  return `${scheme}//${domain.name}/${alias}`;
}

/**
 * The columns that the input sets; absent fields are undefined. Fields not handled here have a column of the same name.
 * @param stored the link that is changed, if any: the password that it has already keeps its hash. That for statistics gets a
 * new one, which ends the sessions of its pages
 */
export async function columnsOf(input: LinkInput, site: Site, stored?: Link) {
  const { alias, expiration, targeting, domainId: _domainId, pixelIds: _pixelIds, ...columns } = input;
  const hash = (password: string | null | undefined) => (password ? site.hashPassword(password) : password);
  const isKept =
    input.password && stored?.password && (await verifyPassword(input.password, stored.password));
  const [password, privacyPassword] = await Promise.all([
    isKept ? stored.password : hash(input.password),
    hash(input.privacyPassword),
  ]);
  return {
    ...columns,
    urlKey: input.url && foldCase(input.url),
    ...(alias ? aliasColumns(alias) : {}),
    titleKey: input.title && foldCase(input.title),
    password,
    privacyPassword,
    expirationUrl: expiration?.url,
    expiresAt: expiration?.at === null ? null : expiration?.at?.at,
    expirationClicks: expiration?.clicks,
    targetType: targeting?.type,
    ...encodeTargets(targeting ?? {}),
  };
}

export function aliasColumns(alias: string) {
  return { alias, aliasKey: foldCase(alias) };
}

/** The schema's names of a link's columns, if they differ. */
export const fieldNames: FieldNames = {
  domainId: 'domain',
  spaceId: 'space',
  ...{ expirationUrl: 'expiration', expiresAt: 'expiration', expirationClicks: 'expiration' },
  targetType: 'targeting',
  ...{ countries: 'targeting', platforms: 'targeting', languages: 'targeting', rotation: 'targeting' },
};

/** A text that is equal for equal sets of ids. */
function listed(ids: readonly number[]): string {
  return [...new Set(ids)].sort((a, b) => a - b).join();
}

/** Errors of the password for statistics, after the input is applied to the link. */
function privacyRefusals(input: LinkInput, link: Link): FieldError[] {
  const { privacy = link.privacy, privacyPassword = link.privacyPassword } = input;
  if (privacy !== 'PASSWORD' || privacyPassword !== null) return [];
  return [{ path: ['privacyPassword'], messages: [missingPrivacyPassword] }];
}

/** The new pixels of the link, each once; undefined if they do not change, or none are given. */
async function otherPixels(
  db: Db | Tx,
  linkId: number,
  pixelIds: readonly number[] | undefined,
): Promise<readonly number[] | undefined> {
  if (pixelIds === undefined) return undefined;
  return listed(await readPixelIds(db, linkId)) === listed(pixelIds) ? undefined : [...new Set(pixelIds)];
}

/** Finds existing links that have all given fields of the input. */
async function reuseOf(
  destination: Destination,
  site: Site,
  unparsed: Unparsed<typeof createLinkInput>,
  now: Date,
): Promise<Reuse> {
  const { domainId: _, ...fields } = unparsed;
  const given = parseInput(
    updateLinkInput,
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
  );
  const columns = await columnsOf({ ...given, password: undefined, privacyPassword: undefined }, site);
  return new Reuse(destination, given, columns, now);
}

/**
 * Creates a link; with `reuse`, returns the account's newest active link with the same domain and given fields, if there is
 * one. Returns its id.
 * @throws DomainError VALIDATION
 */
export async function createLink(
  db: Db,
  actor: Actor,
  site: Site,
  unparsed: Unparsed<typeof createLinkInput>,
  now: Date,
): Promise<number> {
  const { reuse: reuses, ...input } = parseInput(createLinkInput, unparsed);
  const domainId = input.domainId ?? site.defaultDomainId;
  const check = async () => {
    const refusals = await refusalsOf(db, actor, site, input, domainId, null);
    if (refusals.length > 0) throw invalid(refusals);
  };
  const { url, pixelIds = [] } = input;
  const destination = { accountId: actor.accountId, domainId, url };
  const reuse = reuses ? await reuseOf(destination, site, unparsed, now) : null;
  const same = await reuse?.find(db);
  if (same) return same.id;
  try {
    await check();
  } catch (error) {
    // Another request may have created the same link meanwhile, with this alias.
    const made = await reuse?.find(db);
    if (made) return made.id;
    throw error;
  }
  const data = {
    ...(await columnsOf(input, site)),
    url,
    urlKey: foldCase(url),
    accountId: actor.accountId,
    domainId,
    createdAt: now,
    updatedAt: now,
  };
  const pixels = [...new Set(pixelIds)];
  for (let attempt = 0; ; attempt++) {
    const alias = input.alias ?? generateAlias(attempt, (below) => site.random(below));
    if (input.alias == null && site.lists.reserves(alias)) continue;
    try {
      const row = { ...data, ...aliasColumns(alias) };
      const fields = fieldsSet({ ...row, ...(pixels.length > 0 && { pixels }) }, fieldNames);
      const made = { row, pixelIds: pixels };
      if (reuse === null) return await insertLink(db, made, newChange(actor, now, 'CREATED', 'LINK', fields));
      return await recordingChanges(db, actor, now, async ({ tx, record }) => {
        const same = await reuse.findLocked(tx);
        if (same) return same.id;
        const id = await insertLinkIn(tx, made);
        await record('CREATED', 'LINK', [id], fields);
        return id;
      });
    } catch (error) {
      // Records may have been deleted since the checks; the constraints decide.
      if (isForeignKeyViolation(error)) await check();
      if (!isUniqueViolation(error)) throw error;
      if (input.alias != null) throw invalid([{ path: ['alias'], messages: [aliasTaken] }]);
    }
  }
}

/** A time without seconds keeps a stored time within that minute, with its seconds. */
function withSecondsOf(stored: Date | null, at: { at: Date; toTheMinute: boolean } | null | undefined) {
  const minuteOf = (moment: Date) => Math.floor(moment.getTime() / 60_000);
  if (at == null) return at;
  return at.toTheMinute && stored !== null && minuteOf(stored) === minuteOf(at.at) ? stored : at.at;
}

/**
 * Changes the given fields, and returns the link's id; null clears a field that can be cleared. A list replaces the
 * stored one.
 * @param ifUpdatedAt the expected time of its last change, in ISO 8601; any time by default
 * @throws DomainError VALIDATION, NOT_FOUND, CONFLICT
 */
export async function updateLink(
  db: Db,
  actor: Actor,
  site: Site,
  id: string,
  unparsed: Unparsed<typeof updateLinkInput>,
  now: Date,
  ifUpdatedAt?: string | null,
): Promise<number> {
  const seen = parseIfUpdatedAt(ifUpdatedAt);
  const input = parseInput(updateLinkInput, unparsed);
  const where = owned(actor, id);
  const link = where && (await readStoredLink(db, where));
  if (where === null || link === null) throw notFound('link');
  const refusals = await refusalsOf(db, actor, site, input, link.domainId, link);
  if (input.domainId !== undefined && input.domainId !== link.domainId)
    refusals.push({ path: ['domainId'], messages: [fixedDomain] });
  refusals.push(...privacyRefusals(input, link));
  if (refusals.length > 0) throw invalid(refusals);
  // Hashes passwords, which takes long: once, and not in a transaction.
  const data = await columnsOf(input, site, link);
  /** What the input changes in a stored link; null for nothing. */
  const settingsFor = async (within: Db | Tx, stored: Link): Promise<LinkSettings | null> => {
    requireUnchanged(stored, seen);
    const late = privacyRefusals(input, stored);
    if (late.length > 0) throw invalid(late);
    const columns = differing(stored, {
      ...data,
      expiresAt: withSecondsOf(stored.expiresAt, input.expiration?.at),
    });
    const pixelIds = await otherPixels(within, stored.id, input.pixelIds);
    if (Object.keys(columns).length === 0 && pixelIds === undefined) return null;
    return { columns: { ...columns, updatedAt: timeOfChange(stored, now) }, pixelIds };
  };
  const fieldsIn = ({ columns, pixelIds }: LinkSettings) =>
    fieldsOf({ ...columns, ...(pixelIds && { pixels: pixelIds }) }, fieldNames);
  try {
    const settings = await settingsFor(db, link);
    if (settings === null) return link.id;
    const change = newChange(actor, now, 'UPDATED', 'LINK', fieldsIn(settings));
    if (await updateLinkAsRead(db, link, settings, change)) return link.id;
    // Somebody else has changed the link meanwhile. Now nobody can.
    return await recordingChanges(db, actor, now, async ({ tx, record }) => {
      const stored = await readStoredLink(tx, where, { locked: true });
      if (stored === null) throw notFound('link');
      const settings = await settingsFor(tx, stored);
      if (settings === null) return stored.id;
      await updateLinkIn(tx, stored.id, settings);
      await record('UPDATED', 'LINK', [stored.id], fieldsIn(settings));
      return stored.id;
    });
  } catch (error) {
    // Records have changed since the checks: check again.
    if (isForeignKeyViolation(error) || isUniqueViolation(error))
      return updateLink(db, actor, site, id, unparsed, now, ifUpdatedAt);
    throw error;
  }
}

/**
 * Deletes the link and returns its id.
 * @throws DomainError NOT_FOUND
 */
export async function deleteLink(db: Db, actor: Actor, id: string, now: Date): Promise<number> {
  const kind = { kind: 'LINK', what: 'link', rows: (tx: Tx) => tx.link } as const;
  // The statistics of an account are the sums over its links.
  return deleteOwned(db, kind, actor, id, now, async ({ tx }, linkId) => {
    await forgetStatistics(tx, linkId, actor.accountId);
  });
}
