import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { findFirstAlias, isOnlyAccount } from '../../db/reading/link-for-visit.ts';
import { parseInput, textSchema, timestamp, type Unparsed } from '../../engine/rules/input.ts';
import type { Domain, Link } from '../../generated/sqlite/client.ts';
import { type Actor, owned } from '../access/actor.ts';
import { listCandidates, readPath } from '../link/alias.ts';
import { previewText } from '../link/preview.ts';
import { ofAccount, triedPassword, verifyPassword } from '../password.ts';
import { hostOfText } from '../rule/facts.ts';
import { parseRules, readStoredRules } from '../rule/parse.ts';
import type { Services } from '../services.ts';
import { mayShowPreviews, servesVisitors } from '../short-domain/domain.ts';
import { isBot } from './bot.ts';
import { type ExplainedDecision, explainDecision, notFoundBecause } from './decide-redirect.ts';
import { countryCode } from './visitor.ts';

/** A header of the visitor, with the length that is read for visits. */
const headerInput = textSchema(0, 1_000).nullish();

/** The user agent of a simulated visit that names none: a browser of an unknown system. */
const SOME_BROWSER = 'Mozilla/5.0 (KHTML, like Gecko)';

/** The longest path of a simulated visit, in characters. */
const MAX_PATH = 4_000;

/** The segments of a path that go on to the destination of a link, undefined for none; or why the path leads elsewhere. */
async function findRest(
  db: Data,
  { id, domain }: Pick<Link, 'id'> & { readonly domain: Domain },
  path: string,
): Promise<{ readonly rest?: readonly string[] | undefined; readonly elsewhere?: string }> {
  const meaning = readPath(`/${path.replace(/[?#].*$/s, '').replace(/^\/+/, '')}`);
  const candidates = listCandidates(meaning, domain.forwardsPath);
  const aliases = candidates.map(({ alias }) => alias);
  const found = await findFirstAlias(db, domain.id, aliases);
  if (found === null) return { elsewhere: 'No link has this path.' };
  if (found.id !== id) return { elsewhere: `This path leads to another link, ${found.alias}.` };
  return { rest: candidates.find(({ alias }) => alias === found.alias)?.rest };
}

/** A link, and the visitor of a simulated request. */
export const explainInput = z.object({
  linkId: z.string().meta({ format: 'id', description: 'The id of the link.' }),
  country: textSchema(0, 255)
    .nullish()
    .describe(
      'The country: an ISO 3166-1 alpha-2 code or XK, case-insensitive. Any other text is an unknown country.',
    ),
  userAgent: headerInput.describe(
    'The header User-Agent; by default that of a browser of an unknown system. An empty one, and one that is not ' +
      'in the form of browsers, is that of a bot.',
  ),
  acceptLanguage: headerInput.describe('The header Accept-Language.'),
  referrer: headerInput.describe('The host or the URL that the visitor comes from.'),
  at: timestamp
    .nullish()
    .describe('The time of the visit, in ISO 8601 with an offset from UTC; now by default.'),
  password: triedPassword.nullish().describe('The password that the visitor gives.'),
  path: textSchema(0, MAX_PATH)
    .nullish()
    .describe(
      "The path of the visit on the link's domain, such as /guide/a/b; the path of the link by default.",
    ),
  query: textSchema(0, 2048).nullish().describe('The query string of the visit, without the question mark.'),
});

/**
 * Explains the result of a visit to one of the account's own links. Nothing is counted.
 * @throws DomainError VALIDATION
 */
export async function explainRedirect(
  db: Data,
  actor: Actor,
  services: Pick<Services, 'verifiesDomains' | 'lists' | 'sharedPreviews'>,
  unparsed: Unparsed<typeof explainInput>,
  now: Date,
): Promise<ExplainedDecision> {
  const { input } = parseInput(z.object({ input: explainInput }), { input: unparsed });
  const { linkId, country, acceptLanguage, referrer, at, password, path, query } = input;
  const userAgent = input.userAgent ?? SOME_BROWSER;
  const where = owned(actor, linkId);
  const include = { pixels: true, domain: true, counter: true };
  const found = where && (await db.prisma.link.findUnique({ where, include }));
  if (found === null) return notFoundBecause('Your account has no link with this id.');
  if (!servesVisitors(found.domain, services)) return notFoundBecause('Its domain is not verified.');
  const { elsewhere, rest } = path ? await findRest(db, found, path) : {};
  if (elsewhere !== undefined) return notFoundBecause(elsewhere, 'PATH');
  const { clicks = 0, turns: position = 0 } = found.counter ?? {};
  const hasPreview = previewText(found) !== null;
  const link = { ...found, clicks, position, hasPreview, rules: parseRules(readStoredRules(found.rules)) };
  const { accountId } = found;
  const owner = { accountId, isOfOnlyAccount: hasPreview && (await isOnlyAccount(db, accountId)) };
  const previews = hasPreview && mayShowPreviews(found.domain, owner, services);
  const hash = link.password;
  const visitor = {
    country: countryCode(country ?? ''),
    userAgent,
    platformHint: null,
    acceptLanguage: acceptLanguage ?? '',
    optedOut: false,
    counts: !isBot({ userAgent }),
    passwordGiven:
      password != null && hash != null && (await verifyPassword(ofAccount(actor), password, hash)),
    query: query?.replace(/^\?/, '') ?? '',
    referrerHost: referrer ? hostOfText(referrer) : null,
  };
  const blocked = services.lists.blocks(found);
  const hosts = [found.domain.name];
  const { forwardsPath } = found.domain;
  return explainDecision(link, visitor, at?.at ?? now, { blocked, hosts, forwardsPath, rest, previews });
}
