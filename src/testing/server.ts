import { isIP } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { type Config, readConfig } from '../app/config.ts';
import type { Ports } from '../app/service/ports.ts';
import { Service } from '../app/service.ts';
import { createKey } from '../domain/access/api-key.ts';
import type { Scope } from '../domain/access/role.ts';
import { type HashCost, hashPassword } from '../domain/password.ts';
import { serializers } from '../engine/tools/log.ts';
import { Caller } from './caller.ts';
import { temporaryDatabase } from './temporary-database.ts';

export const NOON = new Date('2026-11-20T12:00:00.000Z');

/** The cost of password hashes, much less than the program's. */
export const CHEAP: HashCost = { N: 2 ** 10, r: 8, p: 1 };

/** The configuration of a server, in the form of the program's. */
const ENVIRONMENT = {
  PORT: '0',
  BASE_URL: 'https://s.example',
  TRUST_PROXY: 'loopback',
  COUNTRY_HEADER: 'X-Country',
  DATABASE_STATEMENT_TIMEOUT: '0',
  DOMAIN_VERIFICATION: 'off',
  HISTORY_DAYS: '0',
  RATE_LIMIT: '0',
  STATISTICS_MONTHS: '0',
  WEBHOOK_ALLOW_PRIVATE: 'on',
};

export interface TestServerOptions
  extends Partial<Omit<Config, 'databaseUrl'>>,
    Partial<
      Pick<
        Ports,
        | 'background'
        | 'formTimeout'
        | 'freeBytes'
        | 'idleTimeout'
        | 'maxInFlight'
        | 'maxSubscriptions'
        | 'metrics'
        | 'onStatement'
        | 'random'
      >
    >,
    Partial<
      Pick<
        Ports,
        'resolveHost' | 'resolveTxt' | 'sendMail' | 'sockets' | 'timeouts' | 'trusted' | 'waitingLimits'
      >
    >,
    Partial<Pick<Ports, 'clickInterval' | 'webhookDelays' | 'webhookInterval'>> {
  /** A migrated database; by default an empty SQLite file, which is deleted when the server stops. */
  readonly url?: string;
  /** The time at the start; by default NOON. */
  readonly now?: Date;
  /** The cost of a password's hash; a low one by default. */
  readonly hashCost?: HashCost;
}

/** Statements that depend on time only: polls for changes, and the last use of a key. */
const BACKGROUND = new RegExp(
  [
    /^SELECT "topic"|DaySalt|DayVisitor|'visitors'|SET\W+lastUsedAt/,
    /FROM "Change" WHERE (\(?"tx"|"id" >)|^\s*SELECT \(+SELECT "number" FROM "Revision"/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** A log whose lines are kept. */
function keepLog() {
  const lines: Record<string, unknown>[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  return { lines, logger: pino({ level: 'info', serializers }, sink) };
}

/** DNS and the addresses of hosts, as a test sets them. */
function createNames() {
  const dns = new Map<string, string[] | Error | Promise<string[]>>();
  const asked: string[] = [];
  const hosts = new Map<string, string[]>();
  const ports: Pick<Ports, 'resolveTxt' | 'resolveHost'> = {
    async resolveTxt(name) {
      asked.push(name);
      const records = (await dns.get(name)) ?? [];
      if (records instanceof Error) throw records;
      return records;
    },
    async resolveHost(host) {
      const addresses = hosts.get(host);
      if (addresses === undefined) throw new Error(`no test has a host ${host}`);
      return addresses.map((address) => ({ address, family: isIP(address) }));
    },
  };
  const names = {
    /** The TXT records in DNS, by name, also later, or an error. */
    dns,
    /** The names that were asked for in DNS so far. */
    asked: asked as readonly string[],
    /** The addresses of webhooks' hosts. */
    hosts,
  };
  return { names, ports };
}

/** The SQL statements on a database. */
function keepStatements(databaseUrl: string, listener: Ports['onStatement']) {
  const statements: string[] = [];
  return {
    statements,
    onStatement(sql: string, seconds: number, from: string): void {
      if (from === databaseUrl) statements.push(sql);
      listener?.(sql, seconds, from);
    },
    async statementsOf(work: () => Promise<unknown>): Promise<string[]> {
      const before = statements.length;
      await work();
      return statements.slice(before).filter((sql) => !BACKGROUND.test(sql));
    },
  };
}

/**
 * A complete server on a port of its own, with a clock that does not move until it is set. The header `X-Country` sets a
 * visitor's country, and `X-Forwarded-Host` the requested host.
 */
export async function startTestServer(options: TestServerOptions = {}) {
  const { url, now = NOON, hashCost = CHEAP, background = false, ...given } = options;
  const own = url === undefined ? await temporaryDatabase() : null;
  const databaseUrl = url ?? own?.url ?? '';
  const { statements, statementsOf, onStatement } = keepStatements(databaseUrl, given.onStatement);
  const clock = { now };
  const { names, ports } = createNames();
  const { lines: log, logger } = keepLog();
  const config = { ...readConfig({ ...ENVIRONMENT, DATABASE_URL: databaseUrl }), ...given };
  const service = await Service.create(config, {
    log: logger,
    background,
    worker: 2,
    filesInterval: 50,
    now: () => clock.now,
    hashCost,
    hashPassword: (owner, password) => hashPassword(owner, password, hashCost),
    ...ports,
    ...given,
    onStatement,
  });
  await service.start();
  const { database } = service;
  const origin = `http://127.0.0.1:${service.port}`;
  /** Stops as the program does on a signal: it lets clients finish, instead of closing their connections. */
  const shutDown = async () => {
    await service.stop();
    own?.remove();
  };

  return {
    origin,
    databaseUrl,
    database,
    clock,
    ...names,
    log,
    /** A caller with a new key of the named account. */
    async caller(account = 'owner', scopes: Scope[] = ['read', 'write'], expiresAt: Date | null = null) {
      const { key } = await createKey(database, { account, scopes, expiresAt }, clock.now);
      return new Caller(origin, key);
    },
    flush: () => service.flush(),
    /** Ends subscriptions, which is the first step of a stop. */
    endSubscriptions: () => service.endSubscriptions(),
    callerWith: (key: string) => new Caller(origin, key),
    /** The SQL statements so far, without those of replicas. */
    statements: statements as readonly string[],
    /** The SQL statements of `work`, without those that depend on time only. */
    statementsOf,
    /** Begins a stop as the program does while it drains. */
    drain: () => service.drain(),
    shutDown,
    async stop() {
      service.disconnect();
      await shutDown();
    },
  };
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;
