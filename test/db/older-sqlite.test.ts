import { spawnSync } from 'node:child_process';
import { expect, inject, test } from 'vitest';
import { openFile } from '../../src/engine/db/sqlite/file.ts';
import { newDatabase } from '../support/database.ts';
import { startTestServer } from '../support/server.ts';

const isOnSqlite = inject('database').provider === 'sqlite';

/** Functions that SQLite has from 3.41 on, by the list of its changes: that of Debian 12 is 3.40. */
const LATER =
  /\b(octet_length|timediff|concat|concat_ws|string_agg|jsonb\w*|json_pretty|unistr\w*|if|percentile\w*|median)\s*\(/i;

test.runIf(isOnSqlite)('the tables need no function that SQLite 3.40 lacks', async () => {
  const file = openFile(await newDatabase());
  const made = file
    .prepare<[], { name: string; sql: string }>(
      'SELECT "name", "sql" FROM sqlite_master WHERE "sql" IS NOT NULL',
    )
    .all();
  file.close();
  expect(made.length).toBeGreaterThan(50);
  expect(made.filter(({ sql }) => LATER.test(sql)).map(({ name }) => name)).toEqual([]);
});

const { status, stdout } = spawnSync('sqlite3', ['--version'], { encoding: 'utf8' });

// Debian's package sqlite3.
test.runIf(isOnSqlite && status === 0)(
  `sqlite3 ${status === 0 ? stdout.split(' ')[0] : ''} reads the tables, changes, copies and checks them`,
  async () => {
    const server = await startTestServer({ url: await newDatabase() });
    const owner = await server.caller();
    await owner.link({ alias: 'a' });
    await owner.link({ alias: 'b', title: 'Ünï' });
    await owner.space('A space');
    await server.stop();
    const ask = (statement: string) => {
      const path = server.databaseUrl.replace(/^file:/, '');
      const { stdout: rows, stderr } = spawnSync('sqlite3', [path, statement], { encoding: 'utf8' });
      expect(stderr).toBe('');
      return rows.trim();
    };
    // It cannot open the index of texts, whose entries it could not delete; so it changes no text of a link.
    const tables = ask(
      `SELECT "name" FROM sqlite_master WHERE "type" = 'table' AND "sql" NOT LIKE '%fts5%'`,
    ).split('\n');
    expect(tables).toContain('Link');
    for (const table of tables) expect(ask(`SELECT COUNT(*) FROM "${table}"`)).toMatch(/^\d+$/);
    expect(ask('SELECT "alias" FROM "Link" WHERE "accountId" = 1 ORDER BY "urlKey", "id"')).toBe('a\nb');
    ask(`UPDATE "Link" SET "disabled" = true`);
    ask(
      `INSERT INTO "Tag" ("accountId", "name", "nameKey", "color", "createdAt", "updatedAt") VALUES (1, 'x', 'x', 1, 0, 0)`,
    );
    ask(`DELETE FROM "Space"`);
    ask('REINDEX');
    ask('VACUUM');
    expect(ask('PRAGMA integrity_check')).toBe('ok');
  },
);
