// A member of Node's HTTP server that its documentation does not promise. The comment says what the code relies on.
// `test/engine/http/private.test.ts` fails if a release of Node changes it.
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/**
 * Stops accepting connections, and resolves when all have ended. HTTP's own `close` would also close idle connections, whose
 * clients may be sending a request. The server of `node:net` below it closes none.
 */
export function stopAccepting(server: Server): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
}
