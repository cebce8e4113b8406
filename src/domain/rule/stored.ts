import type { Platform } from '../link/platforms.ts';

// A link's rules and their tests as its columns `rules` and `ruleTests` store them, in JSON, and as inputs and answers have them.

/** The days of the week, in order. */
export const weekdays = {
  MONDAY: 'Monday',
  TUESDAY: 'Tuesday',
  WEDNESDAY: 'Wednesday',
  THURSDAY: 'Thursday',
  FRIDAY: 'Friday',
  SATURDAY: 'Saturday',
  SUNDAY: 'Sunday',
} as const;
export type Weekday = keyof typeof weekdays;

/** The kinds of devices that a rule can name. */
export const devices = {
  DESKTOP: 'A desktop or laptop computer.',
  MOBILE: 'A phone.',
  TABLET: 'A tablet.',
  OTHER: 'Another known device, such as a television.',
} as const;
export type Device = keyof typeof devices;

/** A list of values: exactly one of the two. */
export type Choice<Value extends string = string> =
  | { readonly in: readonly Value[]; readonly notIn?: undefined }
  | { readonly notIn: readonly Value[]; readonly in?: undefined };

/** A parameter of the visit's query: exactly one of `in`, `notIn` and `exists`. */
export interface StoredQuery {
  readonly name: string;
  readonly in?: readonly string[];
  readonly notIn?: readonly string[];
  readonly exists?: boolean;
}

/** A period: `from <= t < until`, at least one of them, as `toISOString` gives it. */
export interface StoredTime {
  readonly from?: string;
  readonly until?: string;
}

/** Hours of the day, `HH:MM`, on days of the week. */
export interface StoredHours {
  readonly days?: readonly Weekday[];
  readonly from?: string;
  readonly to?: string;
  readonly timeZone: string;
}

/** A condition: exactly one of its fields. */
export interface StoredCondition {
  readonly country?: Choice;
  readonly language?: Choice;
  readonly platform?: Choice<Platform>;
  readonly device?: Choice<Device>;
  readonly browser?: Choice;
  readonly query?: StoredQuery;
  readonly referrer?: Choice;
  readonly time?: StoredTime;
  readonly hours?: StoredHours;
}

export interface StoredTarget {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly weight: number;
}

export interface StoredRule {
  readonly id: number;
  readonly name: string;
  readonly when: readonly StoredCondition[];
  readonly to: readonly StoredTarget[];
}

/** The column `rules`. Rules and targets share one counter of ids. */
export interface StoredRules {
  /** The next id; none is used again. */
  readonly next: number;
  readonly rules: readonly StoredRule[];
}

/** The visitor of a test; what is absent is unknown. */
export interface StoredVisitor {
  readonly country?: string;
  /** As in the header Accept-Language. */
  readonly language?: string;
  readonly platform?: Platform;
  readonly device?: Device;
  readonly browser?: string;
  readonly query?: string;
  /** A URL or a host. */
  readonly referrer?: string;
  /** As `toISOString` gives it. */
  readonly at: string;
  readonly userAgent?: string;
}

/** The expectation of a test: exactly one of its fields. */
export interface StoredExpectation {
  /** One of the targets' URLs of the rule that leads, or where none does, the link's own URL. */
  readonly url?: string;
  /** The name of the rule that leads. */
  readonly rule?: string;
  /** Always true: no rule leads. */
  readonly noRule?: boolean;
}

/** An item of the column `ruleTests`, which is a list. */
export interface StoredTest {
  readonly visitor: StoredVisitor;
  readonly expect: StoredExpectation;
}
