import type { IncomingMessage } from 'node:http';

const absolute = /^https?:\/\/([^/?#]*)/i;

/**
 * Brings a request's target into the form of a path. The absolute form (RFC 9112, 3.2.2) names the host, before the header
 * Host; of several slashes at the start one counts.
 */
export function normalizeTarget(req: IncomingMessage): void {
  const target = req.url ?? '/';
  const [whole, host] = absolute.exec(target) ?? [];
  if (whole !== undefined) req.headers.host = host;
  const rest = whole === undefined ? target : target.slice(whole.length);
  req.url = rest.startsWith('/') || whole === undefined ? rest.replace(/^\/{2,}/, '/') : `/${rest}`;
}
