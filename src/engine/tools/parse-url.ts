/** The longest host, in characters, without its port, and the longest part between its dots: DNS has none that are longer. */
export const MAX_HOST = 253;
const MAX_LABEL = 63;
/** The longest host that is decoded: a character takes at most nine when it is escaped. */
const MAX_ESCAPED = 9 * MAX_HOST;

/** The authority of a URL, also of one without a scheme or with wrong slashes, as parsers find it. */
const AUTHORITY = /^[\0-\x20]*(?:[a-z][a-z\d+.-]*:)?[/\\]*([^/\\?#]*)/i;
/** Characters that parsers drop anywhere. */
const DROPPED = /[\t\n\r]/g;

/** True if a host, perhaps with a port, is longer than DNS allows. Letters beyond ASCII take quadratic time. */
export function isLongHost(written: string): boolean {
  if (written.length > MAX_ESCAPED) return true;
  const host = written.replace(/\.?(?::\d*)?$/, '');
  if (/^[!-$&-~]*$/.test(host)) return host.length > MAX_HOST;
  try {
    // A single character may stand for many.
    const meant = decodeURIComponent(host).normalize('NFKC');
    return meant.length > MAX_HOST || meant.split(/[.\u3002]/).some(isLongLabel);
  } catch {
    // Parsers refuse what is no text.
    return false;
  }
}

function isLongLabel(label: string): boolean {
  return label.length > MAX_LABEL && /[^\0-\x7f]/.test(label);
}

/**
 * A URL that somebody sent; null for one that is not valid, or has a longer host than DNS. Nothing else parses such a URL: the
 * linter refuses it. Not by URL.canParse, which in Node 22 refuses letters such as ü after a few thousand calls.
 */
export function parseUrl(text: string, base?: string): URL | null {
  const [, authority = ''] = AUTHORITY.exec(text.replaceAll(DROPPED, '')) ?? [];
  return isLongHost(authority.slice(authority.lastIndexOf('@') + 1)) ? null : URL.parse(text, base);
}
