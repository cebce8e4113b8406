import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { findFirstAlias, isOnlyAccount } from '../../db/reading/link-for-visit.ts';
import { DomainError, type FieldError, fieldError, invalid } from '../../engine/rules/errors.ts';
import { idSchema, parseInput, textSchema, timestamp, type Unparsed } from '../../engine/rules/input.ts';
import type { Domain, Link } from '../../generated/sqlite/client.ts';
import { type Actor, owned } from '../access/actor.ts';
import { listCandidates, readPath } from '../link/alias.ts';
import { findDraftErrors } from '../link/check.ts';
import { updateLinkInput, wrongSpace } from '../link/fields.ts';
import { previewText } from '../link/preview.ts';
import { encodeTargets } from '../link/targeting.ts';
import { ofAccount, triedPassword, verifyPassword } from '../password.ts';
import { ruleColumns } from '../rule/columns.ts';
import { hostOfText } from '../rule/facts.ts';
import { NO_STORED_RULES, parseRules, readStoredRules } from '../rule/parse.ts';
import { refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import { mayShowPreviews, servesVisitors } from '../short-domain/domain.ts';
import { utmFor } from '../utm-template.ts';
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

/** A new link, of which nothing is stored. */
const NEW_LINK = {
  ...{ alias: '', url: '', password: null, disabled: false, forwardsQuery: true, pixels: [] },
  ...{ expirationUrl: null, expiresAt: null, expirationClicks: null, startsAt: null },
  ...{ targetType: 'NONE', countries: '[]', platforms: '[]', languages: '[]', rotation: '[]' },
  ...{ rules: NO_STORED_RULES, ruleTests: '[]' },
};

const { url, targeting, rules, ruleTests, utmTemplateId, utmOnTargets } = updateLinkInput.shape;
const INSTEAD = "for this question instead of the link's own, checked as in an update.";
/** Parts of a link as a change would set them, which are asked about and not stored. */
const draftInput = z.object({
  url: url.unwrap().nullish().describe(`The destination ${INSTEAD}`),
  targeting: targeting.describe(`The targeting ${INSTEAD}`),
  rules: rules.describe(`The rules ${INSTEAD} New ones get the ids that an update would give them.`),
  ruleTests: ruleTests.describe(`The tests of the rules ${INSTEAD} A test that fails is a warning.`),
  utmTemplateId: utmTemplateId
    .unwrap()
    .nullish()
    .describe('The id of a UTM template, whose parameters are added for this question as in an update.'),
  utmOnTargets: utmOnTargets
    .unwrap()
    .nullish()
    .describe(utmOnTargets.unwrap().description ?? ''),
  alias: textSchema(0, MAX_PATH)
    .nullish()
    .describe(
      "The alias that fills the template; the link's own by default, and for a new link none is filled.",
    ),
  spaceId: idSchema(wrongSpace)
    .nullish()
    .describe("The id of the space whose name fills the template; the link's own by default."),
});

/** A link, and the visitor of a simulated request. */
export const explainInput = z.object({
  linkId: z
    .string()
    .nullish()
    .meta({ format: 'id', description: 'The id of the link; absent for a new link with the given `url`.' }),
  ...draftInput.shape,
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

/** The columns on which the warnings of rules depend. */
type Warned = Pick<Link, 'url' | 'rules' | 'ruleTests'>;

/** A decision with the rules and tests that it is about; without them, there is no link. */
export interface Explanation extends ExplainedDecision {
  readonly link?: Warned;
}

type Draft = z.output<typeof draftInput>;

/** An error of a field, as one of the question. */
const ofInput = (error: FieldError): FieldError => ({ ...error, path: ['input', ...error.path] });

/**
 * The columns of a link that a draft stands for.
 * @param stored null for a new link
 * @throws DomainError VALIDATION, as a change to these columns would
 */
async function draftColumns(
  db: Data,
  actor: Actor,
  services: Pick<Services, 'lists' | 'isOtherName'>,
  { url: given, targeting, rules, ruleTests, ...utm }: Draft,
  stored: Link | null,
  now: Date,
) {
  const url = given ?? undefined;
  const input = { url, targeting, rules, ruleTests };
  if (Object.values({ ...input, utm: utm.utmTemplateId ?? undefined }).every((part) => part === undefined))
    return {};
  const errors = await findDraftErrors(db, actor, services, input, stored, now);
  if (errors.length > 0) throw invalid(errors.map(ofInput));
  const columns = {
    ...{ url, targetType: targeting?.type, ...encodeTargets(targeting ?? {}) },
    ...ruleColumns({ rules, ruleTests }, stored, now),
  };
  const set = Object.fromEntries(Object.entries(columns).filter(([, one]) => one !== undefined)) as {
    [Name in keyof typeof columns]?: NonNullable<(typeof columns)[Name]>; // Those that the draft sets.
  };
  const { alias, spaceId = stored?.spaceId } = utm;
  const before = { ...(stored ?? NEW_LINK), ...set, alias: alias || stored?.alias || '{alias}' };
  try {
    return { ...set, ...(await utmFor(db, actor, utm, spaceId, now))(before) };
  } catch (error) {
    throw error instanceof DomainError ? invalid(error.fields.map(ofInput)) : error;
  }
}

/**
 * Explains the result of a visit to one of the account's own links, or to a new one. Nothing is counted or stored.
 * @throws DomainError VALIDATION
 */
export async function explainRedirect(
  db: Data,
  actor: Actor,
  services: Pick<Services, 'verifiesDomains' | 'lists' | 'sharedPreviews' | 'isOtherName'>,
  unparsed: Unparsed<typeof explainInput>,
  now: Date,
): Promise<Explanation> {
  const { input } = parseInput(z.object({ input: explainInput }), { input: unparsed });
  const { linkId, country, acceptLanguage, referrer, at, password, path, query } = input;
  const userAgent = input.userAgent ?? SOME_BROWSER;
  const where = linkId == null ? null : owned(actor, linkId);
  const include = { pixels: true, domain: true, counter: true };
  const stored = where && (await db.prisma.link.findUnique({ where, include }));
  if (stored === null && linkId != null) return notFoundBecause('Your account has no link with this id.');
  if (stored === null && input.url == null)
    throw invalid([fieldError(['input', 'url'], refusal('REQUIRED'))]);
  const found = { ...(stored ?? NEW_LINK), ...(await draftColumns(db, actor, services, input, stored, now)) };
  const asked = { url: found.url, rules: found.rules, ruleTests: found.ruleTests };
  const notFound = (...why: Parameters<typeof notFoundBecause>) => ({
    ...notFoundBecause(...why),
    link: asked,
  });
  if (stored !== null && !servesVisitors(stored.domain, services))
    return notFound('Its domain is not verified.');
  const { elsewhere, rest } = stored && path ? await findRest(db, stored, path) : {};
  if (elsewhere !== undefined) return notFound(elsewhere, 'PATH');
  const { clicks = 0, turns: position = 0 } = stored?.counter ?? {};
  const hasPreview = stored !== null && previewText(stored) !== null;
  const link = { ...found, clicks, position, hasPreview, rules: parseRules(readStoredRules(found.rules)) };
  const previews = hasPreview && (await showsPreviews(db, stored, services));
  const hash = found.password;
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
  const hosts = stored === null ? [] : [stored.domain.name];
  const forwardsPath = stored?.domain.forwardsPath;
  const decision = explainDecision(link, visitor, at?.at ?? now, {
    ...{ blocked, hosts, forwardsPath, rest, previews },
  });
  return { ...decision, link: asked };
}

/** True if the domain of a link shows previews to programs. */
async function showsPreviews(
  db: Data,
  { accountId, domain }: Link & { readonly domain: Domain },
  services: Pick<Services, 'verifiesDomains' | 'sharedPreviews'>,
): Promise<boolean> {
  return mayShowPreviews(
    domain,
    { accountId, isOfOnlyAccount: await isOnlyAccount(db, accountId) },
    services,
  );
}
