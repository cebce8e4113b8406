import { locale } from '../language.ts';
import { onDay } from '../words/format.ts';

/** A text in small letters without accents, which people leave out. */
export const plain = (text: string): string =>
  text.toLocaleLowerCase().normalize('NFD').replace(/\p{M}/gu, '');

export const months = Array.from({ length: 12 }, (_, month) =>
  plain(new Intl.DateTimeFormat(locale, { month: 'long' }).format(new Date(2027, month, 1))),
);

/** Midnight of a day here, in ISO 8601; null for a day that no month has. */
function midnight(year: number, month: number, day: number): Date | null {
  const date = new Date(year, month, day);
  return date.getMonth() === month && date.getDate() === day ? date : null;
}

/** The most words, of three letters or more, beside a month. */
const MOST_OTHERS = 1;

/** The year, the month from 0, and the day in a text; null for the year if it names none. */
function partsIn(text: string): readonly [year: number | null, month: number, day: number] | null {
  const iso = /\b(\d{4})-(\d\d?)-(\d\d?)\b/.exec(text);
  if (iso) return [Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])];
  const dotted = /\b(\d\d?)\. ?(\d\d?)\.? ?(\d{4})?\b/.exec(text);
  if (dotted) return [dotted[3] ? Number(dotted[3]) : null, Number(dotted[2]) - 1, Number(dotted[1])];
  const words = plain(text).match(/\p{L}{3,}|\d+/gu) ?? [];
  const month = months.findIndex((name) => words.some((word) => name.startsWith(word)));
  const numbers = words.filter((word) => /^\d+$/.test(word)).map(Number);
  const day = numbers.find((one) => one >= 1 && one <= 31);
  // “before 1 Dec”, and not a whole sentence, whose other words would be lost.
  const others = words.filter((word) => !/^\d+$/.test(word)).length - 1;
  return month === -1 || day === undefined || others > MOST_OTHERS
    ? null
    : [numbers.find((one) => one >= 1_000) ?? null, month, day];
}

/** The day that a text names, such as “before 1 Dec” or “2026-12-01”, as its first moment here; without a year, the next such day. */
export function typedDay(text: string): { readonly at: string; readonly name: string } | null {
  const parts = partsIn(text);
  if (parts === null) return null;
  const [year, month, day] = parts;
  const now = new Date();
  const date = midnight(year ?? now.getFullYear(), month, day);
  const next = date && year === null && date < now ? midnight(now.getFullYear() + 1, month, day) : date;
  return next && { at: next.toISOString(), name: onDay(next.toISOString()) };
}
