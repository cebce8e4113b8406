import type { LookupAddress } from 'node:dns';
import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { AppConfig } from '../config.ts';
import type { ChangeFeed } from '../db/change/feed.ts';
import type { Database } from '../db/database.ts';
import type { OperatorLists } from '../domain/link/blocklists.ts';
import type { Services } from '../domain/services.ts';
import type { TrustedDocuments } from '../graphql/trusted-documents.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Trust } from '../http/request/client.ts';
import type { CountryOf } from '../http/request/country.ts';

export interface AppDependencies extends AppConfig {
  readonly database: Database;
  /** Streaming replicas of the database, to read from. */
  readonly replicas?: readonly Database[];
  readonly baseUrl: string;
  /** The port that the service listens on. */
  readonly port: number;
  /** The id of the domain that is the base URL's host. */
  readonly defaultDomainId: number;
  /** If given, the only documents that `/graphql` executes. */
  readonly trusted?: TrustedDocuments | undefined;
  /** Whether statistics of visits are counted; false only in benchmarks. */
  readonly statistics?: boolean;
  /** How many requests may be in flight; further ones get 503. */
  readonly maxInFlight?: number;
  readonly log: Logger;
  now(): Date;
  /** A random integer from 0 to below the given number. */
  random(below: number): number;
  hashPassword(owner: string, password: string): Promise<string>;
  /** The texts of a name's TXT records in DNS. */
  resolveTxt(name: string): Promise<readonly string[]>;
  resolveHost(host: string): Promise<readonly LookupAddress[]>;
  /** The delays before the retries of a webhook's delivery, in milliseconds. */
  readonly webhookDelays?: readonly number[];
  readonly countryOf: CountryOf;
  readonly metrics?: Metrics | undefined;
  readonly lists: OperatorLists;
}

/** What the surfaces share. */
export interface Shared {
  readonly services: Services;
  readonly feed: ChangeFeed;
  readonly trust: Trust;
  /** Logs why a request failed. */
  readonly report: (res: ServerResponse, error: unknown) => void;
}

/** Work that goes on beside the requests. */
export interface Background {
  start(): void;
  stop(): Promise<void> | void;
}
