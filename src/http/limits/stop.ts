import type { Server } from 'node:http';

const TIMEOUT = 10_000;

/** Stops accepting, and waits for the requests in flight, ten seconds at most. */
export async function stopServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A keep-alive connection becomes idle only after its request is answered.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), TIMEOUT);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
