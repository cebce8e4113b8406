import { z } from 'zod';
import { foldCase, trimPasted } from '../../engine/rules/input.ts';
import { itemsInJson } from '../../engine/tools/json-size.ts';
import { splitPieces } from '../../engine/tools/pieces.ts';
import { isAlias, normalizeAlias } from '../link/alias-grammar.ts';
import { linkTexts, MAX_PIXELS, MAX_TAGS } from '../link/fields.ts';
import { MAX_TARGETS } from '../link/targeting.ts';
import { color as colorRule, name as nameRule } from '../name-and-color.ts';
import { MAX_RULE_TARGETS, MAX_RULE_TESTS, MAX_RULES } from '../rule/limits.ts';
import { refusal } from '../rules.ts';
import { MAX_APPS } from '../short-domain/apps.ts';
import { normalizeDomainName } from '../short-domain/host.ts';
import { type Format, type ImportRecord, importFormats } from './formats.ts';
import { linkIn } from './pasted.ts';
import { parseTime } from './times.ts';
import { foldWord, words } from './words.ts';

const MAX_SHOWN = 60;

/** A text, shortened for a message. */
export function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** A value for a message. */
export function shown(value: unknown): string {
  try {
    const beginning = Array.isArray(value) ? value.slice(0, MAX_SHOWN) : value;
    return shortened(typeof beginning === 'string' ? beginning : JSON.stringify(beginning));
  } catch {
    return 'an object of very many levels';
  }
}

/** A value from which `parse` makes another; undefined for one that is not `allowed`. The message follows the field's name. */
function parsed<Given, Value>(
  given: z.ZodType<Given>,
  allowed: string,
  parse: (value: Given) => Value | undefined,
): z.ZodType<Value> {
  return given.transform((value, context) => {
    const result = parse(value);
    if (result !== undefined) return result;
    context.addIssue(refusal('IMPORT_FORM', { value: shown(value), allowed }).issue);
    return z.NEVER;
  });
}

/** A text that `parse` turns into another value. JSON may have a number or a boolean in its place. */
function written<Value>(allowed: string, parse: (text: string) => Value | undefined): z.ZodType<Value> {
  // The text of a list would be that of its items, of however many levels.
  return parsed(z.unknown(), allowed, (given) =>
    typeof given === 'object' ? undefined : parse(String(given)),
  );
}

/** The value, or that of the first of these properties that it has. */
function inside(names: readonly string[], value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const found = new Map<string, unknown>(Object.entries(value));
  return names.map((name) => found.get(name)).find((one) => one != null) ?? value;
}

/** The value of a cell that has a list or an object in JSON; a cell with another text is that text. */
function fromJson(value: unknown): unknown {
  try {
    return typeof value === 'string' && itemsInJson(value, 1) > 0 ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}

/** True if a list or an object, or its JSON text, has more than `max` items. No item is read. */
function hasMore(value: unknown, max: number): boolean {
  if (typeof value === 'string') return itemsInJson(value, max) > max;
  if (Array.isArray(value)) return value.length > max;
  return typeof value === 'object' && value !== null && Object.keys(value).length > max;
}

/** A value that may be a list or an object of at most `max` items, which are counted before they are read. */
function counted(max: number): z.ZodType<unknown> {
  return z.unknown().refine((given) => !hasMore(given, max), {
    ...refusal('MAX_ENTRIES', { max }),
    abort: true,
  });
}

/**
 * The items of a list, of its JSON text, or of another text with something between them; any other value is the only one. Of
 * more than `max`, only one more is there.
 */
function splitItems(value: unknown, between: RegExp, max: number): unknown[] {
  if (typeof value === 'string' && hasMore(value, max)) return new Array<unknown>(max + 1).fill(value);
  const list = fromJson(value);
  if (!Array.isArray(list)) return typeof value === 'string' ? splitPieces(value, between, max) : [value];
  const items: unknown[] = [];
  for (const item of list) {
    if (item !== null && item !== '') items.push(item);
    if (items.length > max) break;
  }
  return items;
}

const textCell = written('a text', String);

/** A kind of record in our own export. */
const kind = written('link, space, tag, pixel, domain, operation or view', (given) =>
  (['link', 'space', 'tag', 'pixel', 'domain', 'operation', 'view'] as const).find((one) => one === given),
);

export const wholeNumber = written('a whole number', (given) =>
  /^-?\d{1,15}$/.test(given) ? Number(given) : undefined,
);

/** A number of clicks; commas may separate thousands. */
export const count = written(`a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`, (given) => {
  const digits = given.replace(/^(\d{1,3})((?:,\d{3})+)$/, (all) => all.replaceAll(',', ''));
  return /^\d{1,16}$/.test(digits) && Number(digits) <= Number.MAX_SAFE_INTEGER ? Number(digits) : undefined;
});

/** A time, or undefined for what services write when there is none. */
export const time = z.preprocess(
  (given) =>
    given === false || /^(0|-|never|none|n\/a|\\N)$/i.test(typeof given === 'string' ? given : '')
      ? undefined
      : given,
  written(
    'a time, such as 2026-11-20T10:00:00Z, Nov 20, 2026 10:00 AM, or seconds since 1970',
    (given) => parseTime(given) ?? undefined,
  ).optional(),
);

/** Returns false for a no and for a cell without a value. Any other value means yes, such as a time. */
export function isSet(value: unknown): boolean {
  const word = foldWord(value);
  return !(words.no.has(word) || words.nothing.has(word) || /^0000-00-00/.test(word));
}

const flag = z.unknown().transform(isSet);

/** A yes or no, or the time since when it is so. */
export const yesOrNo = written('1 or 0, true or false, yes or no, or a time', (given) => {
  if (/^(0|false|no|off|n|f)$/i.test(given)) return false;
  return /^(1|true|yes|on|y|t)$/i.test(given) || parseTime(given) !== null || undefined;
});

/** Texts that services write in place of a secret password: a yes, dots, or a hash. */
const UNTOLD_PASSWORD = /^(?:[*•●]+|\$[a-z0-9-]+\$.*)$/i;

/** A password; undefined for a cell that says only whether there is one. */
const password = textCell.transform((given) =>
  isSet(given) && !words.yes.has(foldWord(given)) && !UNTOLD_PASSWORD.test(given) ? given : undefined,
);

/** A list of at most `max` items, or its JSON text from a cell. */
function jsonListSchema(max: number) {
  return parsed(counted(max), 'a list in JSON, such as the export writes', (given): unknown[] | undefined => {
    const items = fromJson(given);
    return Array.isArray(items) ? items : undefined;
  });
}

/** The name of a folder or tag, or of an object with one. */
const name = z.preprocess((given) => inside(['name'], given), textCell);

const tagName = (given: unknown) => inside(['name'], given);

/** A tag by its name; our own export also has its colour. */
const tag = z.preprocess(
  (given) => ({
    name: tagName(given),
    color: typeof given === 'object' && given && 'color' in given && given.color,
  }),
  z.object({ name: textCell.pipe(nameRule), color: colorRule.nullable().catch(null) }),
);

/** Separator of tags in a text. */
const TAG_SEPARATOR = /[,;|][\s,;|]*/g;

/** Number of tags in a list, its JSON text or another text, for a message. */
function countTags(given: unknown): number {
  if (Array.isArray(given)) return given.length;
  const text = String(given);
  let count = itemsInJson(text, Number.POSITIVE_INFINITY);
  if (count > 0) return count;
  for (const _ of text.matchAll(TAG_SEPARATOR)) count++;
  return count + 1;
}

/** The tags of a record, each once. */
const tags = z
  .unknown()
  .transform((given, context) => {
    const items = splitItems(given, TAG_SEPARATOR, MAX_TAGS);
    if (items.length <= MAX_TAGS) return items.filter((one) => String(tagName(one)).trim() !== '');
    context.addIssue(refusal('TAGS_OF_LINK', { tags: countTags(given), max: MAX_TAGS }).issue);
    return z.NEVER;
  })
  .pipe(z.array(tag))
  .transform((all) => {
    const distinct = new Map(all.toReversed().map((one) => [foldCase(one.name), one]));
    return [...distinct.values()].reverse();
  });

const pixels = jsonListSchema(MAX_PIXELS).pipe(
  z.array(
    parsed(z.unknown(), 'a pixel with its name, type and value', (given) =>
      typeof given === 'object' && given && 'name' in given && 'type' in given && 'value' in given
        ? given
        : undefined,
    ).pipe(z.object({ name: textCell, type: textCell, value: textCell })),
  ),
);

/** Targets by country from an object with a URL for each, or from its JSON text. */
const countryTargets = parsed(
  counted(MAX_TARGETS),
  'an object with a URL for each country, such as {"DE":"https://example.com/de"}',
  (given) => {
    const urls = fromJson(given);
    return typeof urls === 'object' && urls !== null && !Array.isArray(urls)
      ? Object.entries(urls).map(([country, url]: [string, unknown]) => ({ country, url }))
      : undefined;
  },
);

/** The host of a domain: as a name, as a URL, or as an object with one. */
const host = z.preprocess(
  (given) => inside(['fullName', 'name', 'address'], given),
  written('a host name, such as go.example', (given) => {
    const bare = trimPasted(given).replace(/^[a-z]+:\/\//i, '');
    return normalizeDomainName(bare.replace(/\/.*$/, '')) ?? undefined;
  }),
);

const ROOT = 'the root of a domain is no link, and is not imported';

/** The alias without the slash that some exports put before it. */
function aliasIn({ root }: Format): z.ZodType<string> {
  return parsed(textCell, `an alias: ${ROOT}`, (given) => {
    const alias = trimPasted(given).replace(/^\//, '');
    return alias === root ? undefined : alias;
  });
}

/** Separator of two short URLs in a text. */
const URL_SEPARATOR = /[,;|]\s*(?=(?:[a-z]+:\/\/)?[\w-]+\.[\w.:-]+\/)/gi;
/** Maximum number of short URLs of a record; each becomes a link. */
const MAX_SHORT_URLS = 100;

/** The short URLs in a value; of more than a record may have, only one more. */
export function shortUrlsIn(value: unknown): unknown[] {
  return splitItems(value, URL_SEPARATOR, MAX_SHORT_URLS);
}

/** An alias as it is, of one that may be percent-encoded. A slash that is encoded is none of its own. */
function decodeAlias(alias: string): string {
  try {
    return /%2f/i.test(alias) ? alias : decodeURIComponent(alias);
  } catch {
    return alias;
  }
}

/** The hosts and aliases of short URLs, with or without their scheme. */
function shortUrlsSchema(format: Format) {
  const { root, inFolder } = format;
  const isSheet = format === importFormats.csv;
  const shortUrl = parsed(textCell, `a short URL with a host and an alias: ${ROOT}`, (given) => {
    const [bare = ''] = trimPasted(given)
      .replace(/^[a-z]+:\/\//i, '')
      .split(/[?#]/);
    const [hostName = '', ...path] = bare.split('/');
    const normal = normalizeDomainName(hostName);
    const whole = path.join('/').replace(/\/$/, '');
    const alias = decodeAlias(inFolder ? whole.replace(/^.*\//, '') : whole);
    // People write only the alias.
    if (isSheet && !/[./]/.test(bare) && isAlias(normalizeAlias(bare))) return { host: null, alias: bare };
    return normal === null || alias === '' || alias === root ? undefined : { host: normal, alias };
  });
  return parsed(z.unknown(), `at most ${MAX_SHORT_URLS} short URLs`, (given) => {
    const urls = shortUrlsIn(given);
    return urls.length > MAX_SHORT_URLS ? undefined : urls.map((url) => inside(['url', 'link'], url));
  }).pipe(z.array(shortUrl));
}

/** Addresses as people write them, such as `www.example.com/page`. */
const NO_SCHEME = /^[\w-]+(\.[\w-]+)+([/?#]|:\d|$)/;

/** A URL right behind another one. One that is a part of a text in a query is none. */
const TWO_URLS = /^(\S+\s[\s,;|]*|[^?#]*[,;|]\s*)https?:\/\//i;

const address = textCell.transform((given, context) => {
  const bare = linkIn(trimPasted(given)).url;
  const [, before = ''] = TWO_URLS.exec(bare) ?? [];
  // Not a word, as in `See https://…`.
  if (/[./]/.test(before)) context.addIssue(refusal('TWO_URLS').issue);
  return NO_SCHEME.test(bare) ? `https://${bare}` : bare;
});

/** An object with one schema for several fields. */
function each<Name extends string, Schema>(schema: Schema, ...names: readonly Name[]) {
  // Object.fromEntries loses the type of the keys.
  return Object.fromEntries(names.map((one) => [one, schema])) as Record<Name, Schema>;
}

/** Words for the audience of statistics. Exports of links write them; imports read them besides the codes. */
export const privacyWords = {
  PUBLIC: 'Everybody',
  PRIVATE: 'Only this account',
  PASSWORD: 'Whoever knows a password',
} as const;

const privacy = textCell.transform(
  (given) => Object.entries(privacyWords).find(([, words]) => words === given)?.[0] ?? given,
);

function recordSchema(format: Format) {
  const fields = z.object({
    kind,
    short_url: shortUrlsSchema(format),
    domain: host,
    alias: aliasIn(format),
    url: address,
    ...each(
      textCell,
      ...linkTexts,
      'preview_title',
      'preview_description',
      'preview_image',
      'external_id',
      'privacy_password',
      'target_type',
    ),
    password,
    privacy,
    ...each(
      textCell,
      'expiration_url',
      'domain_not_found_url',
      'domain_root_url',
      'ios_url',
      'android_url',
      'desktop_url',
    ),
    ...each(flag, 'own_domain', 'domain_forwards_path', 'has_privacy_password', 'redirect_rules'),
    ...each(yesOrNo, 'forward_query', 'public_statistics'),
    ...each(time, 'created_at', 'updated_at', 'last_clicked_at', 'test_ends_at'),
    clicks: count,
    redirect_status: wholeNumber,
    ...each(jsonListSchema(MAX_TARGETS), 'countries', 'platforms', 'languages', 'rotation', 'other_rules'),
    rules: jsonListSchema(MAX_RULES),
    rule_tests: jsonListSchema(MAX_RULE_TESTS),
    ...each(jsonListSchema(1), 'operations', 'views'),
    ...each(jsonListSchema(MAX_APPS), 'domain_apple_apps', 'domain_android_apps'),
    test_variants: jsonListSchema(MAX_RULE_TARGETS),
    country_urls: countryTargets,
    tags,
    space: name,
    space_color: wholeNumber,
    pixels,
  });
  return fields.partial();
}

export type RecordValues = z.output<ReturnType<typeof recordSchema>>;

const schemas = new Map<Format, ReturnType<typeof recordSchema>>();

type Parsed = ReturnType<ReturnType<typeof recordSchema>['safeParse']>;

/** The results of records that are still in use: a text is looked through before it is imported. */
const results = new WeakMap<ImportRecord, Parsed>();

/** The values of a record by our field names, or what is wrong with each. Its values are read once. */
export function parseRecord(record: ImportRecord, format: Format): Parsed {
  const known = results.get(record);
  if (known !== undefined) return known;
  const schema = schemas.get(format) ?? recordSchema(format);
  schemas.set(format, schema);
  // With columns for alias and domain, the short URL is not needed, unless the record may have several.
  const isNamed = record.alias !== undefined && record.domain !== undefined && !format.hasAliases;
  const result = schema.safeParse(isNamed ? { ...record, short_url: undefined } : record);
  results.set(record, result);
  return result;
}
