// The fields of links: the schemas of inputs (`createLinkInput`, `updateLinkInput`), which v1 and GraphQL describe and validate
// by, the columns that they set (`buildColumns`, which also hashes passwords), and the names of fields in the log. Only the
// form of values is checked here; what they refer to, in `check.ts`.
import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import type { NewLink } from '../../db/links.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import {
  flag,
  foldCase,
  idSchema,
  integerSchema,
  listSchema,
  makePlainKey,
  nameSchema,
  notATimestamp,
  numberSchema,
  textSchema,
  timestamp,
  type Unparsed,
  withDefault,
} from '../../engine/rules/input.ts';
import { Refusal, refusalIn } from '../../engine/rules/refusal.ts';
import { webAddress } from '../../engine/rules/url.ts';
import { keysOf } from '../../engine/tools/keys-of.ts';
import { SHORT_TEXT } from '../../engine/tools/remembered.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { type FieldNames, fieldsSet } from '../change/change.ts';
import { ofAccount, passwordInput } from '../password.ts';
import { rulesInput, ruleTestsInput } from '../rule/input.ts';
import { MAX_RULE_TESTS, MAX_RULES } from '../rule/limits.ts';
import { because, refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import { aliasInput } from './alias.ts';
import { ALIAS_RULE } from './alias-grammar.ts';
import { noPreview, previewColumns, previewInput } from './preview.ts';
import { linkPrivacy } from './privacy.ts';
import { encodeTargets, MAX_TARGETS, targetLists, targetTypeInput } from './targeting.ts';

export const wrongDomain = because(
  refusal('ID', { what: 'a domain that you may use' }),
  'UNKNOWN_DOMAIN',
  {},
);
export const fixedDomain = refusal('FIXED_DOMAIN');
/** The refusal of another value than the link has, or is to have. */
export const fixedInUpsert = refusal('FIXED_IN_UPSERT');
export const wrongSpace = because(refusal('ID', { what: 'one of your spaces' }), 'UNKNOWN_SPACE', {});
export const wrongPixel = refusal('PIXELS');
export const wrongTag = refusal('TAGS');
export const wrongUtmTemplate = because(
  refusal('ID', { what: 'one of your UTM templates' }),
  'UNKNOWN_UTM_TEMPLATE',
  {},
);
export const missingPrivacyPassword = refusal('PRIVACY_PASSWORD');

export const MAX_PIXELS = 50;
export const MAX_TAGS = 50;
const tagList = (words: string) => listSchema(idSchema(wrongTag), MAX_TAGS).describe(words);

/** A field that null sets to its empty value; an absent field stays absent. */
function clearedTo<Schema extends z.ZodType>(schema: Schema, nothing: z.output<Schema>) {
  return schema
    .nullable()
    .transform((given) => given ?? nothing)
    .optional();
}

/** Midnight in UTC of the day on which a link already expires: for clients that send date and time separately. */
export const MIDNIGHT = 'T00:00Z';

/** A time; in an update, also `MIDNIGHT`. */
const expiry = z
  .string(notATimestamp)
  .refine(({ length }) => length <= SHORT_TEXT, { ...notATimestamp, abort: true })
  .trim()
  .transform((text, context): z.output<typeof timestamp> | typeof MIDNIGHT => {
    if (text === MIDNIGHT) return MIDNIGHT;
    const { data, error } = timestamp.safeParse(text);
    for (const issue of error?.issues ?? []) context.addIssue(new Refusal(refusalIn(issue)).issue);
    return data ?? z.NEVER;
  });

const expiration = z
  .object({
    url: webAddress
      .describe(
        "The absolute http or https URL for visitors after the link has expired; the service's own page by default.",
      )
      .nullish(),
    at: expiry
      .describe(
        'When the link expires, in ISO 8601 with an offset from UTC, such as 2027-01-01T00:00:00Z. A time ' +
          'without seconds does not change a stored time within that minute. In an update, T00:00Z alone is ' +
          'the start of the day on which the link already expires.',
      )
      .nullish(),
    clicks: integerSchema(1, 999_999_999)
      .describe('The click limit: the link expires after this many clicks, 1 to 999999999.')
      .nullish(),
  })
  .meta({
    title: 'LinkExpiration',
    description:
      'When a link expires, and where visitors go then. In an update, absent fields do not change, and null clears a field.',
  });
const noExpiration = { url: null, at: null, clicks: null };

const targeting = z
  .object({
    type: clearedTo(targetTypeInput.describe('How the link chooses a target.'), 'NONE'),
    ...targetLists,
  })
  .meta({
    title: 'LinkTargeting',
    description:
      `Different destinations for different visitors. Each list, of at most ${MAX_TARGETS} entries, replaces ` +
      `the stored list of its kind; null empties it. In an update, absent lists do not change.`,
  });
const noTargeting = {
  type: 'NONE',
  countries: null,
  platforms: null,
  languages: null,
  rotation: null,
} as const;

/** A text that null and the empty text clear. */
export function clearableText(max: number, words: string) {
  return textSchema(0, max)
    .describe(words)
    .transform((text) => text || null)
    .nullish();
}

/** Plain texts, each in a column of the same name; exports have them too. */
const texts = {
  title: clearableText(255, 'The title, at most 255 characters.'),
  notes: clearableText(
    5_000,
    'Notes for the people of the account, at most 5000 characters; visitors never get them.',
  ),
};

export const linkTexts = keysOf(texts);

/** The longest external id, in characters. */
export const MAX_EXTERNAL_ID = 255;
/** An id that an account's own system gives a link. */
export const externalIdInput = nameSchema(MAX_EXTERNAL_ID);

/** The fields that null clears. */
const clearable = {
  ...texts,
  externalId: externalIdInput
    .describe(
      `An id of your own for the link, 1 to ${MAX_EXTERNAL_ID} characters; unique in the account, case-sensitive.`,
    )
    .nullish(),
  password: passwordInput.describe('The password that visitors must enter, 1 to 128 characters.').nullish(),
  spaceId: idSchema(wrongSpace).describe('The id of the space of the link.').nullish(),
  pixelIds: clearedTo(
    listSchema(idSchema(wrongPixel), MAX_PIXELS).describe(
      'The ids of the pixels that the link fires; replaces all of them.',
    ),
    [],
  ),
  tagIds: clearedTo(tagList('The ids of the tags of the link; replaces all of them.'), []),
  privacyPassword: passwordInput
    .describe(
      'The password for the statistics, 1 to 128 characters; required if privacy is PASSWORD, and cannot be cleared then.',
    )
    .nullish(),
  startsAt: timestamp
    .meta({
      format: 'date-time',
      description:
        'When the link begins, before it expires: until then, it does not exist for visitors. ' +
        'A time without seconds does not change a stored time within that minute.',
    })
    .nullish(),
  expiration: clearedTo(expiration, noExpiration).describe('When the link expires.'),
  targeting: clearedTo(targeting, noTargeting).describe('Different destinations for different visitors.'),
  preview: clearedTo(previewInput, noPreview).describe('The card that chats and social networks show.'),
  rules: clearedTo(rulesInput, []).describe(
    `Who goes where, in order: the first rule that matches leads, before the targeting. At most ${MAX_RULES}; replaces all of them.`,
  ),
  ruleTests: clearedTo(ruleTestsInput, []).describe(
    `Tests of the rules, at most ${MAX_RULE_TESTS}; replaces all of them. A change of rules or tests is refused if one fails.`,
  ),
};

const url = webAddress.describe(
  'The destination: an absolute http or https URL, at most 2048 characters, not on a short domain of the service.',
);
const disabled = flag.describe('Whether the link is disabled.');
/** One-time fields, which act on the link as it is after the change. */
const utmTemplateId = idSchema(wrongUtmTemplate).describe(
  'The id of a UTM template, whose parameters are added to the URL now; one that it has already stays as it is.',
);
const utmOnTargets = flag.describe(
  'Whether the targets get the parameters of the template, too; true by default.',
);
const forwardsQuery = flag.describe('Whether the query of a visit goes on to the destination.');
const archived = flag.describe(
  'Whether the link is archived: lists leave it out by default, and visitors see no difference.',
);

/** The statuses of redirects to destinations. */
export const redirectStatuses = [301, 302, 307, 308] as const;
const choices = redirectStatuses.join(', ');
const redirectStatus = numberSchema(
  (status) => redirectStatuses.some((one) => one === status),
  refusal('CHOICE', { choices }),
)
  .meta({ type: 'integer', enum: redirectStatuses })
  .describe(
    `The HTTP status of the redirect: ${choices}. After a password it is always 303, and no redirect is ever cached.`,
  );

/** A field of a new link that keeps the default of its column if it is absent or null. */
function byColumn<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema> & (boolean | number)) {
  return schema
    .nullish()
    .meta({ default: value })
    .transform((given) => given ?? undefined);
}

export const createLinkInput = z
  .object({
    url,
    domainId: idSchema(wrongDomain)
      .nullish()
      .describe("The domain of the link; the service's own by default."),
    alias: aliasInput
      .nullish()
      .describe(
        `${ALIAS_RULE}; unique on its domain, case-sensitive; a short alias is generated by default.`,
      ),
    ...clearable,
    utmTemplateId: utmTemplateId.nullish(),
    utmOnTargets: utmOnTargets.nullish(),
    reuse: flag
      .nullish()
      .describe(
        'If true, the result is the newest active link of the account with the same domain and the same given ' +
          'fields, if there is one; else a new link. False by default.',
      ),
    disabled: withDefault(disabled, false),
    forwardsQuery: withDefault(forwardsQuery, true),
    privacy: withDefault(linkPrivacy, 'PUBLIC'),
    archived: byColumn(archived, false),
    redirectStatus: byColumn(redirectStatus, 302),
  })
  .refine(({ expiration }) => expiration?.at !== MIDNIGHT, {
    path: ['expiration', 'at'],
    ...notATimestamp,
  })
  .refine(({ reuse, utmTemplateId }) => !reuse || utmTemplateId == null, {
    path: ['utmTemplateId'],
    ...refusal('EXCLUSIVE', { other: 'reuse' }),
    when: () => true,
  })
  .refine(({ privacy, privacyPassword }) => privacy !== 'PASSWORD' || privacyPassword != null, {
    path: ['privacyPassword'],
    ...missingPrivacyPassword,
    // Also if another field is wrong: all errors are reported at once.
    when: () => true,
  });

export const updateLinkInput = z.object({
  url: url.optional(),
  domainId: idSchema(fixedDomain).optional().describe('The domain of the link; it cannot change.'),
  alias: aliasInput.optional().describe(`The alias: ${ALIAS_RULE}.`),
  ...clearable,
  addTagIds: tagList('The ids of tags to add to those of the link.').optional(),
  removeTagIds: tagList('The ids of tags to take from the link, after the others are added.').optional(),
  utmTemplateId: utmTemplateId.optional(),
  utmOnTargets: utmOnTargets.optional(),
  disabled: disabled.optional(),
  forwardsQuery: forwardsQuery.optional(),
  privacy: linkPrivacy.optional(),
  archived: archived.optional(),
  redirectStatus: redirectStatus.optional(),
});

const { addTagIds: _addTagIds, removeTagIds: _removeTagIds, ...copiedFields } = updateLinkInput.shape;

/** The difference between a link and its copy. */
export const duplicateLinkInput = z.object({
  ...copiedFields,
  domainId: idSchema(wrongDomain)
    .nullish()
    .describe('The domain of the new link; that of the other one by default.'),
  alias: aliasInput
    .nullish()
    .describe(
      `The alias of the new link: ${ALIAS_RULE}; unique on its domain; a short alias is generated by default.`,
    ),
  externalId: externalIdInput
    .nullish()
    .describe(`An id of your own for the new link, 1 to ${MAX_EXTERNAL_ID} characters; none by default.`),
});

export type NewLinkInput = Omit<z.output<typeof createLinkInput>, 'reuse'> & {
  readonly addTagIds?: undefined;
  readonly removeTagIds?: undefined;
};
/** The fields of a new link or a change, as far as they are given. */
export type LinkInput = Partial<NewLinkInput> | z.output<typeof updateLinkInput>;

/** The names of the fields that null clears. */
export const clearableFields: ReadonlySet<string> = new Set(keysOf(clearable));

/** The fields of a parsed input that were given: neither absent, nor null, nor a default. */
export function givenFields(
  input: NewLinkInput,
  unparsed: Unparsed<typeof createLinkInput>,
): Partial<NewLinkInput> {
  const sent = new Map<string, unknown>(Object.entries(unparsed));
  const entries = Object.entries(input).filter(([name]) => sent.get(name) != null);
  return Object.fromEntries(entries) as Partial<NewLinkInput>; // A subset of its entries.
}

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];

/** Returns the expiry or the start after a change. A given time without seconds keeps a stored time within the same minute. */
export function resolveTime(
  stored: Date | null,
  given: NonNullable<LinkInput['expiration']>['at'],
): Date | null | undefined {
  const roundDown = (time: Date, length: number) => Math.floor(time.getTime() / length) * length;
  if (given === MIDNIGHT) return stored && new Date(roundDown(stored, DAY_MS));
  if (given == null) return given;
  const isKept =
    given.toTheMinute && stored !== null && roundDown(stored, MINUTE_MS) === roundDown(given.at, MINUTE_MS);
  return isKept ? stored : given.at;
}

/** The caller, the services and the time by which columns are made. */
export interface Building {
  readonly db: Data;
  readonly services: Services;
  readonly actor: Writer;
  readonly now: Date;
}

/**
 * The columns that the input sets; absent fields are undefined. Fields not handled here have a column of the same name.
 * @param stored the link that is changed, if any: a password that it has already keeps its hash
 */
export async function buildColumns(input: LinkInput, { db, services, actor, now }: Building, stored?: Link) {
  const { alias, expiration, targeting, preview, domainId: _domainId, pixelIds: _pixelIds, ...given } = input;
  const { rules: _rules, ruleTests: _ruleTests, ...others } = given;
  const { tagIds: _tagIds, addTagIds: _added, removeTagIds: _removed, startsAt, ...rest } = others;
  const { utmTemplateId: _utmTemplateId, utmOnTargets: _utmOnTargets, ...columns } = rest;
  const hash = async (name: 'password' | 'privacyPassword') => {
    const [given, before] = [input[name], stored?.[name]];
    if (!given) return given;
    const owner = ofAccount(actor);
    const isSame = before && (await services.verifyPassword(owner, given, before));
    return isSame ? before : services.hashPassword(owner, given);
  };
  const [password, privacyPassword] = await Promise.all([hash('password'), hash('privacyPassword')]);
  const card = await previewColumns(db, actor, services, preview, now);
  return {
    ...columns,
    ...card,
    urlKey: input.url && foldCase(input.url),
    ...(alias ? aliasColumns(alias) : {}),
    titleKey: input.title && foldCase(input.title),
    password,
    privacyPassword,
    expirationUrl: expiration?.url,
    startsAt: resolveTime(stored?.startsAt ?? null, startsAt),
    expiresAt: resolveTime(stored?.expiresAt ?? null, expiration?.at),
    expirationClicks: expiration?.clicks,
    targetType: targeting?.type,
    ...encodeTargets(targeting ?? {}),
  };
}

/** The row with what a search anywhere finds besides its keys. */
export function withPlainKey<
  Row extends { readonly titleKey?: string | null | undefined; readonly urlKey: string },
>(row: Row) {
  return { ...row, plainKey: makePlainKey(row.titleKey, row.urlKey) };
}

/** The fields that a new link has, for the log of changes. */
export function newLinkFields({ row, pixelIds, tagIds }: NewLink): string[] {
  const lists = {
    ...(pixelIds.length > 0 && { pixels: pixelIds }),
    ...(tagIds.length > 0 && { tags: tagIds }),
  };
  return fieldsSet({ ...row, id: null, ...lists }, fieldNames);
}

export function aliasColumns(alias: string) {
  return { alias, aliasKey: foldCase(alias) };
}

/** The schema's names of a link's columns, if they differ. */
export const fieldNames: FieldNames = {
  domainId: 'domain',
  spaceId: 'space',
  expirationUrl: 'expiration',
  expiresAt: 'expiration',
  expirationClicks: 'expiration',
  targetType: 'targeting',
  countries: 'targeting',
  platforms: 'targeting',
  languages: 'targeting',
  rotation: 'targeting',
  previewTitle: 'preview',
  previewDescription: 'preview',
  previewImage: 'preview',
};
