import type { Zone } from './zone.ts';

// A link's rules as visits read them: parsed once, and kept with the cached link.

/** The properties of a visitor that a condition compares with a list; of the referrer, its host and domains. */
export const listKinds = ['country', 'language', 'platform', 'device', 'browser', 'referrer'] as const;
export type ListKind = (typeof listKinds)[number];

/** The visitor's property is in the list, or not in it. What is unknown is in no list. */
export interface ListCondition {
  readonly kind: ListKind;
  readonly test: 'in' | 'notIn';
  /** Normalized as the facts of visitors are; of `referrer`, hosts that also stand for their subdomains. */
  readonly values: ReadonlySet<string>;
}

/** The first value of a query parameter. A parameter that is missing is in no list. */
export interface QueryCondition {
  readonly kind: 'query';
  readonly name: string;
  readonly test: 'in' | 'notIn' | 'exists' | 'missing';
  /** Empty for `exists` and `missing`. */
  readonly values: ReadonlySet<string>;
}

/** A period in milliseconds since 1970: `from <= t < until`; infinite where it has no border. */
export interface TimeCondition {
  readonly kind: 'time';
  readonly from: number;
  readonly until: number;
}

/** Hours on days of the week, by the clock of a time zone. */
export interface HoursCondition {
  readonly kind: 'hours';
  /** The days on which the hours start: bit 0 is Monday. */
  readonly days: number;
  /** Minutes since midnight, 0 to 1439. */
  readonly from: number;
  /** Minutes since midnight, 0 to 1439; at most `from` where the hours end on the next day. */
  readonly to: number;
  readonly zone: Zone;
}

export type Condition = ListCondition | QueryCondition | TimeCondition | HoursCondition;

export interface ParsedTarget {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly weight: number;
}

export interface ParsedRule {
  readonly id: number;
  readonly name: string;
  /** All of them must match; none means everybody. */
  readonly when: readonly Condition[];
  readonly to: readonly ParsedTarget[];
}

export interface ParsedRules {
  readonly rules: readonly ParsedRule[];
  /** All languages that the rules name, in order: the visitor's best of them is what conditions compare. */
  readonly languages: readonly string[];
  /** True if a rule has several targets with a weight above 0. */
  readonly hasSplits: boolean;
  /** Bytes that they take in memory, about. */
  readonly bytes: number;
}

/** The properties of a visit that conditions ask for. Null is unknown. */
export interface Facts {
  readonly country: string | null;
  /** The best for the visitor of `ParsedRules.languages`. */
  readonly language: string | null;
  readonly platform: string | null;
  readonly device: string | null;
  readonly browser: string | null;
  /** The referrer's host and the domains that it is in, in lower case. */
  readonly referrers: ReadonlySet<string> | null;
  /** The first value of the query parameter, decoded; undefined if it is missing. */
  readonly query: (name: string) => string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}
