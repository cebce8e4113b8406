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

/** The names in braces. */
type NamesIn<Words extends string> = Words extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

type ValuesOf<Name extends Rule> = Readonly<Record<NamesIn<(typeof rules)[Name]>, string | number>>;

/** A rule that refuses a field, with its words in English, and the values in them. */
export interface Refusal {
  readonly rule: Rule;
  readonly values: readonly { readonly name: string; readonly value: string }[];
  readonly message: string;
}

/** Begins a refusal on its way through zod, whose messages are texts. */
const MARK = '\0';

/** A refusal as a text, for zod and for `fieldError`. */
export function refusal<Name extends Rule>(
  rule: Name,
  ...[values]: NamesIn<(typeof rules)[Name]> extends never ? [] : [ValuesOf<Name>]
): string {
  return `${MARK}${JSON.stringify([rule, values ?? {}])}`;
}

/** The refusal in a text; any other text is its own message. */
export function refusalIn(text: string): Refusal {
  if (!text.startsWith(MARK)) return { rule: 'INVALID', values: [], message: text };
  const [rule, given]: [Rule, Record<string, string | number>] = JSON.parse(text.slice(MARK.length));
  const message = rules[rule].replaceAll(/{(\w+)}/g, (_, name: string) => String(given[name]));
  const values = Object.entries(given).map(([name, value]) => ({ name, value: String(value) }));
  return { rule, values, message };
}
