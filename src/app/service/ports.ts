import { randomInt } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import type { Logger } from 'pino';
import { type HashCost, hashPassword } from '../../domain/password.ts';
import type { Services } from '../../domain/services.ts';
import type { WaitingLimits } from '../../domain/webhook/waiting-limits.ts';
import type { SocketLimits } from '../../engine/graphql/sockets.ts';
import type { TrustedDocuments } from '../../engine/graphql/trusted-documents.ts';
import type { SendMail } from '../../engine/outgoing/mail.ts';
import { createResolveHost, resolveTxt } from '../../engine/outgoing/resolve.ts';
import { printable } from '../../engine/tools/printable.ts';
import type { Timeouts } from '../../schema/context.ts';
import type { Metrics } from './metrics.ts';

/** Inputs of a process, a test or a benchmark besides the configuration. */
export interface Ports extends Pick<Services, 'random' | 'hashPassword' | 'resolveTxt'> {
  readonly log: Logger;
  /** The log until the service listens. */
  readonly startLog: Logger;
  /** Sends a mail; by default by SMTP_URL, if that is set. */
  readonly sendMail?: SendMail;
  /** The cost of hashing the passwords of users; by default the program's. */
  readonly hashCost?: HashCost;
  /** Prints the message of the first start. */
  print(text: string): void;
  now(): Date;
  resolveHost(host: string): Promise<readonly LookupAddress[]>;
  /** The number of this process among workers, whose primary has migrated the database; the first one makes the first key. */
  readonly worker?: number;
  /** True if background work runs: writing clicks, polling changes, delivering webhooks. */
  readonly background: boolean;
  /** True if statistics of visits are counted. */
  readonly statistics: boolean;
  /** Maximum number of requests of a kind in flight; further ones get 503. */
  readonly maxInFlight: number;
  readonly timeouts: Timeouts;
  /** Times and numbers of WebSockets in place of the program's. */
  readonly sockets?: Partial<SocketLimits>;
  /** Maximum number of subscriptions at once; further ones are refused. */
  readonly maxSubscriptions?: number;
  /** After how many milliseconds a client that neither sends nor reads is disconnected. */
  readonly idleTimeout?: number;
  /** Milliseconds in which the form of a visitor, or a body below `/auth/`, must arrive. */
  readonly formTimeout?: number;
  /** The delays before the retries of a webhook's delivery, in milliseconds. */
  readonly webhookDelays?: readonly number[];
  /** Milliseconds between two look-ups of webhooks. */
  readonly webhookInterval?: number;
  /** Milliseconds between two reads of the clicks that subscribers watch. */
  readonly clickInterval?: number;
  /** Limits of the messages that wait for an account's webhooks. */
  readonly waitingLimits?: WaitingLimits;
  /** The bytes that are free on the disk of SQLite's file, by its path. */
  readonly freeBytes?: (path: string) => number;
  /** Milliseconds between two checks of the operator's files. */
  readonly filesInterval?: number;
  /** Metrics that the caller serves, in place of those on METRICS_PORT. */
  readonly metrics?: Metrics | undefined;
  /** The only documents that `/graphql` executes, if TRUSTED_DOCUMENTS names none. */
  readonly trusted?: TrustedDocuments;
  /** Called for each statement, with its duration in seconds and the database's URL. */
  onStatement?(sql: string, seconds: number, url: string): void;
}

/** The ports of the program. */
export const program = {
  print: (text: string) => void process.stdout.write(printable(text)),
  now: () => new Date(),
  random: randomInt,
  hashPassword,
  resolveTxt,
  resolveHost: createResolveHost(),
  background: true,
  statistics: true,
  maxInFlight: 1_000,
  timeouts: { mutation: 30_000, nameServers: 5_000 },
} satisfies Partial<Ports>;

/** Work that goes on beside the requests. */
export interface Background {
  start(): void;
  stop(): Promise<void> | void;
}
