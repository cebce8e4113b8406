import type { RequestListener } from 'node:http';
import { parseParameters } from '../../engine/http/request/parameters.ts';
import { hostOf, normalizeHost, withoutPort } from '../../engine/rules/url.ts';

/** Where a proxy asks whether to get a certificate for a host. No other spelling is taken from links. */
export const TLS_ASK = '/tls/ask';

/** The status for a request's target: 200 if the service serves its host, else 404; 503 if the database cannot tell. */
export type TlsStatusOf = (target: string) => Promise<number>;

/**
 * @param own the addresses of the service itself
 * @param serves whether a domain serves a host
 */
export function tlsStatuses(own: readonly string[], serves: (host: string) => Promise<boolean>): TlsStatusOf {
  const hosts = new Set(own.map((address) => withoutPort(hostOf(address))));
  return async (target) => {
    const [asked, ...others] = parseParameters(target).getAll('domain');
    const host = normalizeHost(asked ?? '');
    if (host === null || others.length > 0) return 404;
    if (hosts.has(withoutPort(host))) return 200;
    return serves(host).then(
      (isServed) => (isServed ? 200 : 404),
      () => 503,
    );
  };
}

/** Answers a proxy by the status alone. */
export function tlsListener(statusOf: TlsStatusOf): RequestListener {
  return async ({ url = '' }, res) => {
    res.writeHead(await statusOf(url), { 'Cache-Control': 'no-store', 'Content-Length': 0 }).end();
  };
}
