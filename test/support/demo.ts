import { type DemoOptions, fillDemo } from '../../src/app/cli/demo/fill.ts';
import { seededRandom } from '../../src/app/cli/demo/random.ts';
import { actorFor } from '../../src/domain/access/actor.ts';
import { OperatorLists } from '../../src/domain/link/blocklists.ts';
import { hashPassword } from '../../src/domain/password.ts';
import { createServices } from '../../src/domain/services.ts';
import { NOON, type TestServer } from '../../src/testing/server.ts';

/** Fills a server's database like `npm run demo`, up to the server's time; returns the result and the owner. */
export async function fillServer(server: TestServer, seed: number, options: Partial<DemoOptions> = {}) {
  const caller = await server.caller('default');
  const db = server.database;
  const { id: keyId, accountId } = await db.prisma.apiKey.findFirstOrThrow();
  const { id: defaultDomainId } = await db.prisma.domain.findFirstOrThrow();
  const settings = {
    baseUrl: 'https://s.example',
    port: 0,
    verifiesDomains: true,
    allowPrivateWebhooks: false,
  };
  const services = createServices(settings, {
    defaultDomainId,
    random: () => 0,
    hashPassword: (owner, password) => hashPassword(owner, password, { N: 2, r: 1, p: 1 }),
    resolveTxt: async () => [],
    lists: new OperatorLists(),
  });
  const actor = actorFor(accountId, keyId);
  const made = await fillDemo(db, actor, services, { now: NOON, random: seededRandom(seed), ...options });
  return { made, caller };
}
