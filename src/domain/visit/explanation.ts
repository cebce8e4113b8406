import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { parseInput, textSchema, timestamp, type Unparsed } from '../../engine/rules/input.ts';
import { type Actor, owned } from '../access/actor.ts';
import { ofAccount, triedPassword, verifyPassword } from '../password.ts';
import { hostOfText } from '../rule/facts.ts';
import { parseRules, readStoredRules } from '../rule/parse.ts';
import type { Services } from '../services.ts';
import { servesVisitors } from '../short-domain/domain.ts';
import { isBot } from './bot.ts';
import { type ExplainedDecision, explainDecision, notFoundBecause } from './decide-redirect.ts';
import { countryCode } from './visitor.ts';

/** A header of the visitor, with the length that is read for visits. */
const headerInput = textSchema(0, 1_000).nullish();

/** The user agent of a simulated visit that names none: a browser of an unknown system. */
const SOME_BROWSER = 'Mozilla/5.0 (KHTML, like Gecko)';

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
  query: textSchema(0, 2048).nullish().describe('The query string of the visit, without the question mark.'),
});

/**
 * Explains the result of a visit to one of the account's own links. Nothing is counted.
 * @throws DomainError VALIDATION
 */
export async function explainRedirect(
  db: Data,
  actor: Actor,
  services: Pick<Services, 'verifiesDomains' | 'lists'>,
  unparsed: Unparsed<typeof explainInput>,
  now: Date,
): Promise<ExplainedDecision> {
  const { input } = parseInput(z.object({ input: explainInput }), { input: unparsed });
  const { linkId, country, acceptLanguage, referrer, at, password, query } = input;
  const userAgent = input.userAgent ?? SOME_BROWSER;
  const where = owned(actor, linkId);
  const include = { pixels: true, domain: true, counter: true };
  const found = where && (await db.prisma.link.findUnique({ where, include }));
  if (found === null) return notFoundBecause('Your account has no link with this id.');
  if (!servesVisitors(found.domain, services)) return notFoundBecause('Its domain is not verified.');
  const { clicks = 0, turns: position = 0 } = found.counter ?? {};
  const link = { ...found, clicks, position, rules: parseRules(readStoredRules(found.rules)) };
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
  return explainDecision(link, visitor, at?.at ?? now, { blocked, hosts });
}
