import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { createApp } from '../app.ts';
import { settleEra } from '../db/change/log.ts';
import { type Database, openDatabase } from '../db/connection/client.ts';
import { applyMigrations } from '../db/migrate.ts';
import type { Scope } from '../domain/access/actor.ts';
import { createKey } from '../domain/access/api-key.ts';
import { shareDefaultDomain } from '../domain/domain/default-domain.ts';
import { type HashCost, hashPassword } from '../domain/password.ts';
import { countryLookup } from '../http/request/country.ts';
import { createHttpServer } from '../http/server.ts';
import type { TrustedDocuments } from '../schema/server/trusted-documents.ts';
import { Caller } from './caller.ts';

export const NOON = new Date('2026-11-20T12:00:00.000Z');

/** Passwords are hashed as ever, and in a hundredth of the time. */
const CHEAP: HashCost = { N: 2 ** 10, r: 8, p: 1 };

export interface TestServerOptions {
  /** The database, migrated; by default an empty SQLite file, which goes when the server stops. */
  readonly url?: string;
  /** Whether the database at `url` is migrated; nothing can be asked of the server where it is not. */
  readonly migrated?: boolean;
  readonly replicas?: readonly Database[];
  readonly graphiql?: boolean;
  /** The only documents that `/graphql` executes, by their ids. */
  readonly trusted?: TrustedDocuments;
  readonly rateLimit?: number;
  readonly corsOrigins?: readonly string[];
  /** For how many days changes are kept; 0 for ever. */
  readonly historyDays?: number;
  /** For how many months statistics are kept; 0 for ever. */
  readonly statisticsMonths?: number;
  /** Whether links have pages of statistics for others. */
  readonly publicStatistics?: boolean;
  readonly maxInFlight?: number;
  /** After how many milliseconds a client that neither sends nor reads is given up. */
  readonly idleTimeout?: number;
  /** Whether a domain serves visitors only once it is verified. */
  readonly verifiesDomains?: boolean;
  /** Where visitors of an unknown alias on the default domain are sent. */
  readonly notFoundUrl?: string;
  /** Whether clicks are written and changes looked for as time goes by. */
  readonly background?: boolean;
  random?(below: number): number;
}

/** The statements that come with time alone: a look at what others have changed, and when a key was last used. */
const BACKGROUND =
  /Revision\W+topic|DaySalt|DayVisitor|'visitors'|SET\W+lastUsedAt|FROM "Change" WHERE (\(\s*"tx"|"id" >)|^\s*SELECT \(+SELECT "number" FROM "Revision"/;

/** An empty, migrated SQLite file, and how to be rid of it. */
async function temporaryDatabase(): Promise<{ url: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-testing-'));
  const url = `file:${join(folder, 'linkspace.db')}`;
  await applyMigrations(url);
  return { url, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * A complete server on a port of its own, with a clock that stands still until it is set. The header `X-Country` says
 * where a visitor is, and `X-Forwarded-Host` which host was asked.
 */
export async function startTestServer({
  url,
  migrated = true,
  graphiql = true,
  trusted,
  rateLimit = 0,
  replicas = [],
  corsOrigins = [],
  historyDays = 0,
  statisticsMonths = 0,
  publicStatistics = true,
  maxInFlight = 1_000,
  idleTimeout,
  verifiesDomains = false,
  notFoundUrl,
  background = false,
  random = (below: number) => randomInt(below),
}: TestServerOptions = {}) {
  const own = url === undefined ? await temporaryDatabase() : null;
  const databaseUrl = url ?? own?.url ?? '';
  const statements: string[] = [];
  const database = await openDatabase(databaseUrl, { onStatement: (sql) => statements.push(sql) });
  if (migrated) await settleEra(database.client);
  const clock = { now: NOON };
  const dns = new Map<string, string[] | Error>();
  const log: Record<string, unknown>[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      log.push(JSON.parse(String(line)));
      done();
    },
  });
  const sharedDomain = async () =>
    (await shareDefaultDomain(database.client, 's.example', notFoundUrl ?? null, NOON)).id;
  const http = createHttpServer(idleTimeout === undefined ? {} : { idleTimeout });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const app = createApp({
    database,
    replicas,
    baseUrl: 'https://s.example',
    defaultDomainId: migrated ? await sharedDomain() : 0,
    trustProxy: 'loopback',
    graphiql,
    trusted,
    rateLimit,
    corsOrigins,
    historyDays,
    statisticsMonths,
    publicStatistics,
    maxInFlight,
    log: pino({ level: 'info' }, sink),
    now: () => clock.now,
    random,
    hashPassword: (password) => hashPassword(password, CHEAP),
    verifiesDomains,
    async resolveTxt(name) {
      const records = dns.get(name) ?? [];
      if (records instanceof Error) throw records;
      return records;
    },
    countryOf: await countryLookup('X-Country'),
  });
  app.attachTo(http);
  if (background) app.start();

  return {
    origin,
    databaseUrl,
    database,
    clock,
    /** The TXT records that DNS has, by name, or how it fails. */
    dns,
    log,
    /** A caller with a new key of the named account. */
    async caller(account = 'owner', scopes: Scope[] = ['read', 'write'], expiresAt: Date | null = null) {
      const { key } = await createKey(database.client, { account, scopes, expiresAt }, clock.now);
      return new Caller(origin, key);
    },
    /** Writes the clicks that are counted and not yet written. */
    flush: () => app.flush(),
    /** Ends subscriptions, as a stop of the service does first. */
    endSubscriptions: () => app.endSubscriptions(),
    callerWith: (key: string) => new Caller(origin, key),
    /** The SQL statements that `work` cost, without the look at what has changed that comes with time alone. */
    async statementsOf(work: () => Promise<unknown>): Promise<string[]> {
      const before = statements.length;
      await work();
      return statements.slice(before).filter((sql) => !BACKGROUND.test(sql));
    },
    async stop() {
      http.closeAllConnections();
      http.close();
      await app.stop();
      await database.close();
      own?.remove();
    },
  };
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;
