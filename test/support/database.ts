import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, vi } from 'vitest';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import type { Database, Client as Prisma } from '../../src/db/database.ts';
import { transactionOrder } from '../../src/engine/changes/transaction-order.ts';
import { type DurationLimit, EnclosingTransaction } from '../../src/engine/db/enclosing-transaction.ts';
import { sql } from '../../src/engine/db/sql.ts';

type Template =
  | { provider: 'sqlite'; folder: string; template: string }
  | { provider: 'postgresql'; url: string; template: string };

declare module 'vitest' {
  export interface ProvidedContext {
    database: Template;
  }
}

/** One transaction around several changes, with limits that no test reaches. */
export function enclose(
  database: Database,
  limit: Partial<DurationLimit> = {},
  accountId = 1,
): EnclosingTransaction<Prisma> {
  const error = () => new Error('too long');
  return new EnclosingTransaction(database, accountId, async () => {}, {
    maxDuration: 60_000,
    maxWait: 60_000,
    error,
    ...limit,
  });
}

/** Limits of a transaction that a test holds open while it waits for something else. */
export const HELD = { maxWait: 60_000, timeout: 600_000 } as const;

/** Lets a transaction stay open without statements for longer than the 15 seconds after which the server ends it. */
export async function keepOpen(tx: Pick<Prisma, '$executeRaw'>): Promise<void> {
  if (inject('database').provider === 'postgresql')
    await tx.$executeRaw`SET LOCAL idle_in_transaction_session_timeout = 0`;
}

/** Waits until no open transaction, of any database of the server, keeps changes out of the log that clients read. */
export async function settled(database: Database): Promise<void> {
  const { isSettled } = transactionOrder(database);
  const open = sql`SELECT COUNT(*) AS "count" FROM "Change" WHERE NOT (${isSettled})`;
  const count = async () => Number((await database.read<{ count: unknown }>(open))[0]?.count);
  await vi.waitFor(async () => expect(await count()).toBe(0), { timeout: 180_000 });
}

/** Runs one statement on the server's own database. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** The URL of another database on the same server. */
export function postgresqlUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** The URL of a new database of this test project's provider, migrated or empty. */
export async function newDatabase({ migrated = true } = {}): Promise<string> {
  const given = inject('database');
  const name = `linkspace_test_${randomUUID().replaceAll('-', '')}`;
  if (given.provider === 'sqlite') {
    const file = join(given.folder, `${name}.db`);
    if (migrated) copyFileSync(given.template, file);
    return `file:${file}`;
  }
  const template = migrated ? given.template : 'template0';
  // To copy the files takes less than to write each of their pages to the log too.
  await onServer(given.url, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  return postgresqlUrl(given.url, name);
}

/** The URL of a migrated PostgreSQL database whose owner gets that many connections, and a function that changes the number. */
export async function limitedTo(connections: number, limitOf: 'ROLE' | 'DATABASE' = 'ROLE') {
  const owner = await newDatabase({ migrated: false });
  const url = new URL(owner);
  const name = url.pathname.slice(1);
  const role = `few_${name}`;
  await onServer(owner, `CREATE ROLE "${role}" LOGIN`);
  await onServer(owner, `ALTER DATABASE "${name}" OWNER TO "${role}"`);
  url.username = role;
  url.password = '';
  await applyMigrations(url.href);
  const limit = (to: number) =>
    onServer(owner, `ALTER ${limitOf} "${limitOf === 'ROLE' ? role : name}" CONNECTION LIMIT ${to}`);
  await limit(connections);
  return { url: url.href, limit };
}
