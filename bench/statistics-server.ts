// node --import tsx bench/statistics-server.ts on|off URL: the program with or without statistics, to measure their cost.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createApp } from '../src/app.ts';
import { openDatabase } from '../src/db/connection/client.ts';
import { shareDefaultDomain } from '../src/domain/domain/default-domain.ts';
import { OperatorLists } from '../src/domain/link/operator-lists.ts';
import { hashPassword } from '../src/domain/password.ts';
import { countryLookup } from '../src/http/request/country.ts';
import { createHttpServer } from '../src/http/server.ts';

const [which, url = ''] = process.argv.slice(2);
const database = await openDatabase(url, { pool: { poolSize: 10, statementTimeout: 10_000 } });
const { id } = await shareDefaultDomain(database.client, 's.example', null, new Date());
const app = createApp({
  database,
  baseUrl: 'https://s.example',
  defaultDomainId: id,
  trustProxy: 'loopback',
  graphiql: false,
  rateLimit: 0,
  corsOrigins: [],
  historyDays: 0,
  publicStatistics: true,
  statisticsMonths: 0,
  statistics: which === 'on',
  lists: new OperatorLists(),
  log: pino({ level: 'silent' }),
  now: () => new Date(),
  random: randomInt,
  hashPassword,
  verifiesDomains: false,
  resolveTxt: async () => [],
  resolveHost: async () => [],
  allowPrivateWebhooks: false,
  countryOf: await countryLookup('X-Country'),
});
const http = createHttpServer();
app.attachTo(http);
app.start();
http.listen(0, '127.0.0.1');
await once(http, 'listening');
process.stdout.write(`${JSON.stringify({ msg: 'listening', port: (http.address() as AddressInfo).port })}\n`);
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
