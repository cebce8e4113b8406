import type { Db } from '../../db/connection/client.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/connection/errors.ts';
import { lockRow, type Tx } from '../../db/connection/transaction.ts';
import { insertLink, insertLinkIn } from '../../db/insert-link.ts';
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

/** What of the service its records depend on. */
export interface Site {
  /** The scheme of short URLs: `https:`. */
  readonly scheme: string;
  /** The domain of links that name none. */
  readonly defaultDomainId: number;
  /** A whole number from 0 up to, and without, the given one. */
  random(below: number): number;
  /** A hash that `verifyPassword` knows. */
  hashPassword(password: string): Promise<string>;
  /** Whether a domain serves visitors only once it is verified. */
  readonly verifiesDomains: boolean;
  /** The texts of the TXT records that DNS has under a name. */
  resolveTxt(name: string): Promise<readonly string[]>;
  /** What the operator lets no link lead to, or be called. */
  readonly lists: OperatorLists;
}

/** Where visitors find the link. */
export function shortUrlOf(
  { scheme }: Pick<Site, 'scheme'>,
  domain: { name: string },
  { alias }: { alias: string },
): string {
  return `${scheme}//${domain.name}/${alias}`;
}

/** The columns that the input sets; what is absent is undefined. A field that is not taken apart here has a column of its name. */
export async function columnsOf(input: LinkInput, site: Site) {
  const { alias, expiration, targeting, domainId: _domainId, pixelIds: _pixelIds, ...columns } = input;
  const hash = (password: string | null | undefined) => (password ? site.hashPassword(password) : password);
  const [password, privacyPassword] = await Promise.all([hash(input.password), hash(input.privacyPassword)]);
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

/** What the schema calls the columns of a link that it does not call by their own names. */
export const fieldNames: FieldNames = {
  domainId: 'domain',
  spaceId: 'space',
  ...{ expirationUrl: 'expiration', expiresAt: 'expiration', expirationClicks: 'expiration' },
  targetType: 'targeting',
  ...{ countries: 'targeting', platforms: 'targeting', languages: 'targeting', rotation: 'targeting' },
};

/** Ids as a text that is the same for the same ones. */
function listed(ids: readonly number[]): string {
  return [...new Set(ids)].sort((a, b) => a - b).join();
}

/** What is wrong with the statistics' password, once the input is in the link. */
function privacyRefusals(input: LinkInput, link: Link): FieldError[] {
  const { privacy = link.privacy, privacyPassword = link.privacyPassword } = input;
  if (privacy !== 'PASSWORD' || privacyPassword !== null) return [];
  return [{ path: ['privacyPassword'], messages: [missingPrivacyPassword] }];
}

function pixelsOf(pixelIds: readonly number[]) {
  return { createMany: { data: [...new Set(pixelIds)].map((pixelId) => ({ pixelId })) } };
}

/** Finds links that are as the input asks for one, of what of it was given. */
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
 * Makes a link, or takes the account's newest active one with the same domain and given fields, where that will do. Returns its
 * id.
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
    // Another may have made just that meanwhile, and have the alias.
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
      // What the checks saw may be gone by now; the constraints have the last word.
      if (isForeignKeyViolation(error)) await check();
      if (!isUniqueViolation(error)) throw error;
      if (input.alias != null) throw invalid([{ path: ['alias'], messages: [aliasTaken] }]);
    }
  }
}

/** A moment that was given to the minute leaves the stored one of that minute as it is, with its seconds. */
function withSecondsOf(stored: Date | null, at: { at: Date; toTheMinute: boolean } | null | undefined) {
  const minuteOf = (moment: Date) => Math.floor(moment.getTime() / 60_000);
  if (at == null) return at;
  return at.toTheMinute && stored !== null && minuteOf(stored) === minuteOf(at.at) ? stored : at.at;
}

/**
 * Changes the fields that are there, and returns the link's id; null clears a field that can be cleared. A list replaces the
 * stored one.
 * @param ifUpdatedAt when it must have been changed last, in ISO 8601; whenever by default
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
  const link = where && (await db.link.findUnique({ where }));
  if (where === null || link === null) throw notFound('link');
  const refusals = await refusalsOf(db, actor, site, input, link.domainId, link);
  if (input.domainId !== undefined && input.domainId !== link.domainId)
    refusals.push({ path: ['domainId'], messages: [fixedDomain] });
  refusals.push(...privacyRefusals(input, link));
  if (refusals.length > 0) throw invalid(refusals);
  const data = await columnsOf(input, site);
  const { pixelIds } = input;
  try {
    return await recordingChanges(db, actor, now, async ({ tx, record }) => {
      await lockRow(tx, 'Link', where.id);
      const row = await tx.link.findUnique({ where, include: { pixels: pixelIds !== undefined } });
      if (row === null) throw notFound('link');
      requireUnchanged(row, seen);
      const { pixels: fired = [], ...stored } = row;
      // Somebody else may have changed it since the check above.
      const late = privacyRefusals(input, stored);
      if (late.length > 0) throw invalid(late);
      const columns = differing(stored, {
        ...data,
        expiresAt: withSecondsOf(stored.expiresAt, input.expiration?.at),
      });
      const before = fired.map(({ pixelId }) => pixelId);
      const firesOthers = pixelIds !== undefined && listed(before) !== listed(pixelIds);
      if (Object.keys(columns).length === 0 && !firesOthers) return where.id;
      const pixels = firesOthers && { pixels: { deleteMany: {}, ...pixelsOf(pixelIds) } };
      await tx.link.update({
        where,
        data: { ...columns, ...pixels, updatedAt: timeOfChange(stored, seen, now) },
      });
      await record('UPDATED', 'LINK', [where.id], fieldsOf({ ...columns, ...pixels }, fieldNames));
      return where.id;
    });
  } catch (error) {
    // What the checks saw changed meanwhile: they are asked again.
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
  // What is counted of an account is the sum over the links that it has.
  return deleteOwned(db, kind, actor, id, now, async ({ tx }, linkId) => {
    await forgetStatistics(tx, linkId, actor.accountId);
  });
}
