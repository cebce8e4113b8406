/** The beginning of a list or an object. */
const BEGIN = /^\s*[[{]/;

/**
 * Counts the items of the list or object in a JSON text without parsing it; 0 for another text. Counting stops above
 * `max`. An empty list counts as one.
 */
export function itemsInJson(text: string, max: number): number {
  if (!BEGIN.test(text)) return 0;
  let [depth, items] = [0, 1];
  for (let at = 0; at < text.length && items <= max; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (isOpening(code)) depth++;
    else if (isClosing(code)) depth--;
    else if (code === COMMA && depth === 1) items++;
  }
  return items;
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x5b, 0x5d, 0x7b, 0x7d];

function isOpening(code: number): boolean {
  return code === BRACKET || code === BRACE;
}

function isClosing(code: number): boolean {
  return code === BRACKET_END || code === BRACE_END;
}

/** Where the quote is that ends the text in quotes. */
function endOfText(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}

/** Limits of a JSON text: nested lists and objects, separators of items, and names in an object. */
export interface JsonLimits {
  readonly levels: number;
  readonly separators: number;
  readonly names: number;
}

/** The first limit that a JSON text exceeds, without parsing it; null if it exceeds none. Parsers take long beyond them. */
export function limitOfJson(text: string, limits: JsonLimits): keyof JsonLimits | null {
  /** The names so far of the objects around, from the outermost; 0 for lists. */
  const names: number[] = [];
  let separators = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (isOpening(code)) {
      if (names.push(code === BRACE ? 1 : 0) > limits.levels) return 'levels';
    } else if (isClosing(code)) names.pop();
    else if (code === COMMA) {
      if (++separators > limits.separators) return 'separators';
      const last = names.length - 1;
      const before = names[last] ?? 0;
      if (before === 0) continue;
      if (before >= limits.names) return 'names';
      names[last] = before + 1;
    }
  }
  return null;
}
