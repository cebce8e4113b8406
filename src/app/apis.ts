import type { RequestListener } from 'node:http';
import type { Router } from 'express';
import { Replicas, withoutReplicas } from '../db/connection/replicas.ts';
import { addKeyUses } from '../db/key-use.ts';
import { Authentication } from '../domain/access/authentication.ts';
import { KeysInUse } from '../domain/access/keys-in-use.ts';
import { ChangeSubscriptions } from '../domain/change/subscriptions.ts';
import { createGraphQLHandler } from '../http/graphql.ts';
import type { InFlight } from '../http/limits/in-flight.ts';
import { RateLimit } from '../http/limits/rate-limit.ts';
import { createContextOf } from '../http/request/context.ts';
import { createOwnerContextOf } from '../http/request/owner-context.ts';
import { createRestRouter } from '../rest/router.ts';
import { createSnapshot } from '../rest/snapshot.ts';
import { createGraphQLServer } from '../schema/server/server.ts';
import type { AppDependencies, Background, Shared } from './dependencies.ts';

/** The two APIs: GraphQL, and v1 over the same schema. */
export interface Apis {
  readonly graphql: RequestListener;
  readonly rest: Router;
  /** Shows a record as v1 does, for webhooks. */
  readonly snapshot: ReturnType<typeof createSnapshot>;
  endSubscriptions(): void;
  readonly background: Background[];
}

export function createApis(
  dependencies: AppDependencies,
  { services, revisions, trust, report }: Shared,
  inFlight: InFlight,
): Apis {
  const { database, replicas = [], maxReplicaLag, baseUrl, graphiql, trusted, rateLimit } = dependencies;
  const { random, metrics, log, now } = dependencies;
  const db = database.client;
  const readers =
    replicas.length > 0
      ? new Replicas(database, replicas, maxReplicaLag, random, log)
      : withoutReplicas(database);
  if (replicas.length > 0) metrics?.watchReplicas(() => readers.lags());
  const authentication = new Authentication(db, revisions, now);
  const keysInUse = new KeysInUse(db, revisions, now);
  const subscriptions = new ChangeSubscriptions(db, revisions.feed, now);
  const limit = new RateLimit(
    rateLimit,
    database.provider === 'postgresql' ? (uses) => addKeyUses(db, uses) : null,
  );
  const server = createGraphQLServer({ graphiql, trusted });
  const contextOf = createContextOf({
    database,
    readers,
    authentication,
    keysInUse,
    limit,
    inFlight,
    trust,
    services,
    subscriptions,
    log,
    now,
  });
  return {
    graphql: createGraphQLHandler({
      server,
      graphiql,
      onlyTrusted: trusted !== undefined,
      contextOf,
      report,
    }),
    rest: createRestRouter({ server, baseUrl, contextOf, report }),
    snapshot: createSnapshot(server, createOwnerContextOf({ db, services, subscriptions, log, now })),
    endSubscriptions: () => subscriptions.stop(),
    background: [readers, limit, keysInUse, { start() {}, stop: () => authentication.stop() }],
  };
}
