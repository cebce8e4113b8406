import { isReserved } from '../../domain/link/alias.ts';

/** The ways in. */
export type Surface = 'graphql' | 'v1' | 'visit' | 'other';

/** Files that the service has beside its reserved paths; no alias has a dot. */
const files = new Set(['', 'openapi.json', 'schema.graphql', 'favicon.ico', 'robots.txt']);

/** Which way a path (without its query) leads in: what is not the service's own is a visitor's. */
export function surfaceOf(path: string): Surface {
  const [, part = ''] = path.split('/', 2);
  if (!files.has(part) && !isReserved(part)) return 'visit';
  if (path === '/graphql' || path === '/graphql/') return 'graphql';
  return path.startsWith('/api/v1') ? 'v1' : 'other';
}
