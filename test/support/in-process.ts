import type { ExecutionResult } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import { pino } from 'pino';
import { program } from '../../src/app/service/ports.ts';
import { createOwnerRequestReader } from '../../src/app/service/requests.ts';
import type { Actor } from '../../src/domain/access/actor.ts';
import { OperatorLists } from '../../src/domain/link/blocklists.ts';
import { LongWorks } from '../../src/domain/long-work.ts';
import { DocumentChecks } from '../../src/domain/operation/checks.ts';
import { hashPassword } from '../../src/domain/password.ts';
import { createServices } from '../../src/domain/services.ts';
import { ClickWatch } from '../../src/domain/statistics/click-watch.ts';
import { ChangeFeed } from '../../src/engine/changes/feed.ts';
import { ChangeSubscriptions } from '../../src/engine/changes/subscriptions.ts';
import { Documents } from '../../src/engine/graphql/document.ts';
import { run } from '../../src/engine/graphql/pipeline.ts';
import { checkDocument } from '../../src/engine/graphql/saved-document.ts';
import { api } from '../../src/schema/api.ts';
import { CHEAP } from '../../src/testing/server.ts';
import type { TestServer } from './server.ts';

/** Runs operations on a server's database as any caller, by the pipeline alone: without HTTP, keys and sessions. */
export async function createPipeline({ database, clock }: Pick<TestServer, 'database' | 'clock'>) {
  const { id: defaultDomainId } = await database.prisma.domain.findFirstOrThrow();
  const now = () => clock.now;
  const settings = {
    baseUrl: 'https://s.example',
    port: 0,
    verifiesDomains: false,
    allowPrivateWebhooks: true,
  };
  const documents = new Documents(api, false);
  const subscriptions = new ChangeSubscriptions(database, new ChangeFeed(database), now);
  const requestOf = createOwnerRequestReader(
    {
      db: database,
      services: createServices(settings, {
        defaultDomainId,
        lists: new OperatorLists(),
        resolveTxt: async () => [],
        hashPassword: (owner, password) => hashPassword(owner, password, CHEAP),
      }),
      subscriptions,
      clickWatch: new ClickWatch(database, subscriptions, { now }),
      longWorks: new LongWorks(database),
      documentChecks: new DocumentChecks((text) => checkDocument(documents, text)),
      timeouts: program.timeouts,
      log: pino({ level: 'silent' }),
    },
    now,
  );
  const transport = { isGet: false, acceptsStream: false };
  return async (actor: Actor, query: string): Promise<ExecutionResult> => {
    const request = { ...requestOf(actor.accountId), actor: { ...actor, requireAlive() {} } };
    const answer = await run(api, documents, { query }, request, transport);
    if (isAsyncIterable(answer)) throw new Error('the operation is a subscription');
    return answer;
  };
}
