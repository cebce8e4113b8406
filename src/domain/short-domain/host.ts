import { normalizeHost, withoutDefaultPort, withoutPort } from '../../engine/rules/url.ts';
import { encodeAlias } from '../link/alias-grammar.ts';

/**
 * The name of the domain for a host that somebody wrote: without the default port of either scheme, which no browser names. Null if
 * the text is not a host.
 */
export function normalizeDomainName(text: string): string | null {
  const host = normalizeHost(text);
  return host && withoutDefaultPort(host);
}

/**
 * The names that a domain which serves the host may have, the first one that exists counts: the host with its port, or the
 * host without it.
 */
export function namesServing(host: string): readonly string[] {
  return [...new Set([host, withoutPort(host)])];
}

/** The short URL of an alias on a domain, in ASCII. */
export function composeShortUrl(
  { scheme }: { readonly scheme: string },
  domain: { name: string },
  { alias }: { alias: string },
): string {
  return `${scheme}//${domain.name}/${encodeAlias(alias)}`;
}
