import { remembered } from '../shared/remembered.ts';
import type { NamedValue, NamesIn, Reason, reasons } from './reasons.ts';

/**
 * The rules by which fields of an input are refused, each with its words in English, which continue a sentence that starts with
 * the field's name. Names in braces stand for values. Clients with other languages word the rules themselves. Words that begin
 * with a capital letter are whole sentences, of errors that are about no field.
 */
export const rules = {
  ALIAS_CHARACTERS: 'may have only the letters a to z and A to Z, digits, - and _',
  ALIAS_OF_LINE: 'is already that of line {line}',
  ALIAS_RESERVED: 'is reserved on this service',
  ALIAS_TAKEN: 'is already taken on this domain',
  BLANK: 'may not be empty',
  BOOLEAN: 'must be true or false',
  CHANGED_SINCE: 'The record was changed since, at {at}.',
  CHOICE: 'must be one of {choices}',
  COMMON_PASSWORD: 'is one of the commonest passwords: choose another',
  CONSOLE_HOST: 'is the host of the console',
  CONTROL_CHARACTERS: 'may have no control characters and no line breaks',
  COUNTRY: 'must be an ISO 3166-1 alpha-2 code, such as DE, or XK',
  CURSOR: 'must be a cursor that this list gave, in the same order',
  DAY: 'must be a day, such as 2026-11-21',
  DAY_AFTER_END: 'may not be after to, which is {to}',
  DELIVERY_OF_DISABLED: 'belongs to a disabled webhook: enable the webhook first',
  DISABLED_USER: 'This user is disabled.',
  DOMAINS: 'cannot be added: an account may have at most {max} domains',
  DOMAIN_HAS_LINKS: 'This domain still has links: delete them first.',
  DUPLICATE: 'is in the list already',
  EMAIL: 'must be an address such as name@example.com',
  EMAIL_AS_PASSWORD: 'may not be the email address',
  EMAIL_HAS_USER: 'This email address has a user already: sign in first.',
  EMAIL_UNUSABLE: 'This email address cannot be used here.',
  EVENTS: 'must be a list of events',
  EVENT_MISSING: 'must have at least one event',
  EXCLUSIVE: 'cannot be combined with {other}',
  FIXED_DOMAIN: 'cannot be changed: a link stays on its domain',
  HOST: 'must be a host name, such as go.example',
  HOST_BLOCKED: 'may not lead to a host that is blocked on this service',
  HOST_TAKEN: 'is already taken',
  HOURS: 'may be hours for at most {max} days, not {days}',
  ID: 'must be the id of {what}',
  IMPORT_DELETED: 'says that the link was deleted: it is not imported',
  IMPORT_FORM: 'is "{value}"; it must be {allowed}',
  IMPORT_MAX: 'may have at most {max} {what}',
  IMPORT_TEXT: 'cannot be imported: {reason}',
  INTEGER: 'must be a whole number from {min} to {max}',
  INVALID: 'is not valid',
  INVITED_OTHER: 'This invitation is for another email address.',
  INVITATIONS_OF_ACCOUNT: 'cannot be invited: an account may have at most {max} invitations',
  KEYS_OF_ACCOUNT: 'cannot be added: an account may have at most {max} keys',
  LANGUAGE: 'must be an ISO 639-1 code, such as de',
  LAST_OWNER: 'is the last owner: make another one first',
  LAST_WAY_IN: 'is the last way to sign in: add another one first',
  LENGTH: 'must have {min} to {max} characters',
  LENGTH_GIVEN: 'must have {min} to {max} characters, not {length}',
  LINK_ENDED: 'This link is unknown, too old, or was used already: ask for another.',
  LIST: 'must be a list',
  MAX_ENTRIES: 'may have at most {max} entries',
  MAX_ENTRIES_GIVEN: 'may have at most {max} entries, not {entries}',
  MAX_LENGTH: 'may have at most {max} characters',
  MAX_LENGTH_GIVEN: 'may have at most {max} characters, not {length}',
  MAX_WORDS: 'may have at most {max} words, not {words}',
  NEW_DOMAIN: 'is no domain of this account, and adding one needs the role {role}',
  NEW_RECORDS: 'is new, after {max} others: import the rest of the records once more',
  NOT_A_MEMBER: 'You are not a member of this account.',
  NOT_CLEARABLE: 'cannot be cleared: it {allowed}',
  NO_URL_COLUMN: 'has no column of URLs, but {found}; such a column may be called {known}',
  OWNER_EXISTS: 'There is an owner already: ask them for an invitation.',
  PASSKEY_REFUSED: 'The passkey is unknown or was not accepted: try again.',
  PASSKEY_TWICE: 'This passkey is registered already.',
  PAST: 'must lie in the future',
  PERIOD: 'may be at most {years} years before to',
  PIXELS: 'must be ids of your pixels',
  PIXELS_OF_ACCOUNT: 'cannot be added: an account may have at most {max} pixels',
  PIXELS_UNKNOWN: 'must be ids of your pixels, which {ids} are not',
  PIXEL_UNKNOWN: 'must be ids of your pixels, which {id} is not',
  PIXEL_VALUE: 'must be {allowed}, such as {example}',
  PRIVACY_PASSWORD: 'is required where a password guards the statistics',
  PROVIDER_AWAY: '{provider} does not answer. Try again later.',
  QR_SIZE: 'must be at least {min} for this address and margin',
  REQUIRED: 'is required',
  ROLE: 'may be at most {role}',
  ROLE_TOO_LOW: 'The role {role} may not do this: it needs {needed}.',
  SERVICE_PATH: 'is a path of the service itself',
  SESSION_ENDED: 'The session has ended: sign in again.',
  SESSION_EXPIRED: 'The session has expired: sign in again.',
  SHORT_DOMAIN: 'may not lead to a short domain of this service',
  SIGN_IN_AGAIN: 'Sign in again: this needs a sign-in of the last 15 minutes.',
  SPACES_OF_ACCOUNT: 'cannot be added: an account may have at most {max} spaces',
  STORABLE: 'may not contain null characters or broken surrogate pairs',
  TAGS: 'must be ids of your tags',
  TAGS_OF_ACCOUNT: 'cannot be added: an account may have at most {max} tags',
  TAGS_OF_LINK: 'would give the link {tags} tags; it may have at most {max}',
  TAGS_UNKNOWN: 'must be ids of your tags, which {ids} are not',
  TAG_MERGED: 'may not have the tag that stays',
  TAG_MISSING: 'must have the id of at least one tag',
  TAG_TAKEN: 'is already the name of a tag, whatever its case',
  TAG_UNKNOWN: 'must be ids of your tags, which {id} is not',
  TEXT: 'must be a text',
  TIME: 'must be a moment in ISO 8601 with its offset from UTC, such as 2027-01-01T00:00Z',
  TWO_URLS: 'is not alone: these are two URLs in one line, and each needs its own',
  TXT_OTHER: 'has the TXT record "{found}" in DNS instead of "{expected}"',
  TXT_RECORD: 'has no TXT record {name} in DNS yet',
  TXT_UNREAD: 'cannot be checked now: the name servers do not answer',
  URL: 'must be an absolute http or https URL, such as https://example.com/page',
  URL_AS_SENT: 'may have at most {max} characters as it is sent, with special ones escaped',
  URL_END: 'ends in a comma or a semicolon, which is no part of it',
  URL_HOST: 'has an invalid host or port',
  URL_HOST_SPACE: 'has a space in its host',
  URL_SCHEME: 'begins with a mistyped https://',
  URL_SPACE:
    'has a space: alias and title belong behind a tab or two spaces, or in cells of their own, and a space of the URL is %20',
  URL_USER: 'may not have a user or a password',
  URL_WITHOUT_HOST: 'has no host after https://',
  UTM_NAME_TAKEN: 'is the name of another template',
  UTM_TEMPLATES: 'cannot be added: an account may have at most {max} UTM templates',
  UTM_URL: 'makes a URL of more than {max} characters',
  WEBHOOKS: 'cannot be added: an account may have at most {max} webhooks',
  WRONG_PASSWORD: 'The email address or the password is wrong.',
  YEAR: 'must lie in the years 1000 to 9999, in UTC',
} as const;

export type Rule = keyof typeof rules;

/** The names of values in rules that are words or lists. A reason lacks them. */
const wordy = ['allowed', 'choices', 'found', 'ids', 'known', 'provider', 'reason', 'value', 'what'] as const;
const hasWords: ReadonlySet<string> = new Set(wordy);

/** The reasons whose values a rule has. */
type ReasonFor<Name extends Rule> = {
  [Why in Reason]: NamesIn<(typeof reasons)[Why]> extends Exclude<
    NamesIn<(typeof rules)[Name]>,
    (typeof wordy)[number]
  >
    ? Why
    : never;
}[Reason];

/** The reason of each rule. Rules that mean several things get a narrower one by `because`. */
export const reasonsOfRules: { readonly [Name in Rule]: ReasonFor<Name> } = {
  ALIAS_CHARACTERS: 'ALIAS_HAS_WRONG_CHARACTERS',
  ALIAS_OF_LINE: 'ALIAS_REPEATED_IN_IMPORT',
  ALIAS_RESERVED: 'ALIAS_RESERVED',
  ALIAS_TAKEN: 'ALIAS_TAKEN',
  BLANK: 'BLANK',
  BOOLEAN: 'NOT_A_BOOLEAN',
  CHANGED_SINCE: 'CHANGED_SINCE',
  CHOICE: 'NOT_A_CHOICE',
  COMMON_PASSWORD: 'PASSWORD_COMMON',
  CONSOLE_HOST: 'HOST_IS_CONSOLE',
  CONTROL_CHARACTERS: 'HAS_CONTROL_CHARACTERS',
  COUNTRY: 'NOT_A_COUNTRY',
  CURSOR: 'NOT_A_CURSOR',
  DAY: 'NOT_A_DAY',
  DAY_AFTER_END: 'FROM_AFTER_TO',
  DELIVERY_OF_DISABLED: 'WEBHOOK_DISABLED',
  DISABLED_USER: 'USER_DISABLED',
  DOMAINS: 'TOO_MANY_DOMAINS',
  DOMAIN_HAS_LINKS: 'DOMAIN_HAS_LINKS',
  DUPLICATE: 'ENTRY_REPEATED',
  EMAIL: 'NOT_AN_EMAIL_ADDRESS',
  EMAIL_AS_PASSWORD: 'PASSWORD_IS_EMAIL_ADDRESS',
  EMAIL_HAS_USER: 'EMAIL_HAS_USER',
  EMAIL_UNUSABLE: 'ADDRESS_UNUSABLE',
  EVENTS: 'WRONG_EVENTS',
  EVENT_MISSING: 'NO_EVENTS',
  EXCLUSIVE: 'NOT_COMBINABLE',
  FIXED_DOMAIN: 'DOMAIN_FIXED',
  HOST: 'NOT_A_HOST',
  HOST_BLOCKED: 'DESTINATION_BLOCKED',
  HOST_TAKEN: 'HOST_TAKEN',
  HOURS: 'PERIOD_TOO_LONG_FOR_HOURS',
  ID: 'UNKNOWN_RECORD',
  IMPORT_DELETED: 'DELETED_LINK_IN_IMPORT',
  IMPORT_FORM: 'UNREADABLE_VALUE',
  IMPORT_MAX: 'TOO_MANY_RECORDS',
  IMPORT_TEXT: 'UNREADABLE_IMPORT',
  INTEGER: 'NOT_AN_INTEGER_IN_RANGE',
  INVALID: 'INVALID',
  INVITED_OTHER: 'INVITED_OTHER_ADDRESS',
  INVITATIONS_OF_ACCOUNT: 'TOO_MANY_INVITATIONS',
  KEYS_OF_ACCOUNT: 'TOO_MANY_KEYS',
  LANGUAGE: 'NOT_A_LANGUAGE',
  LAST_OWNER: 'LAST_OWNER',
  LAST_WAY_IN: 'LAST_WAY_TO_SIGN_IN',
  LENGTH: 'WRONG_LENGTH',
  LENGTH_GIVEN: 'WRONG_LENGTH',
  LINK_ENDED: 'LINK_ENDED',
  LIST: 'NOT_A_LIST',
  MAX_ENTRIES: 'TOO_MANY_ENTRIES',
  MAX_ENTRIES_GIVEN: 'TOO_MANY_ENTRIES',
  MAX_LENGTH: 'TOO_LONG',
  MAX_LENGTH_GIVEN: 'TOO_LONG',
  MAX_WORDS: 'TOO_MANY_WORDS',
  NEW_DOMAIN: 'NEW_DOMAIN_NEEDS_ROLE',
  NEW_RECORDS: 'TOO_MANY_NEW_RECORDS',
  NOT_A_MEMBER: 'NOT_A_MEMBER',
  NOT_CLEARABLE: 'NOT_CLEARABLE',
  NO_URL_COLUMN: 'URL_COLUMN_MISSING',
  OWNER_EXISTS: 'OWNER_EXISTS',
  PASSKEY_REFUSED: 'PASSKEY_REFUSED',
  PASSKEY_TWICE: 'PASSKEY_REGISTERED',
  PAST: 'NOT_IN_FUTURE',
  PERIOD: 'PERIOD_TOO_LONG',
  PIXELS: 'UNKNOWN_PIXEL',
  PIXELS_OF_ACCOUNT: 'TOO_MANY_PIXELS',
  PIXELS_UNKNOWN: 'UNKNOWN_PIXEL',
  PIXEL_UNKNOWN: 'UNKNOWN_PIXEL',
  PIXEL_VALUE: 'PIXEL_VALUE_MALFORMED',
  PRIVACY_PASSWORD: 'PRIVACY_PASSWORD_MISSING',
  PROVIDER_AWAY: 'PROVIDER_UNAVAILABLE',
  QR_SIZE: 'QR_CODE_TOO_SMALL',
  REQUIRED: 'MISSING',
  ROLE: 'ROLE_TOO_HIGH',
  ROLE_TOO_LOW: 'ROLE_TOO_LOW',
  SERVICE_PATH: 'RESERVED_PATH',
  SESSION_ENDED: 'SESSION_ENDED',
  SESSION_EXPIRED: 'SESSION_EXPIRED',
  SHORT_DOMAIN: 'DESTINATION_IS_SHORT_DOMAIN',
  SIGN_IN_AGAIN: 'SIGN_IN_TOO_OLD',
  SPACES_OF_ACCOUNT: 'TOO_MANY_SPACES',
  STORABLE: 'HAS_UNSTORABLE_CHARACTERS',
  TAGS: 'UNKNOWN_TAG',
  TAGS_OF_ACCOUNT: 'TOO_MANY_TAGS',
  TAGS_OF_LINK: 'TOO_MANY_TAGS_ON_LINK',
  TAGS_UNKNOWN: 'UNKNOWN_TAG',
  TAG_MERGED: 'MERGED_INTO_ITSELF',
  TAG_MISSING: 'NO_TAGS',
  TAG_TAKEN: 'NAME_TAKEN',
  TAG_UNKNOWN: 'UNKNOWN_TAG',
  TEXT: 'NOT_A_TEXT',
  TIME: 'NOT_A_TIME',
  TWO_URLS: 'TWO_URLS_IN_LINE',
  TXT_OTHER: 'TXT_RECORD_DIFFERS',
  TXT_RECORD: 'TXT_RECORD_MISSING',
  TXT_UNREAD: 'TXT_RECORD_UNREADABLE',
  URL: 'NOT_A_URL',
  URL_AS_SENT: 'URL_TOO_LONG_ESCAPED',
  URL_END: 'URL_ENDS_IN_PUNCTUATION',
  URL_HOST: 'URL_HOST_INVALID',
  URL_HOST_SPACE: 'URL_HOST_HAS_SPACE',
  URL_SCHEME: 'URL_SCHEME_MISTYPED',
  URL_SPACE: 'URL_HAS_SPACE',
  URL_USER: 'URL_HAS_USER',
  URL_WITHOUT_HOST: 'URL_HOST_MISSING',
  UTM_NAME_TAKEN: 'NAME_TAKEN',
  UTM_TEMPLATES: 'TOO_MANY_UTM_TEMPLATES',
  UTM_URL: 'URL_TOO_LONG_WITH_UTM',
  WEBHOOKS: 'TOO_MANY_WEBHOOKS',
  WRONG_PASSWORD: 'WRONG_PASSWORD',
  YEAR: 'YEAR_OUT_OF_RANGE',
};

/** The values of a rule that its reason has, too. */
function withoutWords(values: readonly NamedValue[]): readonly NamedValue[] {
  return values.filter(({ name }) => !hasWords.has(name));
}

type ValuesOf<Name extends Rule> = Readonly<Record<NamesIn<(typeof rules)[Name]>, string | number>>;

/** A rule that refuses a field, with its words in English, and the values in them; and its reason, by which clients word it. */
export interface Refusal {
  readonly rule: Rule;
  readonly values: readonly NamedValue[];
  readonly reason: Reason;
  readonly reasonValues: readonly NamedValue[];
  readonly message: string;
}

/** Begins a refusal on its way through zod, whose messages are texts. */
const MARK = '\0';

/** The maximum number of values of a reason. */
export const MAX_VALUES = 3;

/** Returns a refusal as a text, for zod and for `fieldError`. */
export function refusal<Name extends Rule>(
  rule: Name,
  ...[given]: NamesIn<(typeof rules)[Name]> extends never ? [] : [ValuesOf<Name>]
): string {
  const known: Readonly<Record<string, string | number>> = given ?? {};
  const values = Object.entries(known).map(([name, value]) => ({ name, value: String(value) }));
  const message = rules[rule].replaceAll(/{(\w+)}/g, (_, name: string) => String(known[name]));
  const told = { rule, values, reason: reasonsOfRules[rule], reasonValues: withoutWords(values), message };
  return MARK + JSON.stringify(told satisfies Refusal);
}

/**
 * Gives a refusal, or a message without a rule, a narrower reason.
 * @param given values by name; a list is one value for each item, up to `MAX_VALUES`
 */
export function because<Name extends Reason>(
  text: string,
  reason: Name,
  given: Readonly<Record<NamesIn<(typeof reasons)[Name]>, string | number>> & {
    readonly id?: readonly number[];
  },
): string {
  const values: Readonly<Record<string, string | number | readonly number[]>> = given;
  const reasonValues = Object.entries(values)
    .flatMap(([name, value]) => [value].flat().map((one) => ({ name, value: String(one) })))
    .slice(0, MAX_VALUES);
  return MARK + JSON.stringify({ ...refusalIn(text), reason, reasonValues });
}

/** Returns the refusal in a text; any other text is its own message. */
export const refusalIn = remembered((text): Refusal => {
  if (!text.startsWith(MARK))
    return { rule: 'INVALID', values: [], reason: 'INVALID', reasonValues: [], message: text };
  return JSON.parse(text.slice(MARK.length));
});
