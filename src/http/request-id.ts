import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

const ids = new WeakMap<ServerResponse, string>();

/** Gives the request a name of its own, which its answer bears and the log tells. */
export function nameRequest(res: ServerResponse): string {
  const id = randomUUID();
  ids.set(res, id);
  return id;
}

/** That name; empty before it is given. */
export function requestIdOf(res: ServerResponse): string {
  return ids.get(res) ?? '';
}
