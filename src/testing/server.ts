import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { type AppDependencies, createApp } from '../app.ts';
import type { AppConfig } from '../config.ts';
import { settleEpoch } from '../db/change/log.ts';
import { Database } from '../db/database.ts';
import { applyMigrations } from '../db/migrate.ts';
import type { Scope } from '../domain/access/actor.ts';
import { createKey } from '../domain/access/api-key.ts';
import { type HashCost, hashPassword } from '../domain/password.ts';
import { shareDefaultDomain } from '../domain/short-domain/default-domain.ts';
import type { Metrics } from '../http/metrics.ts';
import { countryLookup } from '../http/request/country.ts';
import { createHttpServer } from '../http/server.ts';
import { readOperatorFiles } from '../operator-files.ts';
import { Caller } from './caller.ts';

export const NOON = new Date('2026-11-20T12:00:00.000Z');

/** The cost of password hashes, much less than the program's. */
const CHEAP: HashCost = { N: 2 ** 10, r: 8, p: 1 };

/** How often the operator's lists are polled, in milliseconds. */
const LISTS_POLL_INTERVAL = 50;

const DEFAULTS = {
  graphiql: true,
  console: true,
  maxReplicaLag: 5_000,
  rateLimit: 0,
  corsOrigins: [],
  historyDays: 0,
  statisticsMonths: 0,
  publicStatistics: true,
  verifiesDomains: false,
  allowPrivateWebhooks: true,
  random: (below: number) => randomInt(below),
};

export interface TestServerOptions
  extends Partial<Omit<AppConfig, 'trustProxy'>>,
    Pick<Partial<AppDependencies>, 'replicas' | 'trusted' | 'maxInFlight' | 'webhookDelays' | 'random'> {
  /** A migrated database; by default an empty SQLite file, which is deleted when the server stops. */
  readonly url?: string;
  /** The time at the start; by default NOON. */
  readonly now?: Date;
  /** Whether the database at `url` is migrated; without that, the server cannot answer queries. */
  readonly migrated?: boolean;
  /** After how many milliseconds a client that neither sends nor reads is disconnected. */
  readonly idleTimeout?: number;
  /** The redirect for visitors of an unknown alias on the default domain. */
  readonly notFoundUrl?: string;
  /** Files of blocked hosts and reserved aliases; read again when they change. */
  readonly blockedHostsFile?: string;
  readonly reservedAliasesFile?: string;
  /** Whether the background work runs: writing clicks, polling changes, delivering webhooks. */
  readonly background?: boolean;
  /** The cost of a password's hash; a low one by default. */
  readonly hashCost?: HashCost;
  readonly metrics?: Metrics;
}

/** Statements that depend on time only: polls for changes, and the last use of a key. */
const BACKGROUND = new RegExp(
  [
    /^SELECT "topic"|DaySalt|DayVisitor|'visitors'|SET\W+lastUsedAt/,
    /FROM "Change" WHERE (\(\s*"tx"|"id" >)|^\s*SELECT \(+SELECT "number" FROM "Revision"/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** An empty, migrated SQLite file, and a function that deletes it. */
async function temporaryDatabase(): Promise<{ url: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-testing-'));
  const url = `file:${join(folder, 'linkspace.db')}`;
  await applyMigrations(url);
  return { url, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * A complete server on a port of its own, with a clock that does not move until it is set. The header `X-Country` sets a
 * visitor's country, and `X-Forwarded-Host` the requested host.
 */
export async function startTestServer(options: TestServerOptions = {}) {
  const { url, migrated = true, idleTimeout, notFoundUrl, background = false, hashCost = CHEAP } = options;
  const own = url === undefined ? await temporaryDatabase() : null;
  const databaseUrl = url ?? own?.url ?? '';
  const statements: string[] = [];
  const database = await Database.open(databaseUrl, { onStatement: (sql) => statements.push(sql) });
  if (migrated) await settleEpoch(database);
  const clock = { now: options.now ?? NOON };
  const dns = new Map<string, string[] | Error | Promise<string[]>>();
  const hosts = new Map<string, string[]>();
  const log: Record<string, unknown>[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      log.push(JSON.parse(String(line)));
      done();
    },
  });
  const sharedDomain = async () =>
    (await shareDefaultDomain(database, 's.example', notFoundUrl ?? null, clock.now)).id;
  const http = createHttpServer({ idleTimeout });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const logger = pino({ level: 'info' }, sink);
  const operatorFiles = await readOperatorFiles(options, logger, LISTS_POLL_INTERVAL);
  const app = createApp({
    ...DEFAULTS,
    ...options,
    database,
    baseUrl: 'https://s.example',
    port,
    defaultDomainId: migrated ? await sharedDomain() : 0,
    trustProxy: 'loopback',
    log: logger,
    lists: operatorFiles.lists,
    now: () => clock.now,
    hashPassword: (owner, password) => hashPassword(owner, password, hashCost),
    async resolveTxt(name) {
      const records = (await dns.get(name)) ?? [];
      if (records instanceof Error) throw records;
      return records;
    },
    async resolveHost(host) {
      const addresses = hosts.get(host);
      if (addresses === undefined) throw new Error(`no test has a host ${host}`);
      return addresses.map((address) => ({ address, family: isIP(address) }));
    },
    countryOf: await countryLookup('X-Country'),
  });
  app.attachTo(http);
  operatorFiles.start();
  if (background) app.start();

  return {
    origin,
    databaseUrl,
    database,
    clock,
    /** The TXT records in DNS, by name, also later, or an error. */
    dns,
    /** The addresses of webhooks' hosts. */
    hosts,
    log,
    /** A caller with a new key of the named account. */
    async caller(account = 'owner', scopes: Scope[] = ['read', 'write'], expiresAt: Date | null = null) {
      const { key } = await createKey(database, { account, scopes, expiresAt }, clock.now);
      return new Caller(origin, key);
    },
    flush: () => app.flush(),
    /** Ends subscriptions, which is the first step of a stop. */
    endSubscriptions: () => app.endSubscriptions(),
    callerWith: (key: string) => new Caller(origin, key),
    /** The SQL statements so far. */
    statements: statements as readonly string[],
    /** The SQL statements of `work`, without those that depend on time only. */
    async statementsOf(work: () => Promise<unknown>): Promise<string[]> {
      const before = statements.length;
      await work();
      return statements.slice(before).filter((sql) => !BACKGROUND.test(sql));
    },
    async stop() {
      http.closeAllConnections();
      http.close();
      await app.stop();
      await operatorFiles.stop();
      await database.close();
      own?.remove();
    },
  };
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;
