import type { StatisticsDimension } from '../../domain/statistics/dimension.ts';
import type { Texts } from '../translations/en.ts';
import { textsFor } from '../translations.ts';

/** The formats and texts of a language. */
export interface Locale {
  readonly language: string;
  readonly texts: Texts['statistics'];
  number(count: number): string;
  /** A compact number, such as 12K. */
  short(count: number): string;
  share(part: number): string;
  /** A day, in full and abbreviated. */
  day(at: Date): string;
  shortDay(at: Date): string;
  /** A value of a dimension; null is the unknown value, or all former destinations. */
  value(by: StatisticsDimension, value: string | null): string;
}

function localeIn(language: string, dates: string, texts: Locale['texts']): Locale {
  const devices: Readonly<Record<string, string>> = texts.devices;
  const number = new Intl.NumberFormat(language);
  const short = new Intl.NumberFormat(language, { notation: 'compact' });
  const share = new Intl.NumberFormat(language, {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const day = new Intl.DateTimeFormat(dates, { timeZone: 'UTC', dateStyle: 'medium' });
  const shortDay = new Intl.DateTimeFormat(dates, { timeZone: 'UTC', day: 'numeric', month: 'short' });
  const countries = new Intl.DisplayNames(language, { type: 'region' });
  const languages = new Intl.DisplayNames(language, { type: 'language' });
  const capital = (text: string) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
  return {
    language,
    texts,
    number: (count) => number.format(count),
    short: (count) => short.format(count),
    share: (part) => share.format(part),
    day: (at) => day.format(at),
    shortDay: (at) => shortDay.format(at),
    value(by, value) {
      if (value === null && by === 'DESTINATION') return texts.former;
      if (value === null) return by === 'REFERRER' ? texts.direct : texts.unknown;
      if (by === 'COUNTRY') return countries.of(value) ?? value;
      if (by === 'LANGUAGE') return capital(languages.of(value) ?? value);
      return by === 'DEVICE' ? (devices[value] ?? value) : value;
    },
  };
}

const known = new Map<string, Locale>();

/** The words of the supported language that a visitor prefers. */
export function localeFor(acceptLanguage: string): Locale {
  const { language, texts } = textsFor(acceptLanguage);
  // Two variants of English, so that no visitor makes others.
  const english = /^\s*en-us\b/i.test(acceptLanguage.slice(acceptLanguage.search(/\ben\b/i)))
    ? 'en-US'
    : 'en-GB';
  const dates = language === 'en' ? english : language;
  const locale = known.get(dates) ?? localeIn(language, dates, texts.statistics);
  known.set(dates, locale);
  return locale;
}
