import type { IncomingMessage } from 'node:http';

const absolute = /^https?:\/\/([^/?#]+)/i;

/** Matches a target that is a path already, as nearly all are. */
const PLAIN = /^\/(?!\/)[^#]*$/;

/** True if the target is a path, or has one (RFC 9112, 3.2). */
function hasPath({ url = '/' }: IncomingMessage): boolean {
  return url.startsWith('/') || absolute.test(url);
}

/** Returns true for a question about the methods of all paths (RFC 9110, 9.3.7). */
function asksForAll({ method, url }: IncomingMessage): boolean {
  return method === 'OPTIONS' && url === '*';
}

/** The status for a request with an invalid target or headers (RFC 9110, 7.2 and 10.1.1); null for a valid one. */
export function findFault(req: IncomingMessage): number | null {
  const { httpVersionMinor, headers, rawHeaders } = req;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  if (hosts > 1 || (headers.host === undefined && httpVersionMinor > 0)) return 400;
  if (!hasPath(req) && !asksForAll(req)) return 400;
  return headers.expect === undefined || /^100-continue$/i.test(headers.expect) ? null : 417;
}

/** The host of a target in absolute form, and the path with its query; several slashes at the start become one. */
function splitTarget(target: string): { host: string | undefined; path: string } {
  const [whole, host] = absolute.exec(target) ?? [];
  const rest = whole === undefined ? target : target.slice(whole.length);
  const path = rest.startsWith('/') || whole === undefined ? rest.replace(/^\/{2,}/, '/') : `/${rest}`;
  return { host, path };
}

/** The path of a target, without its query. */
export function targetPath(target: string): string {
  return splitTarget(target).path.split(/[?#]/, 1)[0] ?? '';
}

/**
 * Normalizes a request's target to a path. The host of an absolute form (RFC 9112, 3.2.2) has precedence over the header
 * Host; a fragment is left out.
 */
export function normalizeTarget(req: IncomingMessage): void {
  if (PLAIN.test(req.url ?? '')) return;
  const [target = '/'] = (req.url ?? '/').split('#', 1);
  const { host, path } = splitTarget(target);
  if (host !== undefined) req.headers.host = host;
  req.url = path;
}
