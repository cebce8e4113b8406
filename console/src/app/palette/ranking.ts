import { foldName } from '../../words/format.ts';

interface Entry {
  readonly name: string;
  readonly note?: string | undefined;
  /** Words that it does not show, each of which finds it as a whole. */
  readonly words?: string;
}

/** The rank of what else was found, such as a link by its destination. */
export const LAST = 3;

const begins = (text: string, word: string): boolean =>
  text.split(/[^\p{L}\p{N}]+/u).some((one) => one.startsWith(word));

/** The place of an entry among the results: 0 if its name or alias begins with the text, null if it does not match. */
export function rank(text: string, { name, note = '', words = '' }: Entry): number | null {
  const sought = foldName(text);
  const all = sought.split(/\s+/);
  const folded = foldName(name);
  const seen = `${folded} ${foldName(note)}`;
  const hidden = foldName(words);
  if ([folded, folded.slice(folded.indexOf('/') + 1)].some((one) => one.startsWith(sought))) return 0;
  if (all.every((word) => begins(seen, word))) return 1;
  if (all.every((word) => seen.includes(word))) return 2;
  const isHidden = all.some((word) => hidden.split(' ').includes(word));
  return isHidden && all.every((word) => `${seen} ${hidden}`.includes(word)) ? LAST : null;
}

/** The note of an entry, and before it the text by which it was found, such as its space, if neither name nor note shows why. */
export function noteWith(text: string, entry: Entry & { note: string }, texts: readonly string[]): string {
  if (rank(text, entry) !== null) return entry.note;
  const found = texts.find((one) => rank(text, { name: one }) !== null);
  return found === undefined ? entry.note : `${found} · ${entry.note}`;
}

/** The parts of a text, of which every second one is a word that is sought. */
export function markedParts(text: string, sought: string): string[] {
  const words = foldName(sought).split(/\s+/).filter(Boolean);
  const escaped = words.map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, '\\$&'));
  return words.length === 0 ? [text] : text.split(new RegExp(`(${escaped.join('|')})`, 'i'));
}
