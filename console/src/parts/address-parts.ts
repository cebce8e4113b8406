import { unicodeHost } from './unicode-host.ts';

/** An address as people read it. */
interface Parts {
  /** The host, in ASCII, and what follows it, with its letters. */
  readonly place: string;
  /** The host in letters beyond ASCII; null if it has none. */
  readonly unicode: string | null;
  /** The user name, which may look like a host; null for none. */
  readonly user: string | null;
}

/** An address with its letters, digits and emoji instead of their codes; other codes stay, such as that of a slash. */
const withLetters = (text: string): string =>
  text.replaceAll(/(?:%[89a-f][\da-f])+/gi, (codes) => {
    try {
      const letters = decodeURIComponent(codes);
      return /^[\p{L}\p{M}\p{N}\p{So}]+$/u.test(letters) ? letters : codes;
    } catch {
      return codes;
    }
  });

/** The parts of an address, without its scheme and password; a text that is no address is its place. */
export function splitAddress(address: string): Parts {
  const [, authority = '', rest = ''] = /^https?:\/\/([^/\\?#]*)(.*)$/is.exec(address) ?? [];
  if (authority === '' || !URL.canParse(address)) return { place: address, unicode: null, user: null };
  const host = new URL(address).host.replace(/^www\./, '');
  const at = authority.lastIndexOf('@');
  const [user = ''] = authority.slice(0, Math.max(0, at)).split(':', 1);
  return {
    place: host + (rest === '/' ? '' : withLetters(rest)),
    unicode: unicodeHost(host),
    user: user || null,
  };
}

/** Labels below which countries register names, such as `co` in `example.co.uk`. */
const SECOND = /^(?:ac|co|com|edu|gov|net|ne|or|org)$/;

/** The name that somebody registered, such as `example` of `shop.example.co.uk`. An address in digits is its own. */
export function registeredName(host: string): string {
  const labels = host.replace(/:\d+$/, '').split('.');
  const isShared = labels.length > 2 && labels.at(-1)?.length === 2 && SECOND.test(labels.at(-2) ?? '');
  return (/^[\d.]+$|^\[/.test(host) ? host : labels.at(isShared ? -3 : -2)) || host;
}

/** The letter of a destination's host, and the number of its colour, from 1 to 6. */
export function tileOf(address: string): { readonly letter: string; readonly color: number } {
  const { place, unicode } = splitAddress(address);
  const [host = ''] = (unicode ?? place).split(/[/?#]/, 1);
  const name = registeredName(host);
  const sum = [...name].reduce((all, one) => (all * 31 + (one.codePointAt(0) ?? 0)) % 9_973, 7);
  return { letter: [...name.replace(/^\[/, '')][0]?.toUpperCase() ?? '', color: (sum % 6) + 1 };
}
