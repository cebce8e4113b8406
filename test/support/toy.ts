import { createServer } from 'node:http';
import express, { type Router } from 'express';
import { type Logger, pino } from 'pino';
import { onTestFinished } from 'vitest';
import { Database as OurDatabase } from '../../src/db/database.ts';
import { Database } from '../../src/engine/db/database.ts';
import type { Product } from '../../src/engine/db/product.ts';
import { sql } from '../../src/engine/db/sql.ts';
import type { EngineRequest } from '../../src/engine/graphql/api.ts';
import { beginRequest } from '../../src/engine/http/request/info.ts';
import type { RestRequest } from '../../src/engine/rest/router.ts';
import type { Caller } from '../../src/engine/rules/caller.ts';
import { newDatabase } from './database.ts';

const NOW = new Date('2027-01-01T12:00:00Z');
const log: Logger = pino({ level: 'silent' });

/** A database with the engine's own tables, an account, and Prisma's client, which knows no table of the toy. */
export async function toyDatabase(columns: Pick<Product<never>, 'columnsOf'>): Promise<Database> {
  const url = await newDatabase();
  const own = await OurDatabase.open(url);
  const { product } = own;
  await own.execute(sql`INSERT INTO "Account" ("id", "name", "createdAt") VALUES (1, 'toy', ${NOW})
    ON CONFLICT ("id") DO NOTHING`);
  await own.close();
  const database: Database = await Database.open(url, { ...product, ...columns });
  onTestFinished(() => database.close());
  return database;
}

/** A caller who may do everything, as a key of the account. */
const caller: Caller = {
  ...{ accountId: 1, keyId: null, userId: null, role: 'OWNER' },
  permissions: new Set(['READ', 'WRITE']),
};

/** A request without limits, clients that leave, or replicas. */
export function toyRequest(primary: Database) {
  const actor = { ...caller, requireAlive() {} };
  return {
    actor,
    log,
    requestId: 'toy',
    signal: new AbortController().signal,
    timeouts: { mutation: 60_000 },
    subscriptions: { inTurn: <T>(_accountId: number, work: () => Promise<T>) => work() },
    data: { primary, reader: () => primary, wrote: async () => {} },
    keyCaller: () => ({
      ...{ accountId: actor.accountId, userId: null, number: null, advice: '', roles: ['OWNER'] },
      rights: () => ({ role: actor.role, sender: 'toy' }),
    }),
    now: () => NOW,
    running: <T>(execution: () => Promise<T>) => execution(),
    sendsStream() {},
    sendsFile() {},
    onClosed() {},
    named() {},
    usedDeprecated() {},
  } satisfies EngineRequest & RestRequest;
}

export type ToyRequest = ReturnType<typeof toyRequest>;

/** Serves the routes. Returns a function that reads a path, or posts a text to it with an Idempotency-Key or without one. */
export async function sendTo(routes: Router) {
  const app = express();
  app.use((req, res, next) => {
    beginRequest(req, res, () => ({ name: 'toy' }));
    next();
  });
  app.use(routes);
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return async (path: string, text?: string, key?: string) => {
    const headers = { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) };
    const post = { method: 'POST', headers, body: JSON.stringify({ text }) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, text === undefined ? {} : post);
    return response.json();
  };
}
