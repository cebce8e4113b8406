// The program's parts in a process of their own, with settings that the program itself does not have.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { type AppDependencies, createApp } from '../src/app.ts';
import { settleEpoch } from '../src/db/change/log.ts';
import { Database } from '../src/db/database.ts';
import { OperatorLists } from '../src/domain/link/blocklists.ts';
import { hashPassword } from '../src/domain/password.ts';
import { shareDefaultDomain } from '../src/domain/short-domain/default-domain.ts';
import { createHttpServer } from '../src/http/server.ts';

/** Serves the database at `url` until SIGTERM; prints the port in the form of the program's log. */
export async function serve(url: string, settings: Partial<AppDependencies>): Promise<void> {
  const database = await Database.open(url, { pool: { poolSize: 10, statementTimeout: 10_000 } });
  await settleEpoch(database);
  const { id } = await shareDefaultDomain(database, 's.example', null, new Date());
  const app = createApp({
    database,
    baseUrl: 'https://s.example',
    port: 0,
    defaultDomainId: id,
    trustProxy: 'loopback',
    graphiql: false,
    console: false,
    rateLimit: 0,
    corsOrigins: [],
    historyDays: 0,
    publicStatistics: true,
    maxReplicaLag: 5_000,
    statisticsMonths: 0,
    lists: new OperatorLists(),
    log: pino({ level: 'warn' }, pino.destination(2)),
    now: () => new Date(),
    random: randomInt,
    hashPassword,
    verifiesDomains: false,
    resolveTxt: async () => [],
    resolveHost: async () => [],
    allowPrivateWebhooks: false,
    countryOf: () => null,
    ...settings,
  });
  const http = createHttpServer();
  app.attachTo(http);
  app.start();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  console.log(JSON.stringify({ msg: 'listening', port: (http.address() as AddressInfo).port }));
  process.on('SIGTERM', async () => {
    http.closeAllConnections();
    http.close();
    await app.stop();
    await database.close();
    process.exit(0);
  });
}
