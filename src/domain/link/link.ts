import type { Db } from '../../db/connection/client.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/connection/errors.ts';
import { lockRow, type Tx } from '../../db/connection/transaction.ts';
import { forgetStatistics } from '../../db/statistics/forget.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { type Actor, owned } from '../access/actor.ts';
import { differing, fieldsOf, fieldsSet, recordingChanges } from '../change/change.ts';
import { type FieldError, invalid, notFound } from '../errors.ts';
import { foldCase } from '../fold.ts';
import { parseInput, type Unparsed } from '../input.ts';
import { deleteOwned } from '../owned.ts';
import { generateAlias } from './alias.ts';
import { aliasTaken, refusalsOf } from './check.ts';
import {
  createLinkInput,
  fixedDomain,
  type LinkInput,
  missingPrivacyPassword,
  updateLinkInput,
} from './input.ts';
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
}

/** Where visitors find the link. */
export function shortUrlOf(
  { scheme }: Pick<Site, 'scheme'>,
  domain: { name: string },
  { alias }: { alias: string },
): string {
  return `${scheme}//${domain.name}/${alias}`;
}

/** The columns that the input sets; what is absent is undefined. */
async function columnsOf(input: LinkInput, site: Site) {
  const { url, alias, title, spaceId, disabled, privacy, expiration, targeting } = input;
  const hash = (password: string | null | undefined) => (password ? site.hashPassword(password) : password);
  const [password, privacyPassword] = await Promise.all([hash(input.password), hash(input.privacyPassword)]);
  return {
    url,
    urlKey: url && foldCase(url),
    ...(alias ? aliasColumns(alias) : {}),
    title,
    titleKey: title && foldCase(title),
    password,
    spaceId,
    disabled,
    privacy,
    privacyPassword,
    expirationUrl: expiration?.url,
    expiresAt: expiration?.at === null ? null : expiration?.at?.at,
    expirationClicks: expiration?.clicks,
    targetType: targeting?.type,
    ...encodeTargets(targeting ?? {}),
  };
}

function aliasColumns(alias: string) {
  return { alias, aliasKey: foldCase(alias) };
}

/** What the schema calls the columns of a link. */
const fieldNames = {
  url: 'url',
  domainId: 'domain',
  alias: 'alias',
  title: 'title',
  password: 'password',
  spaceId: 'space',
  pixels: 'pixels',
  disabled: 'disabled',
  privacy: 'privacy',
  privacyPassword: 'privacyPassword',
  expirationUrl: 'expiration',
  expiresAt: 'expiration',
  expirationClicks: 'expiration',
  targetType: 'targeting',
  countries: 'targeting',
  platforms: 'targeting',
  languages: 'targeting',
  rotation: 'targeting',
} as const;

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

/** @throws DomainError VALIDATION */
export async function createLink(
  db: Db,
  actor: Actor,
  site: Site,
  unparsed: Unparsed<typeof createLinkInput>,
  now: Date,
): Promise<Link> {
  const input = parseInput(createLinkInput, unparsed);
  const domainId = input.domainId ?? site.defaultDomainId;
  const check = async () => {
    const refusals = await refusalsOf(db, actor, input, domainId, null);
    if (refusals.length > 0) throw invalid(refusals);
  };
  await check();
  const { url, pixelIds = [] } = input;
  const data = {
    ...(await columnsOf(input, site)),
    url,
    urlKey: foldCase(url),
    ...(pixelIds.length > 0 && { pixels: pixelsOf(pixelIds) }),
    accountId: actor.accountId,
    domainId,
    createdAt: now,
    updatedAt: now,
  };
  for (let attempt = 0; ; attempt++) {
    const alias = input.alias ?? generateAlias(attempt, (below) => site.random(below));
    try {
      const row = { ...data, ...aliasColumns(alias) };
      return await recordingChanges(db, actor, now, async ({ tx, record }) => {
        const link = await tx.link.create({ data: row });
        await record('CREATED', 'LINK', [link.id], fieldsSet(row, fieldNames));
        return link;
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
 * Changes the fields that are there; null clears a field that can be cleared. A list replaces the stored one.
 * @throws DomainError VALIDATION, NOT_FOUND
 */
export async function updateLink(
  db: Db,
  actor: Actor,
  site: Site,
  id: string,
  unparsed: Unparsed<typeof updateLinkInput>,
  now: Date,
): Promise<Link> {
  const input = parseInput(updateLinkInput, unparsed);
  const where = owned(actor, id);
  const link = where && (await db.link.findUnique({ where }));
  if (where === null || link === null) throw notFound('link');
  const refusals = await refusalsOf(db, actor, input, link.domainId, link);
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
      if (Object.keys(columns).length === 0 && !firesOthers) return stored;
      const pixels = firesOthers && { pixels: { deleteMany: {}, ...pixelsOf(pixelIds) } };
      const updated = await tx.link.update({ where, data: { ...columns, ...pixels, updatedAt: now } });
      await record('UPDATED', 'LINK', [where.id], fieldsOf({ ...columns, ...pixels }, fieldNames));
      return updated;
    });
  } catch (error) {
    // What the checks saw changed meanwhile: they are asked again.
    if (isForeignKeyViolation(error) || isUniqueViolation(error))
      return updateLink(db, actor, site, id, unparsed, now);
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
