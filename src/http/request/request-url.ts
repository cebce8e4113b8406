import type { IncomingMessage } from 'node:http';

const absolute = /^https?:\/\/([^/?#]+)/i;

/** Whether the target is a path, or has one (RFC 9112, 3.2). */
export function hasPath({ url = '/' }: IncomingMessage): boolean {
  return url.startsWith('/') || absolute.test(url);
}

/**
 * Normalizes a request's target to a path. The host of an absolute form (RFC 9112, 3.2.2) has precedence over the header
 * Host; several slashes at the start become one, and a fragment is left out.
 */
export function normalizeTarget(req: IncomingMessage): void {
  const [target = '/'] = (req.url ?? '/').split('#', 1);
  const [whole, host] = absolute.exec(target) ?? [];
  if (whole !== undefined) req.headers.host = host;
  const rest = whole === undefined ? target : target.slice(whole.length);
  req.url = rest.startsWith('/') || whole === undefined ? rest.replace(/^\/{2,}/, '/') : `/${rest}`;
}
