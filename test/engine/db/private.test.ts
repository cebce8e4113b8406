import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import {
  changePlainStatements,
  changeStatements,
  getConnection,
  withStartup,
} from '../../../src/engine/db/private.ts';
import { driverUrl } from '../../../src/engine/db/url.ts';
import { newDatabase } from '../../support/database.ts';

const inOther = (text: string) => text.replace('1 AS', '2 AS');

describe.runIf(inject('database').provider === 'postgresql')("members of pg and of Prisma's adapter", () => {
  /** A connected client. */
  async function connected(Class: typeof pg.Client = pg.Client): Promise<pg.Client> {
    const client = new Class({ connectionString: driverUrl(await newDatabase()) });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  test('a client knows the process of the server', async () => {
    const client = await connected();
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    expect(rows).toEqual([{ pid: client.processID }]);
  });

  test('the first message has further parameters', async () => {
    const Class = withStartup(pg.Client, (given) => ({ ...given, application_name: 'private test' }));
    const client = await connected(Class);
    const { rows } = await client.query('SHOW application_name');
    expect(rows).toEqual([{ application_name: 'private test' }]);
  });

  test('statements without values pass through the connection', async () => {
    const client = await connected();
    changePlainStatements(client, inOther);
    expect((await client.query('SELECT 1 AS n')).rows).toEqual([{ n: 2 }]);
  });

  test.each<[how: string, ask: (pool: pg.Pool) => Promise<{ rows: unknown[] }>]>([
    ['the pool', (pool) => pool.query('SELECT 1 AS n')],
    ['the pool, with values', (pool) => pool.query('SELECT 1 AS n WHERE $1', [true])],
    ['the pool, with a name', (pool) => pool.query({ name: 'one', text: 'SELECT 1 AS n' })],
    [
      "Prisma's adapter",
      async (pool) => {
        const adapter = await new PrismaPg(pool).connect();
        const { rows } = await adapter.queryRaw({ sql: 'SELECT 1 AS n', args: [], argTypes: [] });
        return { rows: rows.map(([n]) => ({ n })) };
      },
    ],
  ])("statements of %s pass through the client's query", async (_how, ask) => {
    const pool = new pg.Pool({ connectionString: driverUrl(await newDatabase()), max: 1 });
    onTestFinished(() => pool.end());
    pool.on('connect', (client) => changeStatements(client, inOther));
    expect((await ask(pool)).rows).toEqual([{ n: 2 }]);
  });

  test('a transaction of the adapter has its connection, and throws its own errors by one method', async () => {
    const adapter = await new PrismaPg({ connectionString: driverUrl(await newDatabase()) }).connect();
    onTestFinished(() => adapter.dispose());
    const transaction = await adapter.startTransaction();
    const codes: (string | undefined)[] = [];
    const { client, onError } = getConnection(transaction, ({ code }) => codes.push(code));
    const ask = (sql: string) => ({ sql, args: [], argTypes: [] });
    const { rows } = await transaction.queryRaw(ask('SELECT pg_backend_pid()'));
    expect((await client.query({ text: 'SELECT pg_backend_pid()', rowMode: 'array' })).rows).toEqual(rows);
    await transaction.executeRaw(ask('SAVEPOINT a'));
    const failing = transaction.queryRaw(ask('SELECT * FROM "None"'));
    await expect(failing).rejects.toMatchObject({ cause: { kind: 'TableDoesNotExist' } });
    await transaction.executeRaw(ask('ROLLBACK TO a'));
    const ours = client.query('SELECT * FROM "None"').catch(onError);
    await expect(ours).rejects.toMatchObject({ cause: { kind: 'TableDoesNotExist' } });
    expect(codes).toEqual(['42P01', '42P01']);
    await transaction.executeRaw(ask('ROLLBACK'));
    await transaction.rollback();
  });
});
