import {
  startTestServer as start,
  type TestServer,
  type TestServerOptions,
} from '../../src/testing/server.ts';
import { newDatabase } from './database.ts';

export { Caller, type RestAnswer, type RestLink } from '../../src/testing/caller.ts';
export { NOON, type TestServer } from '../../src/testing/server.ts';

/** What is promised within a second may take this long, in milliseconds, where the machine that runs the tests is busy. */
export const A_SECOND = 3_000;

/** The test kit's server, on a new database of the kind that the tests are run on. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  return start({ ...options, url: options.url ?? (await newDatabase()) });
}
