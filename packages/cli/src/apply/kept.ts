/** Returns a text as the service keeps it. */
export const kept = (text: string): string => text.trim();

/** Characters that the service takes off the ends of an address: they were copied with it. */
const COPIED = /^[\s\u200B-\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]$/;

/** Returns an address as the service keeps it. */
export function keptUrl(url: string): string {
  let [start, end] = [0, url.length];
  while (start < end && COPIED.test(url.charAt(start))) start++;
  while (end > start && COPIED.test(url.charAt(end - 1))) end--;
  return url.slice(start, end).replaceAll(/\p{Bidi_Control}/gu, encodeURIComponent);
}
