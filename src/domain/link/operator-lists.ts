import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { yieldToOthers } from '../../slices.ts';
import { foldCase } from '../fold.ts';
import { hostOf, normalizeHost, withoutPort } from '../url.ts';
import { type Addresses, addressesOf } from './addresses.ts';
import { isAlias } from './alias.ts';

/** A line of a list that is none of its entries. */
export interface WrongLine {
  readonly line: number;
  readonly text: string;
}

/** What the lines of a file say. */
export interface Listed {
  readonly entries: ReadonlySet<string>;
  readonly wrong: readonly WrongLine[];
}

/** How many wrong lines are told of, and how much of each, in characters. */
const MOST_TOLD = 20;
const LONGEST_TOLD = 100;

/** The entries of a text: a line each; what follows a # is a comment. `read` gives null for what is none. */
async function entriesOf(text: string, read: (entry: string) => string | null): Promise<Listed> {
  const entries = new Set<string>();
  const wrong: WrongLine[] = [];
  let number = 0;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    number++;
    if (number % 1_000 === 0) await yieldToOthers();
    const written = line.replace(/#.*/, '').trim();
    if (written === '') continue;
    const entry = read(written);
    if (entry !== null) entries.add(entry);
    else if (wrong.length < MOST_TOLD) wrong.push({ line: number, text: written.slice(0, LONGEST_TOLD) });
  }
  return { entries, wrong };
}

/** The host of an address or a list as one text, however it is spelled: an IPv4 address within IPv6 is that one. */
function plainHost(host: string): string {
  const name = withoutPort(host);
  if (!name.startsWith('[')) return name;
  return ipaddr.process(name.slice(1, -1)).toString();
}

/** A host, or `*.` and a name for all hosts below it; null for anything else. */
function hostEntry(written: string): string | null {
  const [, star = '', rest = ''] = /^(\*\.)?(.*)$/.exec(written) ?? [];
  const host = normalizeHost(isIP(rest) === 6 ? `[${rest}]` : rest);
  // Of a port, links to the same host have others.
  if (host === null || withoutPort(host) !== host || host.includes('*')) return null;
  const plain = plainHost(host);
  return star !== '' && isIP(plain) !== 0 ? null : `${star}${plain}`;
}

/** The hosts that a text lists, as `OperatorLists` takes them. */
export function parseBlockedHosts(text: string): Promise<Listed> {
  return entriesOf(text, hostEntry);
}

/** The aliases that a text lists; of two that differ in case alone, people see one. */
export function parseReservedAliases(text: string): Promise<Listed> {
  return entriesOf(text, (alias) => (isAlias(alias) ? foldCase(alias) : null));
}

const NOTHING: ReadonlySet<string> = new Set();

/** What the operator lets no link lead to, or be called. Both lists may be replaced at any time, and count at once. */
export class OperatorLists {
  #hosts = NOTHING;
  #aliases = NOTHING;
  /** What was found of links: visitors ask for the same ones again and again. */
  #found = new WeakMap<Addresses, boolean>();

  setBlockedHosts({ entries }: Pick<Listed, 'entries'>): void {
    this.#hosts = entries;
    this.#found = new WeakMap();
  }

  setReservedAliases({ entries }: Pick<Listed, 'entries'>): void {
    this.#aliases = entries;
  }

  /** Whether no host is blocked. */
  get isEmpty(): boolean {
    return this.#hosts.size === 0;
  }

  /** Whether any address of the link leads to a blocked host. */
  blocks(link: Addresses): boolean {
    if (this.isEmpty) return false;
    const known = this.#found.get(link);
    if (known !== undefined) return known;
    let found = false;
    for (const address of addressesOf(link)) found ||= this.blocksAddress(address);
    this.#found.set(link, found);
    return found;
  }

  /** Whether a web address leads to a blocked host. */
  blocksAddress(address: string): boolean {
    if (this.isEmpty) return false;
    const host = plainHost(hostOf(address));
    if (this.#hosts.has(host)) return true;
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1))
      if (this.#hosts.has(`*${host.slice(dot)}`)) return true;
    return false;
  }

  /** Whether only links that have the alias already may have it. */
  reserves(alias: string): boolean {
    return this.#aliases.size > 0 && this.#aliases.has(foldCase(alias));
  }
}
