import { isIP } from 'node:net';
import { foldCase } from '../../engine/rules/input.ts';
import { hostOf, normalizeHost, plainHost, withoutPort } from '../../engine/rules/url.ts';
import { pauseIfBlocked } from '../../engine/tools/time-slices.ts';
import { refusal } from '../rules.ts';
import { isAlias, listAbove, normalizeAlias } from './alias-grammar.ts';
import { type Addresses, listAddresses } from './targeting.ts';

/** The entries of a file, and its invalid lines. */
export interface Listed {
  readonly entries: ReadonlySet<string>;
  readonly wrong: readonly { readonly line: number; readonly text: string }[];
}

/** Maximum number of reported wrong lines, and of characters of each. */
const MAX_REPORTED = 20;
const MAX_REPORTED_LENGTH = 100;

/** The entries of a text, one per line; text after # is a comment. `read` returns null for an invalid entry. */
async function parseEntries(text: string, read: (entry: string) => string | null): Promise<Listed> {
  const entries = new Set<string>();
  const wrong: Listed['wrong'][number][] = [];
  let number = 0;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    number++;
    if (number % 1_000 === 0) await pauseIfBlocked();
    const written = line.replace(/#.*/, '').trim();
    if (written === '') continue;
    const entry = read(written);
    if (entry !== null) entries.add(entry);
    else if (wrong.length < MAX_REPORTED)
      wrong.push({ line: number, text: written.slice(0, MAX_REPORTED_LENGTH) });
  }
  return { entries, wrong };
}

/** A host, or `*.` and a name for all hosts below it; null for anything else. */
function hostEntry(written: string): string | null {
  const [, star = '', rest = ''] = /^(\*\.)?(.*)$/.exec(written) ?? [];
  const host = normalizeHost(isIP(rest) === 6 ? `[${rest}]` : rest);
  // An entry with a port is invalid: the list has hosts.
  if (host === null || withoutPort(host) !== host || host.includes('*')) return null;
  const plain = plainHost(host);
  if (/^\.|\.\.|\.$/.test(plain)) return null;
  return star !== '' && isIP(plain) !== 0 ? null : `${star}${plain}`;
}

/** The hosts of a list, for `OperatorLists`. */
export function parseBlockedHosts(text: string): Promise<Listed> {
  return parseEntries(text, hostEntry);
}

/** The aliases of a list, case-folded: people confuse aliases that differ only in case. */
export function parseReservedAliases(text: string): Promise<Listed> {
  return parseEntries(text, (written) => {
    const alias = normalizeAlias(written);
    return isAlias(alias) ? foldCase(alias) : null;
  });
}

/** The message for an address on a blocked host. */
export const hostBlocked = refusal('HOST_BLOCKED');

const NOTHING: ReadonlySet<string> = new Set();

/** The operator's blocked hosts and reserved aliases. Both lists may be replaced at any time, with immediate effect. */
export class OperatorLists {
  #hosts = NOTHING;
  #aliases = NOTHING;
  /** A cache by link, since visitors request the same links repeatedly. */
  #found = new WeakMap<Addresses, boolean>();

  setBlockedHosts({ entries }: Pick<Listed, 'entries'>): void {
    this.#hosts = entries;
    this.#found = new WeakMap();
  }

  setReservedAliases({ entries }: Pick<Listed, 'entries'>): void {
    this.#aliases = entries;
  }

  /** True if no host is blocked. */
  get isEmpty(): boolean {
    return this.#hosts.size === 0;
  }

  /** True if any address of the link leads to a blocked host. */
  blocks(link: Addresses): boolean {
    if (this.isEmpty) return false;
    const known = this.#found.get(link);
    if (known !== undefined) return known;
    let found = false;
    for (const address of listAddresses(link)) found ||= this.blocksAddress(address);
    this.#found.set(link, found);
    return found;
  }

  /** True if a web address leads to a blocked host. */
  blocksAddress(address: string): boolean {
    if (this.isEmpty) return false;
    const host = plainHost(hostOf(address));
    if (this.#hosts.has(host)) return true;
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1))
      if (this.#hosts.has(`*${host.slice(dot)}`)) return true;
    return false;
  }

  /** True if the alias, or one above it, is reserved: existing links keep it, new links cannot take it. */
  reserves(alias: string): boolean {
    return (
      this.#aliases.size > 0 && [alias, ...listAbove(alias)].some((one) => this.#aliases.has(foldCase(one)))
    );
  }
}
