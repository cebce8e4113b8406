import type { IncomingMessage } from 'node:http';

const absolute = /^https?:\/\/([^/?#]+)/i;

/** Whether the target is a path, or has one (RFC 9112, 3.2). */
export function hasPath({ url = '/' }: IncomingMessage): boolean {
  return url.startsWith('/') || absolute.test(url);
}

/** The host of a target in absolute form, and the path with its query; several slashes at the start become one. */
function partsOf(target: string): { host: string | undefined; path: string } {
  const [whole, host] = absolute.exec(target) ?? [];
  const rest = whole === undefined ? target : target.slice(whole.length);
  const path = rest.startsWith('/') || whole === undefined ? rest.replace(/^\/{2,}/, '/') : `/${rest}`;
  return { host, path };
}

/** The path of a target, without its query. */
export function pathOf(target: string): string {
  return partsOf(target).path.split(/[?#]/, 1)[0] ?? '';
}

/**
 * Normalizes a request's target to a path. The host of an absolute form (RFC 9112, 3.2.2) has precedence over the header
 * Host; a fragment is left out.
 */
export function normalizeTarget(req: IncomingMessage): void {
  const [target = '/'] = (req.url ?? '/').split('#', 1);
  const { host, path } = partsOf(target);
  if (host !== undefined) req.headers.host = host;
  req.url = path;
}
