/** Characters that end a part of an address. */
const SEPARATOR = /[/?&=#.:_\-+,;@]/;

/** A text with its part that differs from another text. */
export type Split = readonly [start: string, changed: string, end: string];

function commonLength(a: string, b: string, from: (text: string, index: number) => string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && from(a, length) === from(b, length)) length++;
  return length;
}

/** Splits two addresses around what differs, whole words of it. */
export function splitChanged(before: string, after: string): readonly [Split, Split] {
  let start = commonLength(before, after, (text, index) => text.charAt(index));
  while (start > 0 && !SEPARATOR.test(before.charAt(start - 1))) start--;
  const [restBefore, restAfter] = [before.slice(start), after.slice(start)];
  let end = commonLength(restBefore, restAfter, (text, index) => text.charAt(text.length - 1 - index));
  while (end > 0 && !SEPARATOR.test(restBefore.charAt(restBefore.length - end))) end--;
  const split = (text: string): Split => [
    text.slice(0, start),
    text.slice(start, text.length - end),
    text.slice(text.length - end),
  ];
  return [split(before), split(after)];
}
