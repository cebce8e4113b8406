/** Called for the parts that a scanner finds, with names without prefixes. */
interface Listener {
  open?(name: string, attribute: (name: string) => string | null): void;
  text?(text: string): void;
  close?(name: string): void;
}

const TAG = /<(\/?)([^\s<>/"'=]+)((?:[^<>"']|"[^"<]*"|'[^'<]*')*?)(\/?)>/y;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITY = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);

const decoded = (text: string): string =>
  text.includes('&')
    ? text.replace(ENTITY, (_, hex?: string, decimal?: string, name = '') =>
        hex || decimal ? String.fromCodePoint(Number(hex ? `0x${hex}` : decimal)) : (named[name] ?? ''),
      )
    : text;

/** A function that gives the attributes of a tag by their names; those without a prefix come first. */
function attributesIn(text: string): (name: string) => string | null {
  let found: Map<string, string> | undefined;
  return (name) => {
    if (found === undefined) {
      const all = [...text.matchAll(ATTRIBUTE)].map(([, full = '', double, single]) => ({
        full,
        value: double ?? single ?? '',
      }));
      const prefixedFirst = all.toSorted(
        (one, other) => Number(other.full.includes(':')) - Number(one.full.includes(':')),
      );
      found = new Map(prefixedFirst.map(({ full, value }) => [withoutPrefix(full), decoded(value)]));
    }
    return found.get(name) ?? null;
  };
}

/** The place behind the next occurrence of a text. @throws Error if there is none */
function behind(xml: string, end: string, from: number): number {
  const at = xml.indexOf(end, from);
  if (at < 0) throw new Error(`there is no ${end}`);
  return at + end.length;
}

/**
 * Reads XML from its beginning to its end, and builds nothing. It refuses document types, which could define entities.
 * @throws Error for other XML
 */
export function scanXml(xml: string, { open, text, close }: Listener): void {
  const within: string[] = [];
  for (let at = 0; at < xml.length; ) {
    const tag = xml.indexOf('<', at);
    const end = tag < 0 ? xml.length : tag;
    if (end > at) text?.(decoded(xml.slice(at, end)));
    if (tag < 0) break;
    if (xml.startsWith('<!--', tag)) at = behind(xml, '-->', tag + 4);
    else if (xml.startsWith('<?', tag)) at = behind(xml, '?>', tag);
    else if (xml.startsWith('<![CDATA[', tag)) {
      at = behind(xml, ']]>', tag);
      text?.(xml.slice(tag + 9, at - 3));
    } else {
      TAG.lastIndex = tag;
      const [all, ends, full = '', attributes = '', isEmpty] = TAG.exec(xml) ?? [];
      if (all === undefined) throw new Error('there is a wrong tag');
      const name = withoutPrefix(full);
      if (!ends) {
        open?.(name, attributesIn(attributes));
        within.push(full);
      }
      if (ends || isEmpty) {
        if (within.pop() !== full) throw new Error('a wrong tag ends');
        close?.(name);
      }
      at = tag + all.length;
    }
  }
  if (within.length > 0) throw new Error('it ends too early');
}
