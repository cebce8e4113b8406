import { MAX_INT } from '../input.ts';

/** An invalid value; the message continues a sentence that starts with the field's name. */
export class WrongValue extends Error {}

const MAX_SHOWN = 60;

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'an object of very many levels';
  }
}

/** A value, shortened for a message. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : asJson(value);
  return `"${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}"`;
}

export function wrong(value: unknown, allowed: string): never {
  throw new WrongValue(`is ${shown(value)}; it must be ${allowed}`);
}

/** A text; JSON may have a number or a boolean in its place. */
export function textOf(value: unknown, allowed = 'a text'): string {
  // The text of a list would be that of its items, of however many levels.
  return typeof value === 'object' ? wrong(value, allowed) : String(value);
}

/** The name of a folder or tag, or of an object with one. */
export function nameOf(value: unknown): string {
  const isNamed = typeof value === 'object' && value !== null && 'name' in value;
  return textOf(isNamed ? value.name : value);
}

const ISO =
  /^(\d{4})([-/])(\d\d)\2(\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/i;
/** Such as `Nov 20, 2026 10:00 AM`, or JavaScript's text of a date: a day, perhaps a time, perhaps a zone with an offset. */
const IN_WORDS =
  /^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?(?:([a-z]{3,9})\.? (\d\d?)(?:st|nd|rd|th)?|(\d\d?)(?:st|nd|rd|th|\.)? ([a-z]{3,9})\.?),? ([1-9]\d{3})((?:(?:,|,? at)? \d\d?:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?: ?[ap]m)?)?) ?([a-z]*)((?:[+-]\d\d?(?::?[0-5]\d)?)?)$/i;
const MONTH =
  /^(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)$/i;

/** The hours from UTC of the zones' names that mean only one: `CST`, for example, is one of America since RFC 822. */
const ZONES: Readonly<Record<string, number>> = {
  Z: 0,
  UTC: 0,
  GMT: 0,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
};
/** The largest offset from UTC, in hours. */
const MAX_OFFSET = 14;

/** The hours of an offset such as `+0530`, `+05:30` or `-7`, 0 for `Z`; null for an impossible one. */
function hoursOf(offset: string): number | null {
  const [, sign, hours = '', minutes = '0'] = /^([+-])(\d\d?):?(\d\d)?$/.exec(offset) ?? [];
  const amount = Number(hours) + Number(minutes) / 60;
  if (amount > MAX_OFFSET) return null;
  return sign === '-' ? -amount : amount;
}

/** Whether a date in UTC is on that day of a month: JavaScript would parse February 30 as a day in March. */
function isOnDay(day: string, date: string): boolean {
  return new Date(date).getUTCDate() === Number(day);
}

function isoMoment(text: string): Date | null {
  const [, year, , month, date, minute = '00:00', second = '00', fraction = '0', offset = 'Z'] =
    ISO.exec(text) ?? [];
  if (year === undefined) return null;
  const day = `${year}-${month}-${date}`;
  if (!isOnDay(date ?? '', `${day}T00:00:00Z`) || hoursOf(offset) === null) return null;
  const zone = /^(Z|UTC|GMT)$/i.test(offset)
    ? 'Z'
    : offset.replace(/^(.\d\d):?(\d\d)?$/, (_all, hours, minutes = '00') => `${hours}:${minutes}`);
  return new Date(`${day}T${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`);
}

function momentInWords(text: string): Date | null {
  const [, first, after, before, last, year = '', time = '', zone = '', offset = ''] =
    IN_WORDS.exec(text) ?? [];
  const [month = '', day = ''] = first === undefined ? [last, before] : [first, after];
  const date = `${month.slice(0, 3)} ${day} ${year}`;
  if (!MONTH.test(month) || !isOnDay(day, `${date} UTC`)) return null;
  const named = zone === '' ? 0 : ZONES[zone.toUpperCase()];
  const added = offset === '' ? 0 : hoursOf(offset);
  if (named === undefined || added === null || (named !== 0 && added !== 0)) return null;
  const timestamp = new Date(`${date}${time.replace(/^,? at/i, '')} UTC`);
  return new Date(timestamp.getTime() - (named + added) * 3_600_000);
}

/** Longer texts are no times; patterns would take long for them. */
const MAX_TIME_LENGTH = 100;

/** Parses a time; without an offset, it is in UTC. */
export function momentOf(value: unknown): Date {
  const allowed = 'a time, such as 2026-11-20T10:00:00Z, Nov 20, 2026 10:00 AM, or seconds since 1970';
  const text = textOf(value, allowed).trim();
  if (text.length > MAX_TIME_LENGTH) wrong(value, allowed);
  if (/^\d{10}(\d{3})?$/.test(text)) return new Date(Number(text) * (text.length === 10 ? 1_000 : 1));
  const timestamp = isoMoment(text) ?? momentInWords(text.replace(/\s*\(.*\)$/, '').replace(/\s+/g, ' '));
  const year = timestamp?.getUTCFullYear() ?? Number.NaN;
  return timestamp !== null && year >= 1000 && year <= 9999 ? timestamp : wrong(value, allowed);
}

/** A time, or undefined for what services write when there is none. */
export function timestampIn(value: unknown): Date | undefined {
  const isNone = value === false || (typeof value === 'string' && /^(0|-|never|none|n\/a|\\N)$/i.test(value));
  return isNone ? undefined : momentOf(value);
}

/** A number of clicks; commas may separate thousands. */
export function countOf(value: unknown): number {
  const allowed = `a whole number from 0 to ${MAX_INT}`;
  const text = textOf(value, allowed).replace(/^(\d{1,3})((?:,\d{3})+)$/, (all) => all.replaceAll(',', ''));
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return count <= MAX_INT ? count : wrong(value, allowed);
}

/** Whether a cell means yes; anything but a no counts, such as a time. */
export function isSet(value: unknown): boolean {
  return typeof value === 'object' || !/^(0|false|no|off|n|f)$/i.test(String(value));
}

/** A yes or no, or the time since when it is so. */
export function yesOrNo(value: unknown): boolean {
  const allowed = '1 or 0, true or false, yes or no, or a time';
  if (!isSet(value)) return false;
  if (/^(1|true|yes|on|y|t)$/i.test(textOf(value, allowed))) return true;
  try {
    return momentOf(value) !== null;
  } catch {
    return wrong(value, allowed);
  }
}

/** A whole number. */
export function numberOf(value: unknown): number {
  const allowed = 'a whole number';
  return /^-?\d{1,15}$/.test(textOf(value, allowed)) ? Number(value) : wrong(value, allowed);
}

/** A list, or its JSON text from a cell. */
export function listOf(value: unknown): unknown[] {
  let list: unknown = value;
  try {
    if (typeof value === 'string') list = JSON.parse(value);
  } catch {
    // Reported below.
  }
  return Array.isArray(list) ? list : wrong(value, 'a list in JSON, such as the export writes');
}

/** The items of a list, of its JSON text, or of another text with something between them; any other value is the only one. */
export function listIn(value: unknown, between: RegExp): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return [value];
  try {
    return listOf(value);
  } catch {
    return value.split(between).filter((item) => item !== '');
  }
}

/** The names of tags. */
export function tagsOf(value: unknown): string[] {
  const list = listIn(value, /[,;|]/);
  const names = list.filter((tag) => tag !== null).map((tag) => nameOf(tag).trim());
  return names.filter((tag) => tag !== '');
}
