import type { z } from 'zod';

// Refusals: the rules by which inputs are refused, in words for people, and the reasons, by names for programs. A refusal is one
// value all the way: zod's issues carry it beside their message, and `refusalIn` takes it from them. Nothing is read from words.

/** The names in braces. */
export type NamesIn<Words extends string> = Words extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** A value of a rule or a reason, as a text. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** A rule that refuses a field, with its words in English, and the values in them; and its reason, by which clients word it. */
export interface Why {
  readonly rule: string;
  readonly values: readonly NamedValue[];
  readonly reason: string;
  readonly reasonValues: readonly NamedValue[];
  readonly message: string;
}

/** A rule, or a message without one, as schemas take it for their errors: `z.boolean(refusal('BOOLEAN'))`. */
export class Refusal {
  /** Gives an issue of zod the refusal, and returns its message. */
  readonly error: z.core.$ZodErrorMap = (issue) => {
    issue.refusal = this;
    return this.why.message;
  };
  // Zod copies enumerable properties of its parameters into the schema.
  readonly #why: Why;

  constructor(why: Why) {
    this.#why = why;
  }

  get why(): Why {
    return this.#why;
  }

  /** An issue for `addIssue` of zod. */
  get issue(): { readonly code: 'custom'; readonly message: string; readonly refusal: Refusal } {
    return { code: 'custom', message: this.why.message, refusal: this };
  }
}

/** Makes the errors of a schema of its issues. */
export function refusing(refusalFor: (issue: { readonly input?: unknown }) => Refusal): z.core.$ZodErrorMap {
  return (issue) => refusalFor(issue).error(issue);
}

/** The maximum number of values of a reason. */
export const MAX_VALUES = 3;

/** The names of values in rules that are words or lists. A reason lacks them. */
const wordy = ['allowed', 'choices', 'found', 'ids', 'known', 'provider', 'reason', 'value', 'what'] as const;
const hasWords: ReadonlySet<string> = new Set(wordy);

/** Words by name. Names in braces in them stand for values. */
type Words = Readonly<Record<string, string>>;

/** The reasons whose values a rule has. */
type ReasonFor<Text extends string, Reasons extends Words> = {
  [Why in keyof Reasons]: NamesIn<Reasons[Why]> extends Exclude<NamesIn<Text>, (typeof wordy)[number]>
    ? Why
    : never;
}[keyof Reasons];

/** The reason of each rule. */
export type ReasonsOf<Rules extends Words, Reasons extends Words> = {
  readonly [Name in keyof Rules]: ReasonFor<Rules[Name], Reasons>;
};

type Values<Names extends string> = Readonly<Record<Names, string | number>>;

/** Returns the functions that make refusals by these rules, and by reasons of their own. */
export function refusalsBy<Rules extends Words, Reasons extends Words>(
  rules: Rules,
  reasonsOfRules: ReasonsOf<Rules, Reasons>,
) {
  return {
    /** Returns a refusal for schemas, and for `fieldError`. */
    refusal<Name extends keyof Rules & string>(
      rule: Name,
      ...[given]: NamesIn<Rules[Name]> extends never ? [] : [Values<NamesIn<Rules[Name]>>]
    ): Refusal {
      const known: Readonly<Record<string, string | number>> = given ?? {};
      const values = Object.entries(known).map(([name, value]) => ({ name, value: String(value) }));
      const message = String(rules[rule]).replaceAll(/{(\w+)}/g, (_, name: string) => String(known[name]));
      const reasonValues = values.filter(({ name }) => !hasWords.has(name));
      const reason = String(reasonsOfRules[rule]);
      return new Refusal({ rule, values, reason, reasonValues, message });
    },
    /**
     * Gives a refusal, or a message without a rule, a narrower reason.
     * @param given values by name; a list is one value for each item, up to `MAX_VALUES`
     */
    because<Name extends keyof Reasons & string>(
      told: Refusal | string,
      reason: Name,
      given: Values<NamesIn<Reasons[Name]>> & { readonly id?: readonly number[] },
    ): Refusal {
      const values: Readonly<Record<string, string | number | readonly number[]>> = given;
      const reasonValues = Object.entries(values)
        .flatMap(([name, value]) => [value].flat().map((one) => ({ name, value: String(one) })))
        .slice(0, MAX_VALUES);
      return new Refusal({ ...refusalIn(told), reason, reasonValues });
    },
  };
}

/** Returns why something is refused: by a refusal, by the one of an issue, or without a rule, by any other message. */
export function refusalIn(told: Refusal | string | { readonly message: string }): Why {
  if (told instanceof Refusal) return told.why;
  if (typeof told === 'string')
    return { rule: 'INVALID', values: [], reason: 'INVALID', reasonValues: [], message: told };
  const given = 'refusal' in told ? told.refusal : undefined;
  return refusalIn(given instanceof Refusal ? given : told.message);
}

/** The rules of the schemas in `input.ts` and `url.ts`, and of lists. */
export const inputRules = {
  BLANK: 'may not be empty',
  BOOLEAN: 'must be true or false',
  CHOICE: 'must be one of {choices}',
  CONTROL_CHARACTERS: 'may have no control characters and no line breaks',
  CURSOR: 'must be a cursor that this list gave, in the same order',
  EXCLUSIVE: 'cannot be combined with {other}',
  INTEGER: 'must be a whole number from {min} to {max}',
  INVALID: 'is not valid',
  LENGTH: 'must have {min} to {max} characters',
  LENGTH_GIVEN: 'must have {min} to {max} characters, not {length}',
  LIST: 'must be a list',
  MAX_ENTRIES: 'may have at most {max} entries',
  MAX_ENTRIES_GIVEN: 'may have at most {max} entries, not {entries}',
  MAX_LENGTH: 'may have at most {max} characters',
  MAX_LENGTH_GIVEN: 'may have at most {max} characters, not {length}',
  NOT_CLEARABLE: 'cannot be cleared: it {allowed}',
  REQUIRED: 'is required',
  STORABLE: 'may not contain null characters or broken surrogate pairs',
  TIME: 'must be a moment in ISO 8601 with its offset from UTC, such as 2027-01-01T00:00Z',
  URL: 'must be an absolute http or https URL, such as https://example.com/page',
  URL_AS_SENT: 'may have at most {max} characters as it is sent, with special ones escaped',
  URL_HOST: 'has an invalid host or port',
  URL_HOST_SPACE: 'has a space in its host',
  URL_SCHEME: 'begins with a mistyped https://',
  URL_WITHOUT_HOST: 'has no host after https://',
  YEAR: 'must lie in the years 1000 to 9999, in UTC',
} as const;

/** The reasons of these rules, of texts that a database cannot store, and of writes with a key. */
export const inputReasons = {
  ANSWER_TOO_LARGE_FOR_KEY: 'The answer is too large for a write with an Idempotency-Key.',
  BLANK: 'The text is empty.',
  HAS_CONTROL_CHARACTERS: 'The text has control characters or line breaks.',
  HAS_UNSTORABLE_CHARACTERS: 'The text has null characters or broken surrogate pairs.',
  INVALID: 'The value is not valid.',
  MISSING: 'The field is required.',
  NOT_AN_INTEGER_IN_RANGE: 'The value is no whole number from {min} to {max}.',
  NOT_A_BOOLEAN: 'The value is neither true nor false.',
  NOT_A_CHOICE: 'The value is not among the allowed ones.',
  NOT_A_CURSOR: 'The cursor is not of this list in this order.',
  NOT_A_LIST: 'The value is no list.',
  NOT_A_TIME: 'The value is no time of ISO 8601 with an offset from UTC.',
  NOT_A_URL: 'The value is no absolute http or https URL.',
  NOT_CLEARABLE: 'The field cannot be cleared.',
  NOT_COMBINABLE: 'The field cannot be combined with {other}.',
  TOO_LONG: 'The text has more than {max} characters.',
  TOO_MANY_ENTRIES: 'The list has more than {max} entries.',
  UNSTORABLE_CHARACTER: 'The database cannot store the character {character}.',
  URL_HOST_HAS_SPACE: 'The host of the URL has a space.',
  URL_HOST_INVALID: 'The URL has an invalid host or port.',
  URL_HOST_MISSING: 'The URL has no host.',
  URL_SCHEME_MISTYPED: 'The URL begins with a mistyped https://.',
  URL_TOO_LONG_ESCAPED: 'The URL has more than {max} characters with special ones escaped.',
  WRITE_TOO_LONG_FOR_KEY: 'The write takes too long for an Idempotency-Key.',
  WRONG_LENGTH: 'The text does not have {min} to {max} characters.',
  YEAR_OUT_OF_RANGE: 'The time is not in the years 1000 to 9999, in UTC.',
} as const;

/** The reason of each of these rules. */
export const reasonsOfInput: ReasonsOf<typeof inputRules, typeof inputReasons> = {
  BLANK: 'BLANK',
  BOOLEAN: 'NOT_A_BOOLEAN',
  CHOICE: 'NOT_A_CHOICE',
  CONTROL_CHARACTERS: 'HAS_CONTROL_CHARACTERS',
  CURSOR: 'NOT_A_CURSOR',
  EXCLUSIVE: 'NOT_COMBINABLE',
  INTEGER: 'NOT_AN_INTEGER_IN_RANGE',
  INVALID: 'INVALID',
  LENGTH: 'WRONG_LENGTH',
  LENGTH_GIVEN: 'WRONG_LENGTH',
  LIST: 'NOT_A_LIST',
  MAX_ENTRIES: 'TOO_MANY_ENTRIES',
  MAX_ENTRIES_GIVEN: 'TOO_MANY_ENTRIES',
  MAX_LENGTH: 'TOO_LONG',
  MAX_LENGTH_GIVEN: 'TOO_LONG',
  NOT_CLEARABLE: 'NOT_CLEARABLE',
  REQUIRED: 'MISSING',
  STORABLE: 'HAS_UNSTORABLE_CHARACTERS',
  TIME: 'NOT_A_TIME',
  URL: 'NOT_A_URL',
  URL_AS_SENT: 'URL_TOO_LONG_ESCAPED',
  URL_HOST: 'URL_HOST_INVALID',
  URL_HOST_SPACE: 'URL_HOST_HAS_SPACE',
  URL_SCHEME: 'URL_SCHEME_MISTYPED',
  URL_WITHOUT_HOST: 'URL_HOST_MISSING',
  YEAR: 'YEAR_OUT_OF_RANGE',
};

export const { refusal, because } = refusalsBy<typeof inputRules, typeof inputReasons>(
  inputRules,
  reasonsOfInput,
);
