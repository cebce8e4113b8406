// Punycode, as RFC 3492 describes it. Browsers encode hosts, and decode none.

const BASE = 36;
const MIN = 1;
const MAX = 26;
const SKEW = 38;
const DAMP = 700;
const FIRST_BIAS = 72;
const FIRST_POINT = 128;

/** The value of a digit: a to z, then 0 to 9; null for any other character. */
function parseDigit(character: string): number | null {
  if (/^[a-z]$/.test(character)) return character.charCodeAt(0) - 97;
  return /^\d$/.test(character) ? Number(character) + 26 : null;
}

function nextBias(delta: number, points: number, isFirst: boolean): number {
  let left = Math.floor(delta / (isFirst ? DAMP : 2));
  left += Math.floor(left / points);
  let turns = 0;
  for (; left > ((BASE - MIN) * MAX) / 2; turns += BASE) left = Math.floor(left / (BASE - MIN));
  return turns + Math.floor(((BASE - MIN + 1) * left) / (left + SKEW));
}

/** A label without its prefix, decoded; null if it is none. */
function decoded(label: string): string | null {
  const plain = label.lastIndexOf('-');
  const output = Array.from(label.slice(0, Math.max(0, plain)), (one) => one.charCodeAt(0));
  let [point, index, bias, at] = [FIRST_POINT, 0, FIRST_BIAS, plain + 1];
  while (at < label.length) {
    const before = index;
    let weight = 1;
    for (let position = BASE; ; position += BASE) {
      const digit = parseDigit(label[at++] ?? '');
      if (digit === null) return null;
      index += digit * weight;
      const threshold = Math.min(MAX, Math.max(MIN, position - bias));
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = nextBias(index - before, length, before === 0);
    point += Math.floor(index / length);
    if (point > 0x10ffff) return null;
    output.splice(index % length, 0, point);
    index = (index % length) + 1;
  }
  return String.fromCodePoint(...output);
}

/** A host in letters beyond ASCII, by its form in ASCII; null if it has none. */
export function unicodeHost(host: string): string | null {
  if (!host.includes('xn--')) return null;
  const labels = host.split('.').map((label) => (label.startsWith('xn--') ? decoded(label.slice(4)) : label));
  const unicode = labels.includes(null) ? null : labels.join('.');
  // What would be encoded in another way is not shown.
  const address = `http://${unicode}`;
  return unicode !== null && URL.canParse(address) && new URL(address).host === host ? unicode : null;
}
