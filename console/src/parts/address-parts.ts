import { unicodeHost } from './unicode-host.ts';

/** An address as people read it. */
interface Parts {
  /** The host, in ASCII, and what follows it as it was written. */
  readonly place: string;
  /** The host in letters beyond ASCII; null if it has none. */
  readonly unicode: string | null;
  /** The user name, which may look like a host; null for none. */
  readonly user: string | null;
}

/** The parts of an address, without its scheme and password; a text that is no address is its place. */
export function splitAddress(address: string): Parts {
  const [, authority = '', rest = ''] = /^https?:\/\/([^/\\?#]*)(.*)$/is.exec(address) ?? [];
  if (authority === '' || !URL.canParse(address)) return { place: address, unicode: null, user: null };
  const host = new URL(address).host.replace(/^www\./, '');
  const at = authority.lastIndexOf('@');
  const [user = ''] = authority.slice(0, Math.max(0, at)).split(':', 1);
  return { place: host + (rest === '/' ? '' : rest), unicode: unicodeHost(host), user: user || null };
}
