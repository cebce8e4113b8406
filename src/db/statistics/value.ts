import { hash } from 'node:crypto';

/** The kinds of values of a click, by their numbers in `VisitValue`. */
export const kinds = {
  CLIENT: 1,
  LOCALE: 2,
  REFERRER: 3,
  DESTINATION: 4,
  VARIANT: 5,
} as const;

export type Kind = (typeof kinds)[keyof typeof kinds];

/** The columns of `VisitValue` with the properties of a visit. */
export const valueColumns = [
  'browser',
  'os',
  'device',
  'country',
  'language',
  'referrer',
  'destination',
  'variant',
] as const;

export type ValueColumn = (typeof valueColumns)[number];

export interface Value {
  readonly kind: Kind;
  readonly columns: Readonly<Partial<Record<ValueColumn, string | null>>>;
  /** The key for look-ups; the value itself may be too long for an index. */
  readonly hash: string;
}

export function visitValue(kind: Kind, columns: Value['columns']): Value {
  const key = JSON.stringify([kind, ...Object.values(columns)]);
  return { kind, columns, hash: hash('sha256', key, 'base64url').slice(0, 22) };
}

/** A target of a rule: the ids of the link, the rule and the target. */
export function variantText(linkId: number, ruleId: number, targetId: number): string {
  return `${linkId}.${ruleId}.${targetId}`;
}

/** Replaces the referrers of a link beyond the limit of a day. */
export const OTHER = 'other';
export const OTHER_REFERRER = visitValue(kinds.REFERRER, { referrer: OTHER });
/** Replaces the targets of rules beyond the limit of a day. */
export const OTHER_VARIANT = visitValue(kinds.VARIANT, { variant: OTHER });
