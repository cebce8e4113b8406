import {
  startTestServer as start,
  type TestServer,
  type TestServerOptions,
} from '../../src/testing/server.ts';
import { newDatabase } from './database.ts';

export { Caller, type RestAnswer, type RestLink } from '../../src/testing/caller.ts';
export { NOON, type TestServer } from '../../src/testing/server.ts';

/** How soon a change is promised to be seen everywhere, in milliseconds. */
export const A_SECOND = 1_000;

/** The test kit's server, on a new database of the kind that the tests are run on. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  return start({ ...options, url: options.url ?? (await newDatabase()) });
}
