import { type Language, language, locale } from '../language.ts';

/** Numbers and times in the language of the page. */
const count = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const utcDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const utcDays = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
const ofCounts = new Intl.NumberFormat(locale, {
  ...{ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 },
});
const change = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});

/** A function that writes times in this way. */
function timesAs(options: Intl.DateTimeFormatOptions): (iso: string) => string {
  const format = new Intl.DateTimeFormat(locale, options);
  return (iso) => format.format(new Date(iso));
}

export const inDigits = (value: number): string => count.format(value);
export const inShort = (value: number): string => (value < 100_000 ? count : compact).format(value);
export const asShare = (value: number): string => percent.format(value);
/** A share of counts, in a column of such: all have as many digits after the point. */
export const asCountedShare = (value: number): string => ofCounts.format(value);
/** A change with its sign: a minus, not a hyphen. */
export const asChange = (value: number): string => change.format(value).replace('-', '−');
export const onDay = timesAs({ dateStyle: 'medium' });
export const atMoment = timesAs({ dateStyle: 'medium', timeStyle: 'short' });
export const atTime = timesAs({ timeStyle: 'short' });
const atMomentOfYear = timesAs({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
/** A time without the year if it is this one. */
export const atNearMoment = (iso: string): string =>
  new Date(iso).getFullYear() === new Date().getFullYear() ? atMomentOfYear(iso) : atMoment(iso);
/** The time zone of times that name none. */
export const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
export const onUtcDay = (iso: string): string => utcDay.format(new Date(iso));
export const onUtcDays = (from: string, to: string): string =>
  utcDay.formatRange(new Date(from), new Date(to));
/** A period in words; both days as `2026-11-21`. */
export const betweenUtcDays = ({ from, to }: { from: string; to: string }): string =>
  utcDays.formatRange(new Date(from), new Date(to));
export const atUtcHour = timesAs({
  ...{ day: 'numeric', month: 'short', timeZone: 'UTC' },
  ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
});
export const atUtcTime = timesAs({ hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
export const inUtcMonth = timesAs({ month: 'short', year: 'numeric', timeZone: 'UTC' });

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Words for less than a minute ago; Intl says “this minute”. They are here, since the texts need this file. */
const justNow: Readonly<Record<Language, string>> = {
  en: 'just now',
  de: 'gerade eben',
  fr: 'à l’instant',
  es: 'hace un momento',
};

/** The time since it was, or until it will be, in words. */
export function ago(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1000;
  // Rounded, so that “in 7 days” is still that a moment later. 23 months ago was not last year.
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size)
      return relative.format(
        (seconds > 0 || unit === 'year' ? Math.round : Math.trunc)(seconds / size),
        unit,
      );
  return seconds > 0 ? relative.format(0, 'minute') : justNow[language];
}

/** The name of a country or language in a language. */
export function nameIn(within: string, type: 'region' | 'language', code: string): string {
  try {
    return new Intl.DisplayNames(within, { type, fallback: 'code' }).of(code) ?? code;
  } catch {
    return code;
  }
}

export const countryName = (code: string): string => nameIn(locale, 'region', code);
export const languageName = (code: string): string => nameIn(locale, 'language', code);

/** Folds a name, such as of a space, for comparisons. */
export const foldName = (text: string): string => text.trim().toLocaleLowerCase();

/** A URL as people read it: without its scheme and a lone slash. */
export const withoutScheme = (url: string): string =>
  url.replace(/^https?:\/\/(www\.)?/i, '').replace(/^([^/]+)\/$/, '$1');

/** The most characters of an address in a line with others, and how many of them are its end. */
const IN_LINE = { all: 40, end: 14 };

/** An address in a line with others: a long one loses its middle. */
export function inLine(url: string): string {
  const all = [...withoutScheme(url)];
  if (all.length <= IN_LINE.all) return all.join('');
  return `${all.slice(0, IN_LINE.all - IN_LINE.end - 1).join('')}…${all.slice(-IN_LINE.end).join('')}`;
}

/** A short URL as people read it: without its scheme, and with its letters and emoji. */
export function shortUrlText(url: string): string {
  const text = withoutScheme(url);
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

const AROUND = '[\\s\\u200B-\\u200F\\u202A-\\u202E\\u2060\\u2066-\\u2069\\uFEFF]+';
const around = new RegExp(`^${AROUND}|${AROUND}$`, 'g');

/** Trims a pasted text, also of invisible characters that were copied with it; the API drops them, too. */
export const trimPasted = (text: string): string => text.replace(around, '');

/** An address as it is stored: characters that change its direction are percent-encoded. */
export const encodeBidi = (address: string): string =>
  address.replaceAll(/\p{Bidi_Control}/gu, encodeURIComponent);

/** Adds the scheme that the API needs to an address such as www.example.com/page. */
export function withScheme(text: string): string {
  const address = trimPasted(text);
  return /^[\w-]+(\.[\w-]+)+([/?#:]|$)/.test(address) ? `https://${address}` : address;
}

/** True if a text is empty, or begins as an address does; the API judges the rest. */
export const isAddress = (text: string): boolean => /^($|https?:\/\/)/i.test(withScheme(text));

/** A time of which only parts are entered: browsers give such an input no value. */
export const INCOMPLETE = 'incomplete';

/** A time for an input of the type `datetime-local`. */
export function toLocalInput(iso: string | null): string {
  if (iso === null) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The time of an input of the type `datetime-local`, to the minute, as the API keeps it. */
export function fromLocalInput(text: string): string | null {
  const time = new Date(text);
  return text === '' || Number.isNaN(time.getTime()) ? null : time.toISOString().replace(/:\d\d\.\d+Z$/, 'Z');
}
