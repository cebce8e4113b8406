import type { Server } from 'node:http';
import { createApis } from './app/apis.ts';
import { createUpkeep } from './app/background.ts';
import type { AppDependencies, Shared } from './app/dependencies.ts';
import { createVisitors } from './app/visitors.ts';
import { createWeb } from './app/web.ts';
import { ChangeFeed } from './db/change/feed.ts';
import { verifyPassword } from './domain/password.ts';
import type { Services } from './domain/services.ts';
import { otherNamesOf } from './domain/url.ts';
import { createGuard } from './http/limits/guard.ts';
import { InFlight } from './http/limits/in-flight.ts';
import { LoadMeter } from './http/limits/load-meter.ts';
import { isForPeople } from './http/pages/for-people.ts';
import { trustOf } from './http/request/client.ts';
import { RequestLog } from './http/request/log.ts';
import { answerRequests } from './http/request-listener.ts';
import { refusedVisit } from './redirect/answer.ts';

export type { AppDependencies } from './app/dependencies.ts';

export interface App {
  /** Makes it answer the server's requests. */
  attachTo(server: Server): void;
  start(): void;
  /** Ends all subscriptions, which would otherwise keep their connections open. */
  endSubscriptions(): void;
  /** Writes the counted visits. */
  flush(): Promise<void>;
  /** Stops the background work, and waits for pending writes. */
  stop(): Promise<void>;
}

function servicesOf(dependencies: AppDependencies): Services {
  const { baseUrl, port, defaultDomainId, random, hashPassword, resolveTxt, lists } = dependencies;
  return {
    scheme: new URL(baseUrl).protocol,
    isOtherName: otherNamesOf(baseUrl, port),
    defaultDomainId,
    random,
    hashPassword,
    verifyPassword,
    verifiesDomains: dependencies.verifiesDomains,
    resolveTxt,
    allowsPrivateWebhooks: dependencies.allowPrivateWebhooks,
    lists,
  };
}

/** Connects the parts of the program. Nothing listens or runs in the background until the caller starts it. */
export function createApp(dependencies: AppDependencies): App {
  const { database, baseUrl, trustProxy, corsOrigins, maxInFlight = 1_000, log, metrics } = dependencies;
  const requestLog = new RequestLog(log, metrics);
  const feed = new ChangeFeed(database);
  metrics?.watchDatabase(() => feed.away);
  const shared: Shared = {
    services: servicesOf(dependencies),
    feed,
    trust: trustOf(trustProxy),
    report: requestLog.fault.bind(requestLog),
  };
  const inFlight = new InFlight(maxInFlight);
  const load = new LoadMeter();
  const visitors = createVisitors(dependencies, shared);
  const apis = createApis(dependencies, shared, inFlight);
  const web = createWeb(dependencies, shared, apis, visitors);
  const upkeep = createUpkeep(dependencies, shared, apis, load);
  const guard = createGuard({ corsOrigins, baseUrl, trust: shared.trust });
  const background = [feed, ...visitors.background, ...apis.background, ...upkeep];
  return {
    attachTo: (server) =>
      answerRequests(server, {
        visit: visitors.handler,
        refusedVisit,
        graphql: apis.graphql,
        web,
        isForPeople: (req, info) => isForPeople(req, info, dependencies.graphiql),
        servesPeople: visitors.servesPeople,
        guard,
        inFlight,
        load,
        requestLog,
      }),
    start() {
      for (const one of background) one.start();
    },
    endSubscriptions: () => apis.endSubscriptions(),
    flush: () => visitors.flush(),
    async stop() {
      await Promise.all(background.map((one) => one.stop()));
    },
  };
}
