/**
 * The key of this tab, which survives a reload, and is forgotten when the tab leaves the console. Pages of links with pixels run
 * foreign scripts on the same host, which can read `sessionStorage` if the tab gets there: so that has only a random pad. The
 * key, masked by it, is in the entries of the tab's history, which other pages cannot read.
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
  /** The key from before a reload; null if there is none. */
  get(): string | null {
    const kept = stateOf()[MASKED];
    if (typeof kept !== 'string' || sessionStorage.getItem(PAD) === null) return null;
    const bytes = kept.split(',').map(Number);
    return String.fromCharCode(...mask(bytes, padOf(bytes.length)));
  },
  set(key: string): void {
    const bytes = bytesOf(key);
    masked = mask(bytes, padOf(bytes.length)).join();
    mark();
  },
  /** Forgets it: older entries of the history cannot be read without the pad. */
  clear(): void {
    sessionStorage.removeItem(PAD);
    masked = null;
    mark();
  },
};
