import {
  startTestServer as start,
  type TestServer,
  type TestServerOptions,
} from '../../src/testing/server.ts';
import { newDatabase } from './database.ts';

export { Caller, type RestAnswer, type RestLink } from '../../src/testing/caller.ts';
export { NOON, type TestServer, type TestServerOptions } from '../../src/testing/server.ts';

/** The test kit's server, on a new database of this test project's provider. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  return start({ ...options, url: options.url ?? (await newDatabase()) });
}

/** The expected `updatedAt` after an update while the test's clock stands still: it moves if something changes. */
export function timeAfter(before: unknown, changes: object): string {
  return new Date(Date.parse(String(before)) + (Object.keys(changes).length > 0 ? 1 : 0)).toISOString();
}

/** Deletes all that tests made, so that the next test of a file needs no server of its own. */
export async function emptyServer({ database }: TestServer): Promise<void> {
  await database.prisma.link.deleteMany();
  await database.prisma.account.deleteMany();
}
