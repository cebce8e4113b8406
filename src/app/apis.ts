import type { RequestListener } from 'node:http';
import type { Router } from 'express';
import { Readers } from '../db/postgresql/replicas.ts';
import { ChangeSubscriptions } from '../domain/change/subscriptions.ts';
import { createOwnerRequestOf, createRequestOf } from '../graphql/context.ts';
import { createGraphQLHandler } from '../graphql/http.ts';
import type { InFlight } from '../http/limits/in-flight.ts';
import { KeyAccess } from '../http/request/key-access.ts';
import { createRestRouter } from '../rest/router.ts';
import { createSnapshot } from '../rest/snapshot.ts';
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
  { services, feed, trust, report }: Shared,
  inFlight: InFlight,
): Apis {
  const { database, replicas = [], maxReplicaLag, baseUrl, graphiql, trusted, rateLimit } = dependencies;
  const { random, metrics, log, now } = dependencies;
  const db = database;
  const readers = new Readers(database, replicas, maxReplicaLag, random, log);
  if (replicas.length > 0) metrics?.watchReplicas(() => readers.lags());
  const access = new KeyAccess(database, feed, rateLimit, trust, now);
  const subscriptions = new ChangeSubscriptions(db, feed, now);
  const common = { db, services, subscriptions, log };
  const requestOf = createRequestOf({ common, access, readers, inFlight, now });
  return {
    graphql: createGraphQLHandler({ graphiql, trusted, requestOf, report }),
    rest: createRestRouter({ baseUrl, requestOf, report }),
    snapshot: createSnapshot(createOwnerRequestOf(common, now)),
    endSubscriptions: () => subscriptions.stop(),
    background: [readers, access],
  };
}
