import type { ApiRequest } from '../graphql/context.ts';
import { runOwn } from '../graphql/pipeline.ts';
import { linkRoutes } from './links.ts';
import type { AnyRoute } from './route.ts';
import { spaceRoutes } from './spaces.ts';

function routeAt(routes: readonly AnyRoute[], path: string): AnyRoute {
  const found = routes.find((route) => route.path === path && route.methods.includes('GET'));
  if (found === undefined) throw new Error(`v1 has no ${path}`);
  return found;
}

const routes = { LINK: routeAt(linkRoutes, '/links/:id'), SPACE: routeAt(spaceRoutes, '/spaces/:id') };

/**
 * Creates a function that reads records in v1's form, with the same documents and encoders; null if the account has no such
 * record.
 * @param requestOf creates the request to read the account's records
 */
export function createSnapshot(requestOf: (accountId: number) => ApiRequest) {
  return async (accountId: number, kind: keyof typeof routes, id: number): Promise<object | null> => {
    const route = routes[kind];
    const data = await runOwn(route.document, route.variables({}, String(id)), requestOf(accountId));
    const { status, body } = route.encode(data, { path: '', query: '' }, {});
    // The 200 answer of a route for one record contains the record.
    return status === 200 ? (body.data as object) : null;
  };
}
