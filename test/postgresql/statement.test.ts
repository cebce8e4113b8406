import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { Pool } from '../../src/db/connection/postgres-pipeline.ts';
import { Statement } from '../../src/db/connection/postgres-statement.ts';
import { newDatabase } from '../support/database.ts';

/** A pool of one connection in pipeline mode, which counts the descriptions of columns that arrive. */
async function poolOfOne() {
  const pool = new pg.Pool({
    connectionString: await newDatabase({ migrated: false }),
    max: 1,
    pipeline: true,
  });
  onTestFinished(() => pool.end());
  let described = 0;
  pool.on('connect', (client) => {
    (client as pg.PoolClient & { connection: NodeJS.EventEmitter }).connection.on(
      'rowDescription',
      () => described++,
    );
  });
  // The types of pg take no other queries than its own.
  const ours = pool as unknown as Pool;
  const execute = (name: string, text: string, values: readonly unknown[]) =>
    ours.query(new Statement({ name, text, values }));
  return { execute, described: () => described };
}

const text = 'SELECT $1::integer AS "number", $2::text AS "text", $3::timestamp AS "at", NULL AS "nothing"';

test('reads the columns by their types', async () => {
  const { execute } = await poolOfOne();
  const expected = {
    names: ['number', 'text', 'at', 'nothing'],
    rows: [[7, '7', new Date('2026-01-02T03:04:05.678Z'), null]],
  };
  for (const name of ['', 'named', 'named'])
    expect(await execute(name, text, [7, '7', '2026-01-02T03:04:05.678Z'])).toEqual(expected);
});

test('has the server describe a prepared statement once for a connection', async () => {
  const { execute, described } = await poolOfOne();
  for (let time = 0; time < 3; time++) await execute('named', text, [7, '7', '2026-01-02']);
  expect(described()).toBe(1);
});

test('describes the columns of a statement whose first use failed', async () => {
  const { execute } = await poolOfOne();
  const share = 'SELECT 12 / $1::integer AS "share"';
  await expect(execute('share', share, [0])).rejects.toMatchObject({ code: '22012' });
  expect(await execute('share', share, [3])).toEqual({ names: ['share'], rows: [[4]] });
});

test('reads a column whose type has changed since another connection read it', async () => {
  const before = await poolOfOne();
  const after = await poolOfOne();
  const read = 'SELECT * FROM "Thing"';
  for (const [{ execute }, type] of [
    [before, 'integer'],
    [after, 'text'],
  ] as const) {
    await execute('', `CREATE TABLE "Thing" ("value" ${type})`, []);
    await execute('', `INSERT INTO "Thing" VALUES ('5')`, []);
  }
  expect((await before.execute('read', read, [])).rows).toEqual([[5]]);
  expect((await after.execute('read', read, [])).rows).toEqual([['5']]);
});
