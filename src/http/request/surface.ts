import { isReserved } from '../../domain/link/alias.ts';

/** The parts of the service that requests go to. */
export type Surface = 'graphql' | 'v1' | 'visit' | 'other';

/** Files of the service besides its reserved paths; no alias has a dot. */
const files = new Set(['', 'openapi.json', 'schema.graphql', 'favicon.ico', 'robots.txt']);

/** The surface of a path (without its query), in any case; any path that is not the service's own is a visit. */
export function surfaceOf(path: string): Surface {
  const [, part = ''] = path.split('/', 2);
  // A link may have the alias `auth`.
  if (/^\/auth\//i.test(path)) return 'other';
  if (!isReserved(part) && !files.has(part.toLowerCase())) return 'visit';
  if (/^\/graphql\/?$/i.test(path)) return 'graphql';
  return /^\/api\/v1(\/|$)/i.test(path) ? 'v1' : 'other';
}
