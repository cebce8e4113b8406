import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';

/** Milliseconds for which a query waits for its first answer, and number of attempts, each of which waits longer. */
const QUERY = { timeout: 1_000, tries: 4 };
const LOOK_UP_TIMEOUT = 5_000;

/** The system's own names, which have precedence over DNS. */
const HOSTS_FILE =
  process.platform === 'win32'
    ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

/** The addresses of a host in the text of a hosts file. */
function addressesIn(text: string, host: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').toLowerCase().trim().split(/\s+/));
  return lines.flatMap(([address = '', ...names]) => (names.includes(host) ? [address] : []));
}

/** Asks no name server, for a service without side effects. */
export function askNobody(): Promise<never> {
  return Promise.reject(new Error('SIDE_EFFECTS is off'));
}

export interface ResolveOptions {
  /** The name servers; the system's by default. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  /** The timeout of a look-up, in milliseconds, however many name servers there are. */
  readonly timeout?: number;
}

/**
 * Looks up all addresses of a host, in the hosts file and by DNS. Node's own `lookup` would occupy one of its few threads until
 * the name server answers: a few names whose servers never answer would delay all other names, that of the database included.
 */
export function createResolveHost({
  servers,
  hostsFile = HOSTS_FILE,
  timeout = LOOK_UP_TIMEOUT,
}: ResolveOptions = {}) {
  /** @throws the error of DNS, if the host has no addresses */
  return async (host: string): Promise<LookupAddress[]> => {
    const own = addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), host.toLowerCase());
    if (own.length > 0) return own.map((address) => ({ address, family: isIP(address) }));
    // Each look-up has its own resolver: the system's name servers may change, and cancelling ends all of a resolver's queries.
    const resolver = new Resolver(QUERY);
    if (servers !== undefined) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), timeout);
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    clearTimeout(timer);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const [first] = found;
    if (addresses.length === 0) throw first.status === 'rejected' ? first.reason : new Error('no address');
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
}

/**
 * The texts of a name's TXT records, each joined from its parts.
 * @param timeout in milliseconds, however many name servers there are
 */
export async function resolveTxt(name: string, timeout = LOOK_UP_TIMEOUT): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const timer = setTimeout(() => resolver.cancel(), timeout);
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } finally {
    clearTimeout(timer);
  }
}
