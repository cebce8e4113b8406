import type { Data } from '../../db/database.ts';
import type { SelectedLink } from '../../db/links.ts';
import type { LinkSelect } from '../../db/reading/link-list.ts';
import { notFound } from '../../engine/rules/errors.ts';
import { parseInput, type Unparsed } from '../../engine/rules/input.ts';
import { type Actor, owned } from '../access/actor.ts';
import { withoutIds } from '../rule/columns.ts';
import { readStoredRules, readStoredTests } from '../rule/parse.ts';
import type { Services } from '../services.ts';
import { type createLinkInput, duplicateLinkInput } from './fields.ts';
import { createCopy } from './link.ts';
import { imagePath } from './preview.ts';
import { parseTargetLists } from './targeting.ts';

/** A link to copy, and what differs in the copy. */
export interface Duplication {
  readonly id: string;
  readonly input?: Unparsed<typeof duplicateLinkInput> | null | undefined;
}

/** Reads what a copy has of the account's link. @throws DomainError NOT_FOUND */
async function readCopied({ prisma }: Data, actor: Actor, id: string) {
  const where = owned(actor, id);
  const include = {
    pixels: { select: { pixelId: true }, orderBy: { pixelId: 'asc' } },
    tags: { select: { tagId: true }, orderBy: { tagId: 'asc' } },
  } as const;
  const link = where && (await prisma.link.findUnique({ where, include }));
  if (link === null) throw notFound('link');
  return link;
}

/** The fields of a link as an input of a new one: without its alias, its external id and its passwords. */
function asInput(link: Awaited<ReturnType<typeof readCopied>>) {
  const { url, title, notes, disabled, forwardsQuery, archived, redirectStatus } = link;
  return {
    ...{ url, title, notes, disabled, forwardsQuery, archived, redirectStatus },
    // The database has only the choices of these columns.
    privacy: link.privacy as Unparsed<typeof createLinkInput>['privacy'],
    domainId: String(link.domainId),
    spaceId: link.spaceId === null ? null : String(link.spaceId),
    pixelIds: link.pixels.map(({ pixelId }) => String(pixelId)),
    tagIds: link.tags.map(({ tagId }) => String(tagId)),
    startsAt: link.startsAt?.toISOString() ?? null,
    expiration: {
      url: link.expirationUrl,
      at: link.expiresAt?.toISOString() ?? null,
      clicks: link.expirationClicks,
    },
    targeting: { type: link.targetType, ...parseTargetLists(link) },
    preview: {
      title: link.previewTitle,
      description: link.previewDescription,
      image: link.previewImage === null ? null : imagePath(link.previewImage),
    },
    rules: withoutIds(readStoredRules(link.rules).rules),
    ruleTests: readStoredTests(link.ruleTests),
  };
}

/**
 * Creates a link with the fields of another one of the account, apart from those that are given, and without its clicks. A list
 * replaces the copied one; absent fields of `expiration`, `targeting` and `preview` are copied.
 * @param select which fields of the new link are returned in addition to its id
 * @throws DomainError VALIDATION, NOT_FOUND
 */
export async function duplicateLink(
  db: Data,
  actor: Actor,
  services: Services,
  { id, input: unparsed }: Duplication,
  now: Date,
  select: LinkSelect,
): Promise<SelectedLink> {
  const given = unparsed ?? {};
  const { password, privacyPassword, rules, ruleTests } = parseInput(duplicateLinkInput, given);
  const link = await readCopied(db, actor, id);
  const { expiration, targeting, preview, ...others } = asInput(link);
  const input = {
    ...others,
    ...given,
    ...{ expiration: given.expiration === null ? null : { ...expiration, ...given.expiration } },
    ...{ targeting: given.targeting === null ? null : { ...targeting, ...given.targeting } },
    ...{ preview: given.preview === null ? null : { ...preview, ...given.preview } },
  };
  const copied = {
    password: password === undefined ? link.password : undefined,
    privacyPassword: privacyPassword === undefined ? link.privacyPassword : undefined,
    hasSameTests: rules === undefined && ruleTests === undefined,
  };
  // What is stored was an input, and is parsed as any other.
  return createCopy(db, actor, services, { input: input as never, copied }, now, select);
}
