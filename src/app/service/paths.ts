import type { IncomingMessage } from 'node:http';
import { isFile, isServed } from '../../domain/link/reserved.ts';
import { asksForGraphiql } from '../../engine/http/pages/pages.ts';
import type { RequestInfo, Surface } from '../../engine/http/request/info.ts';
import type { Paths } from '../../engine/http/server.ts';
import { TLS_ASK } from './tls-ask.ts';

/** The parts of the service that requests go to. */
export const surfaces = {
  graphql: { name: 'graphql', isPrivate: true, spanName: (method) => `${method} /graphql` },
  v1: { name: 'v1', isPrivate: true, spanName: (method, operation) => operation ?? method },
  run: { name: 'run', isPrivate: true, spanName: (method, operation) => operation ?? method },
  mcp: { name: 'mcp', isPrivate: true, spanName: (method, operation) => operation ?? method },
  visit: { name: 'visit', isPrivate: true, isBare: true, spanName: (method) => `${method} /:alias` },
  other: { name: 'other' },
} as const satisfies Record<string, Surface>;

/** The path below `/auth/` that answers with data of an account. */
const DOWNLOAD = '/auth/download';

/** True for a path below `/auth/`, in lower case. `auth` and `AUTH` are aliases, also with a slash at the end. */
function isOfAuth(path: string): boolean {
  return /^\/auth\/./.test(path);
}

/** The surface of a path (without its query), in any case but for those to sign in and to ask for hosts; any path that is not the service's own is a visit. */
function findSurface(path: string): Surface {
  const [, part = ''] = path.split('/', 2);
  if (isOfAuth(path) || path === TLS_ASK) return surfaces.other;
  if (part !== '' && !isServed(part) && !isFile(part)) return surfaces.visit;
  if (/^\/graphql\/?$/i.test(path)) return surfaces.graphql;
  if (/^\/api\/run\/./i.test(path)) return surfaces.run;
  if (/^\/api\/mcp\/?$/i.test(path)) return surfaces.mcp;
  return /^\/api\/v1(\/|$)/i.test(path) ? surfaces.v1 : surfaces.other;
}

/** Pages for people, which have their place with those who sign in. Strangers get the other files. */
const forPeople = /^\/(console|docs|openapi\.json|schema\.graphql)(\/|$)/i;

/** The room in which a request has its place. */
function chooseRoom({ surface, path }: RequestInfo): string {
  if (surface === surfaces.visit) return 'visits';
  if (surface !== surfaces.other || path === DOWNLOAD) return 'apis';
  if (/^\/(livez|readyz)(\/|$)/i.test(path)) return 'health';
  return isOfAuth(path) || forPeople.test(path) ? 'people' : 'visits';
}

/** The service's paths. */
export const paths: Paths = {
  findSurface,
  chooseRoom,
  isOnlyRead: ({ surface, path }) => surface === surfaces.other && !isOfAuth(path),
};

/** True for requests of pages for people and their files: the console, GraphiQL, `/docs` and signing in. */
export function isForPeople(
  req: IncomingMessage,
  { surface, path }: Pick<RequestInfo, 'surface' | 'path'>,
  graphiql: boolean,
): boolean {
  if (surface === surfaces.graphql) return graphiql && asksForGraphiql(req);
  return isOfAuth(path) || /^\/(console|docs)(\/|$)/i.test(path);
}
