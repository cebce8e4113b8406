/** Returns a text as the service keeps it. */
export const kept = (text: string): string => text.trim();

/** Returns an alias as the service keeps it. */
export const keptAlias = (alias: string): string =>
  keptEnds(alias)
    .replaceAll(/[\uFE0E\uFE0F]/g, '')
    .normalize('NFC');

/** Characters that the service takes off the ends of an address: they were copied with it. */
const COPIED = /^[\s\u200B-\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]$/;

function keptEnds(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && COPIED.test(text.charAt(start))) start++;
  while (end > start && COPIED.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Returns an address as the service keeps it. */
export const keptUrl = (url: string): string =>
  keptEnds(url).replaceAll(/\p{Bidi_Control}/gu, encodeURIComponent);
