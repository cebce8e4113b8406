import type { IncomingMessage } from 'node:http';
import { endWithoutBlanks, trimBlanks } from '../../tools/blanks.ts';
import { MAX_HEADER } from './headers.ts';

/** The beginning of the names of the service's own cookies, which may stand behind this prefix. */
const OWN = 'linkspace';
const PREFIX = '__Host-';

/** The property of a request with its own cookies. */
const COOKIES = Symbol('cookies');

type Cookies = ReadonlyMap<string, readonly string[]>;
type Request = IncomingMessage & { [COOKIES]?: Cookies };

/** The values of one of the service's own cookies. The header, which may have any others of the site, is read once. */
export function cookiesNamed(req: Request, name: string): readonly string[] {
  req[COOKIES] ??= ownCookies(req.headers.cookie ?? '');
  return req[COOKIES].get(name) ?? [];
}

function ownCookies(header: string): Cookies {
  const found = new Map<string, string[]>();
  for (let at = header.indexOf(OWN); at !== -1; at = header.indexOf(OWN, at + 1)) {
    const begin = header.startsWith(PREFIX, at - PREFIX.length) ? at - PREFIX.length : at;
    const last = endWithoutBlanks(header, 0, begin);
    if (last > 0 && header[last - 1] !== ';') continue;
    const semicolon = header.indexOf(';', at);
    const end = semicolon === -1 ? header.length : semicolon;
    // No value of ours is longer.
    const pair = header.slice(begin, Math.min(end, begin + MAX_HEADER));
    const equals = pair.indexOf('=');
    if (equals === -1) continue;
    // Browsers accept any other character in a name.
    const [name, value] = [trimBlanks(pair.slice(0, equals)), trimBlanks(pair.slice(equals + 1))];
    const before = found.get(name);
    if (before) before.push(value);
    else found.set(name, [value]);
    at = end - 1;
  }
  return found;
}
