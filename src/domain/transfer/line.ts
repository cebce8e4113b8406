import type { FieldError } from '../../engine/rules/errors.ts';
import { fieldError } from '../../engine/rules/errors.ts';
import { trimPasted } from '../../engine/rules/input.ts';
import { webAddress } from '../../engine/rules/url.ts';
import { isPlainAlias, MAX_ALIAS } from '../link/alias-grammar.ts';
import type { Origin } from '../link/bulk.ts';
import { linkTexts } from '../link/fields.ts';
import type { Platform } from '../link/platforms.ts';
import { rulesInput, ruleTestsInput } from '../rule/input.ts';
import { parseRules } from '../rule/parse.ts';
import { resolveRules, resolveTests } from '../rule/resolve.ts';
import { MAX_TEST_STEPS, runTests, TOO_MUCH_WORK } from '../rule/tests.ts';
import { refusal } from '../rules.ts';
import { type Access, decideAccess } from './closing.ts';
import type { FileRecord } from './file-record.ts';
import { type Format, importFormats } from './formats.ts';
import type { Note } from './report.ts';
import { DESKTOPS, rulesOfDub, rulesOfShlink } from './rules-of-others.ts';
import { parseRecord, privacyWords, type RecordValues as Values } from './values.ts';

/** A line that cannot be imported, with the reason for each field. */
export class RefusedLine extends Error {
  readonly fields: readonly FieldError[];

  constructor(fields: readonly FieldError[]) {
    super('the line cannot be imported');
    this.fields = fields;
  }
}

/** The values of a record. @throws RefusedLine with all errors in them, or if its link was deleted */
export function readLine({ fields: record, closing }: FileRecord, format: Format, now: Date): ImportLine {
  const isSheet = format === importFormats.csv;
  const { servesArchived = false } = format;
  const source = { isSheet, servesArchived, isOwn: isSheet && isExported(record) };
  const access = decideAccess(closing, source, now);
  if (access.deletedBy)
    throw new RefusedLine([fieldError([access.deletedBy.field], refusal('IMPORT_DELETED'))]);
  const { data, error } = parseRecord(record, format);
  // What another program wrote, it means so.
  const slip = data && format === importFormats.csv && data.kind === undefined && slipIn(data.url);
  if (slip) throw new RefusedLine([fieldError(['url'], refusal(slip))]);
  if (data) return buildLine(data, access, format, now);
  const issues = new Map<string, (typeof error.issues)[number]>();
  for (const issue of error.issues)
    if (!issues.has(String(issue.path[0]))) issues.set(String(issue.path[0]), issue);
  throw new RefusedLine([...issues].map(([field, issue]) => fieldError([field], issue)));
}

/** True for a record of our own exports. That for people has no kind, but says in its own words who may see the statistics. */
function isExported({ kind, privacy }: FileRecord['fields']): boolean {
  return kind !== undefined || Object.values<unknown>(privacyWords).includes(privacy);
}

/** Returns the fault of a pasted URL: text after a space, or a separator at its end. */
function slipIn(url = '') {
  const bare = trimPasted(url);
  return /^https?:\S*\s/i.test(bare) ? 'URL_SPACE' : /[,;]$/.test(bare) ? 'URL_END' : undefined;
}

const ALIAS_PLACE = 'an alias belongs behind a tab or two spaces, or in a column of its own';

/** Returns the word behind the URL, with its separator, if it could be the alias that the line lacks. */
function wordBehind({ url = '', alias, short_url: shortUrls }: Values): string | undefined {
  const [, separator = '', word = ''] = /([,;|])\s*([^,;|]*)$/.exec(url.slice(-2 * MAX_ALIAS)) ?? [];
  const isNamed = alias !== undefined || shortUrls !== undefined;
  return !isNamed && isPlainAlias(word) ? separator + word : undefined;
}

/** The parsed values of a line, before names are looked up. */
export type ImportLine = ReturnType<typeof buildLine>;

function buildLine(values: Values, access: Access, format: Format, now: Date) {
  const notes = [...access.notes];
  const { kind = 'link' } = values;
  if (values.redirect_rules && values.other_rules === undefined)
    notes.push({
      message: 'has redirect rules, which are not in the file: it leads every visitor to the same URL',
    });
  const word = format === importFormats.csv && values.kind === undefined ? wordBehind(values) : undefined;
  if (word !== undefined)
    notes.push({
      field: 'url',
      message: `ends in "${word}", which is read as part of the URL: ${ALIAS_PLACE}`,
    });
  if (kind !== 'operation' && (values.operations ?? []).length > 0)
    notes.push({
      field: 'operations',
      message: 'is not imported: it belongs to a line of the kind "operation"',
    });
  if (kind !== 'view' && (values.views ?? []).length > 0)
    notes.push({ field: 'views', message: 'is not imported: it belongs to a line of the kind "view"' });
  const targets = readTargets(values, now, notes);
  const line = {
    kind,
    names: nameLinks(values, format, notes),
    /** True if its host is a domain of the account: in our own export, and always for a line about a domain. */
    ownDomain: values.own_domain === true || kind === 'domain',
    domainFields: {
      notFoundUrl: values.domain_not_found_url ?? null,
      rootUrl: values.domain_root_url ?? null,
      forwardsPath: values.domain_forwards_path ?? null,
    },
    domainApps: { apple: values.domain_apple_apps, android: values.domain_android_apps },
    /** The fields of its links except the alias, as input of the rules for links. */
    fields: {
      url: values.url,
      ...Object.fromEntries(linkTexts.map((one) => [one, values[one]])),
      preview: {
        title: values.preview_title,
        description: values.preview_description,
        image: values.preview_image,
      },
      externalId: values.external_id,
      ...closedBy(access, values.password, notes),
      ...readPrivacy(values, notes),
      forwardsQuery: values.forward_query,
      redirectStatus: values.redirect_status,
      archived: access.isArchived || undefined,
      startsAt: access.startsAt?.toISOString(),
      expiration: {
        url: values.expiration_url,
        at: access.endsAt?.toISOString(),
        clicks: access.clicks,
      },
      ...targets,
      ruleTests: passingTests(values, targets.rules, now, notes),
    },
    space: readSpace(values),
    tags: values.tags ?? [],
    pixels: values.pixels ?? [],
    /** A saved operation, as the export writes it. */
    operation: values.operations?.[0],
    /** A saved view, as the export writes it. */
    view: values.views?.[0],
    origin: {
      createdAt: values.created_at,
      updatedAt: values.updated_at,
      clicks: values.clicks,
      lastClickedAt: values.last_clicked_at,
    } satisfies Origin,
    notes,
  };
  const missing =
    (kind === 'space' && line.space === null && 'space') ||
    (kind === 'tag' && line.tags.length === 0 && 'tags') ||
    (kind === 'pixel' && line.pixels.length === 0 && 'pixels') ||
    (kind === 'operation' && line.operation === undefined && 'operations') ||
    (kind === 'view' && line.view === undefined && 'views') ||
    (kind === 'domain' && line.names[0].host === null && 'domain');
  if (missing) throw new RefusedLine([fieldError([missing], refusal('REQUIRED'))]);
  return line;
}

/** A short URL; null or undefined for what the file does not have. */
interface NamedLink {
  readonly host: string | null;
  readonly alias: string | undefined;
}

/** The short URLs of a line, without duplicates: each becomes a link. */
function nameLinks(values: Values, format: Format, notes: Note[]): readonly [NamedLink, ...NamedLink[]] {
  const { domain, alias, short_url: shortUrls = [] } = values;
  const [first] = shortUrls;
  const main = { host: domain ?? first?.host ?? null, alias: alias ?? first?.alias };
  if (!format.hasAliases && alias === undefined && shortUrls.length > 1)
    notes.push({ message: `has ${shortUrls.length} short URLs: only "${main.alias}" is imported` });
  if (!format.hasAliases) return [main];
  const all = [...(alias === undefined ? [] : [main]), ...shortUrls];
  const distinct = new Map<string, NamedLink>(all.map((one) => [`${one.host}/${one.alias}`, one]));
  const [head = main, ...others] = distinct.values();
  return [head, ...others];
}

/** An object of a file without its id, which is that of another link. */
function withoutId(one: unknown): unknown {
  if (typeof one !== 'object' || one === null || !('id' in one)) return one;
  const { id, ...rest } = one;
  return ['string', 'number'].includes(typeof id) ? rest : one;
}

/** Rules of a file without the ids of rules and targets: they are made anew. */
function withoutIds(rules: readonly unknown[]): unknown[] {
  return rules.map(withoutId).map((rule) => {
    if (typeof rule !== 'object' || rule === null || !('to' in rule) || !Array.isArray(rule.to)) return rule;
    return { ...rule, to: rule.to.map(withoutId) };
  });
}

/** The platforms of columns for devices. */
const deviceColumns = [
  ['ios_url', ['IOS']],
  ['android_url', ['ANDROID']],
  ['desktop_url', DESKTOPS],
] as const satisfies readonly (readonly [string, readonly Platform[]])[];

/** The targets of columns for devices. One that is no web address, such as that of an app, is left out with a note. */
function readDevices(values: Values, notes: Note[]) {
  return deviceColumns.flatMap(([field, platforms]) => {
    const url = values[field];
    if (url === undefined) return [];
    const [issue] = webAddress.safeParse(url).error?.issues ?? [];
    if (issue === undefined) return platforms.map((platform) => ({ platform, url }));
    notes.push({ field, message: `is imported without this target: ${issue.message}` });
    return [];
  });
}

/** The rules and the targeting of a line's links. */
function readTargets(values: Values, now: Date, notes: Note[]) {
  const { country_urls: urls = [], ios_url, android_url, desktop_url } = values;
  const hasDevices = [ios_url, android_url, desktop_url].some((one) => one !== undefined);
  const rules = hasDevices || values.test_variants ? rulesOfDub(values, now, notes) : null;
  const platforms = rules === null ? readDevices(values, notes) : [];
  const found = platforms.length > 0 ? 'PLATFORM' : urls.length > 0 ? 'COUNTRY' : undefined;
  return {
    rules:
      (values.rules && withoutIds(values.rules)) ??
      rules ??
      (values.other_rules && rulesOfShlink(values.other_rules, notes)),
    targeting: {
      type: values.target_type ?? found,
      countries: values.countries ?? (urls.length > 0 ? urls : undefined),
      platforms: values.platforms ?? (platforms.length > 0 ? platforms : undefined),
      languages: values.languages,
      rotation: values.rotation,
    },
  };
}

/** Returns the tests of the rules that pass. One that fails would refuse the whole link, though a link may have it. */
function passingTests({ url = '', rule_tests: all }: Values, given: unknown, now: Date, notes: Note[]) {
  const rules = rulesInput.safeParse(given ?? []).data;
  const tests = ruleTestsInput.safeParse(all ?? []).data;
  // The rules for links refuse those that are wrong.
  if (all === undefined || !rules || !tests) return all;
  const parsed = parseRules(resolveRules(rules, null).rules);
  const { failed: failing, reached } = runTests(parsed, url, resolveTests(tests, [], now), MAX_TEST_STEPS);
  const failed = new Map(failing.map(({ test, why }) => [test, why]));
  for (const [test, why] of failed)
    notes.push({ field: 'rule_tests', message: `is imported without test ${test + 1}, which fails: ${why}` });
  if (reached < all.length)
    notes.push({
      field: 'rule_tests',
      message: `is imported without the tests from test ${reached + 1} on: ${TOO_MUCH_WORK}`,
    });
  return all.filter((_test, index) => index < reached && !failed.has(index));
}

/** A link that visitors could not open must stay closed. */
function closedBy({ isClosed, isLocked }: Access, password: string | undefined, notes: Note[]) {
  const isUnlocked = isLocked && password === undefined;
  if (isUnlocked)
    notes.push({
      message: 'had a password, which is not imported: it is disabled until it gets another one',
    });
  return { password, disabled: isClosed || isUnlocked };
}

/** Statistics that had a password must not become public. */
function readPrivacy(
  { privacy: given, privacy_password: privacyPassword, ...values }: Values,
  notes: Note[],
) {
  const privacy = given ?? (values.public_statistics === false ? 'PRIVATE' : undefined);
  const isUnguarded = privacy === 'PASSWORD';
  if (privacyPassword !== undefined || !(isUnguarded || values.has_privacy_password))
    return { privacy, privacyPassword };
  // Beside another privacy, the password would be kept for later.
  const loss = isUnguarded ? 'they are private now' : 'it is not kept';
  notes.push({ message: `had a password for its statistics, which no export has: ${loss}` });
  return { privacy: isUnguarded ? 'PRIVATE' : privacy };
}

/** Without a colour, any space with the name matches. */
function readSpace({ space, space_color: color }: Values) {
  return space === undefined ? null : { name: space, color: color ?? null };
}
