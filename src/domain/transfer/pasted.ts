/** A marker of a list, as editors and chats write it. */
const MARKER = String.raw`(?:[-–—*+•◦‣▪●○·»>]|\(?(?:\d{1,4}|[a-z])[.)]|\[[ x]?\])`;
/** Markers before an address. With a space behind them, it may lack its scheme, or be a link of Markdown. */
const MARKERS = new RegExp(
  String.raw`^\s*(?:(?:${MARKER}\s*){1,3}(?=https?://|www\.)|(?:${MARKER}\s+){1,3}(?=[\w-]+\.\w|[[<]\S))`,
  'i',
);
/** The text without the markers of a list before an address. */
export function withoutMarkers(text: string): string {
  return text.replace(MARKERS, '');
}

/** A link of Markdown; null for any other text. */
function markdownIn(text: string): { readonly url: string; readonly title: string } | null {
  const at = text.lastIndexOf('](');
  if (at < 0 || !text.startsWith('[') || !text.endsWith(')')) return null;
  const [url = '', ...tip] = text
    .slice(at + 2, -1)
    .trim()
    .split(/\s+/);
  if (tip.length > 0 && !/^(["']).*\1$/.test(tip.join(' '))) return null;
  return { url: url.replace(/^<(.*)>$/, '$1'), title: text.slice(1, at) };
}

/** The address in a text, with its title, if it is a link of Markdown; any other text is the address. */
export function linkIn(text: string): { readonly url: string; readonly title: string } {
  const bare = withoutMarkers(text);
  return markdownIn(bare) ?? { url: bare.replace(/^<(https?:\/\/[^\s<>]+)>$/i, '$1'), title: '' };
}
