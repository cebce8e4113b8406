/**
 * The key of this tab, masked by a random pad, which is in `sessionStorage`. The masked key is in two places: in
 * `sessionStorage`, for the console opened anew in the tab, and in the entries of the tab's history that are the console's.
 * Pages of links with pixels run foreign scripts on the same host. Before those run, such a page removes the masked key from
 * `sessionStorage` (src/redirect/pages.ts), and no page can read another's entries; so Back still finds it.
 */
const PAD = 'linkspace.pad';
const MASKED = 'linkspace.key';

const bytesOf = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

/** Combines two lists of bytes; a second time with the same pad, it is undone. */
const mask = (bytes: readonly number[], pad: readonly number[]): number[] =>
  bytes.map((byte, index) => byte ^ (pad[index] ?? 0));

function padOf(length: number): number[] {
  const stored = sessionStorage.getItem(PAD)?.split(',').map(Number) ?? [];
  if (stored.length >= length) return stored;
  const pad = Array.from(crypto.getRandomValues(new Uint8Array(length)));
  sessionStorage.setItem(PAD, pad.join(','));
  return pad;
}

const stateOf = (): Readonly<Record<string, unknown>> => Object(history.state);

let masked: string | null = null;

/** Every entry gets the masked key, so that it is there after a reload. */
function mark(): void {
  if (stateOf()[MASKED] !== masked) history.replaceState({ ...stateOf(), [MASKED]: masked }, '');
}

// The router fires the first two.
for (const moved of ['pushState', 'replaceState', 'popstate']) addEventListener(moved, mark);

export const keyOfTab = {
  /** The key from before this page was loaded; null if there is none. */
  get(): string | null {
    const kept = sessionStorage.getItem(MASKED) ?? stateOf()[MASKED];
    if (typeof kept !== 'string' || sessionStorage.getItem(PAD) === null) return null;
    const bytes = kept.split(',').map(Number);
    return String.fromCharCode(...mask(bytes, padOf(bytes.length)));
  },
  set(key: string): void {
    const bytes = bytesOf(key);
    masked = mask(bytes, padOf(bytes.length)).join();
    sessionStorage.setItem(MASKED, masked);
    mark();
  },
  /** Forgets it: older entries of the history cannot be read without the pad. */
  clear(): void {
    sessionStorage.removeItem(PAD);
    sessionStorage.removeItem(MASKED);
    masked = null;
    mark();
  },
};
