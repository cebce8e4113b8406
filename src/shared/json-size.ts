/** What a list or an object begins with. */
const BEGIN = /^\s*[[{]/;

/**
 * How many items the list or object in a JSON text has, without parsing it; 0 for another text. Counting stops above `max`. An
 * empty list counts as one.
 */
export function itemsInJson(text: string, max: number): number {
  if (!BEGIN.test(text)) return 0;
  let [depth, items] = [0, 1];
  for (let at = 0; at < text.length && items <= max; at++) {
    const character = text[at];
    if (character === '"') at = endOfText(text, at);
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    else if (character === ',' && depth === 1) items++;
  }
  return items;
}

/** Where the quote is that ends the text in quotes. */
function endOfText(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at++;
  }
  return text.length;
}
