// The server of bench/webhooks.ts: the program's parts, with retries after seconds instead of hours.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createApp } from '../src/app.ts';
import { settleEra } from '../src/db/change/log.ts';
import { openDatabase } from '../src/db/connection/client.ts';
import { OperatorLists } from '../src/domain/link/operator-lists.ts';
import { hashPassword } from '../src/domain/password.ts';
import { createHttpServer } from '../src/http/server.ts';

const { DATABASE_URL = '' } = process.env;
const database = await openDatabase(DATABASE_URL, { pool: { poolSize: 10, statementTimeout: 10_000 } });
await settleEra(database.client);
const domain = await database.client.domain.findFirstOrThrow();
const http = createHttpServer();
const app = createApp({
  database,
  baseUrl: 'https://s.example',
  defaultDomainId: domain.id,
  trustProxy: false,
  graphiql: false,
  rateLimit: 0,
  corsOrigins: [],
  historyDays: 0,
  publicStatistics: true,
  statisticsMonths: 0,
  verifiesDomains: false,
  lists: new OperatorLists(),
  log: pino({ level: 'warn' }, pino.destination(2)),
  now: () => new Date(),
  random: randomInt,
  hashPassword,
  resolveTxt: async () => [],
  resolveHost: async () => [],
  allowPrivateWebhooks: true,
  webhookDelays: [500, 1_000, 2_000, 2_000, 2_000, 2_000],
  countryOf: () => null,
});
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
