import { type Kind, kinds, type ValueColumn } from '../../db/statistics/value.ts';
import { textSchema } from '../../engine/rules/input.ts';

/** The dimensions that clicks are counted by. */
export const statisticsDimensions = {
  BROWSER: 'The browser, such as Firefox.',
  OS: 'The operating system, such as Android.',
  DEVICE: 'The kind of device: desktop, mobile, tablet or other.',
  COUNTRY: 'The country: an ISO 3166-1 alpha-2 code, such as DE, or XK for Kosovo.',
  LANGUAGE: 'The language that the visitor prefers: an ISO 639-1 code, such as de.',
  REFERRER: 'The host of the page with the link, in lower case, without www.',
  DESTINATION: 'The URL that the visitor was redirected to, without the query of the visit.',
  VARIANT:
    'The rule of the link that led, and its target, by their present names: `Rule 1 / Target 2`. Clicks that no rule led have none.',
} as const;

export type StatisticsDimension = keyof typeof statisticsDimensions;

/** A value of a dimension, or null for an unknown one. */
export const valueInput = textSchema(1, 8_192, (text) => text)
  .nullish()
  .describe(
    'The value, as `top` returns it; of VARIANT, whose rows have names, `variant.value`, such as 1.2.3, or other. Null for clicks whose value is unknown.',
  );

/** The kind and column of a dimension's values. */
export const dimensionValues: Record<StatisticsDimension, { kind: Kind; column: ValueColumn }> = {
  BROWSER: { kind: kinds.CLIENT, column: 'browser' },
  OS: { kind: kinds.CLIENT, column: 'os' },
  DEVICE: { kind: kinds.CLIENT, column: 'device' },
  COUNTRY: { kind: kinds.LOCALE, column: 'country' },
  LANGUAGE: { kind: kinds.LOCALE, column: 'language' },
  REFERRER: { kind: kinds.REFERRER, column: 'referrer' },
  DESTINATION: { kind: kinds.DESTINATION, column: 'destination' },
  VARIANT: { kind: kinds.VARIANT, column: 'variant' },
};

export const statisticsIntervals = {
  HOUR: 'Hours; for at most 31 days.',
  DAY: 'Days.',
  MONTH: 'Months. The first and the last one have only the days of the period.',
} as const;

export type StatisticsInterval = keyof typeof statisticsIntervals;

/** The lists that can be paginated. */
export const statisticsLists = {
  DAYS: 'Days, each as `2026-11-21`.',
  HOURS: 'Hours, each as `2026-11-21 19:00`; for at most 31 days.',
  ...statisticsDimensions,
} as const;

export type StatisticsList = keyof typeof statisticsLists;
