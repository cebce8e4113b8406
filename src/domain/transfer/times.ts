const ISO =
  /^(\d{4})([-/])(\d\d)\2(\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/i;
/** Such as `Nov 20, 2026 10:00 AM`, or JavaScript's text of a date: a day, perhaps a time, perhaps a zone with an offset. */
const IN_WORDS = new RegExp(
  [
    /^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?/,
    /(?:([a-z]{3,9})\.? (\d\d?)(?:st|nd|rd|th)?|(\d\d?)(?:st|nd|rd|th|\.)? ([a-z]{3,9})\.?),? ([1-9]\d{3})/,
    /((?:(?:,|,? at)? \d\d?:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?: ?[ap]m)?)?)/,
    / ?([a-z]*)((?:[+-]\d\d?(?::?[0-5]\d)?)?)$/,
  ]
    .map(({ source }) => source)
    .join(''),
  'i',
);
const MONTH =
  /^(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)$/i;

/** The names of time zones that JavaScript knows, by RFC 822. */
const ZONE = /^(Z|UTC|GMT|[ECMP][SD]T)$/i;
/** The largest offset from UTC, in hours. */
const MAX_OFFSET = 14;

/** An offset such as `+0530`, `+05:30` or `-7` in ISO 8601; `Z` for any other text, and null for an impossible offset. */
function isoOffset(text: string): string | null {
  const [, sign, hours = '', minutes = '00'] = /^([+-])(\d\d?):?(\d\d)?$/.exec(text) ?? [];
  if (sign === undefined) return 'Z';
  return Number(hours) + Number(minutes) / 60 > MAX_OFFSET
    ? null
    : `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

/** True if a date in UTC is on that day of a month. JavaScript parses February 30 as a day in March. */
function isOnDay(day: string, date: string): boolean {
  return new Date(date).getUTCDate() === Number(day);
}

/** Parses a time in ISO 8601; without an offset, it is in UTC. Null for any other text. */
export function isoTime(text: string): Date | null {
  const [, year, , month, date, minute = '00:00', second = '00', fraction = '0', offset = 'Z'] =
    ISO.exec(text) ?? [];
  if (year === undefined) return null;
  const day = `${year}-${month}-${date}`;
  const zone = isoOffset(offset);
  if (zone === null || !isOnDay(date ?? '', `${day}T00:00:00Z`)) return null;
  const time = new Date(`${day}T${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`);
  return Number.isNaN(time.getTime()) ? null : time;
}

function timeInWords(text: string): Date | null {
  const [, first, after, before, last, year = '', time = '', zone = '', offset = ''] =
    IN_WORDS.exec(text) ?? [];
  const [month = '', day = ''] = first === undefined ? [last, before] : [first, after];
  const date = `${month.slice(0, 3)} ${day} ${year}`;
  if (!MONTH.test(month) || !isOnDay(day, `${date} UTC`)) return null;
  if (!ZONE.test(zone || 'UTC')) return null;
  const isUtc = /^(Z|UTC|GMT)?$/i.test(zone);
  const ofUtc = isoOffset(offset);
  if (ofUtc === null || !(isUtc || /^(Z|[+-]00:00)$/.test(ofUtc))) return null;
  return new Date(`${date}${time.replace(/^,? at/i, '')} ${isUtc ? `GMT${ofUtc.replace('Z', '')}` : zone}`);
}

/** Longer texts are not parsed: the patterns would take long. */
const MAX_TIME_LENGTH = 100;

/** Parses a time as services write it; without an offset, it is in UTC. Null for any other text. */
export function parseTime(given: string): Date | null {
  const text = given.trim();
  if (text.length > MAX_TIME_LENGTH) return null;
  if (/^\d{10}(\d{3})?$/.test(text)) return new Date(Number(text) * (text.length === 10 ? 1_000 : 1));
  const timestamp = isoTime(text) ?? timeInWords(text.replace(/\s*\(.*\)$/, '').replace(/\s+/g, ' '));
  const year = timestamp?.getUTCFullYear() ?? Number.NaN;
  return year >= 1000 && year <= 9999 ? timestamp : null;
}
