import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { readModels, requireHarmless } from '../../scripts/migration-diff.ts';
import { sqliteMigration } from '../../scripts/sqlite-migration.ts';
import { migrations } from '../../src/db/migrations.ts';
import { defaults } from '../../src/generated/defaults.ts';

const models = readModels();
const withField = (field: string, text = models) =>
  text.replace('model Link {\n', `model Link {\n  ${field}\n`);
const withRelation = (optional: '?' | '') =>
  withField(
    `seriesId Int${optional}\n  series Series${optional} @relation(fields: [seriesId], references: [id])`,
    `${models}\nmodel Series {\n  id Int @id\n  name String @default("")\n  links Link[]\n}\n`,
  );

/** A database of the committed migrations, with a link. */
function migrated(): Sqlite.Database {
  const database = new Sqlite(':memory:');
  for (const name of migrations.known('sqlite')) database.exec(migrations.scriptOf('sqlite', name));
  const time = `'2026-01-01T00:00:00.000Z'`;
  database.exec(`
    INSERT INTO "Account" ("name", "createdAt") VALUES ('a', ${time});
    INSERT INTO "Domain" ("name", "hostKey", "createdAt", "updatedAt") VALUES ('a.example', 'a.example', ${time}, ${time});
    INSERT INTO "Link" ("accountId", "domainId", "alias", "aliasKey", "url", "urlKey", "createdAt", "updatedAt")
      VALUES (1, 1, 'a', 'a', 'https://a.example', 'https://a.example', ${time}, ${time});`);
  return database;
}

test.each([
  ['optional', withField('remark String?'), '"remark" TEXT', { remark: null }],
  [
    'with a text',
    withField('remark String @default("it\'s; \\"x\\"")'),
    "DEFAULT 'it''s; \"x\"'",
    { remark: 'it\'s; "x"' },
  ],
  [
    'with a boolean',
    withField('flag Boolean @default(true)'),
    '"flag" BOOLEAN NOT NULL DEFAULT true',
    { flag: 1 },
  ],
  ['with a number', withField('rank Int @default(-7)'), '"rank" INTEGER NOT NULL DEFAULT -7', { rank: -7 }],
  [
    'optional, with a default',
    withField('remark String? @default("x")'),
    `"remark" TEXT DEFAULT 'x'`,
    { remark: 'x' },
  ],
  [
    'with a default and an index',
    withField('rank Int @default(1)\n  @@index([accountId, rank])'),
    'CREATE INDEX "Link_accountId_rank_idx"',
    { rank: 1 },
  ],
  ['unique', withField('code String? @unique'), 'CREATE UNIQUE INDEX "Link_code_key"', { code: null }],
  [
    'that refers to a new table',
    withRelation('?'),
    'REFERENCES "Series" ("id") ON DELETE SET NULL ON UPDATE CASCADE',
    { seriesId: null },
  ],
  [
    'beside one of another table',
    withField('rank Int @default(1)').replace('model Space {', 'model Space {\n  rank Int @default(2)'),
    'ALTER TABLE "Space" ADD COLUMN "rank"',
    { rank: 1 },
  ],
])(
  'a migration adds a column to a table with rows, views and triggers: %s',
  async (_what, text, sql, row) => {
    const migration = await sqliteMigration(text);
    expect(migration).toContain(sql);
    expect(migration).not.toContain('DROP TABLE');
    const database = migrated();
    database.exec(migration ?? '');
    expect(database.prepare('SELECT * FROM "Link"').get()).toMatchObject({ alias: 'a', ...row });
    // Its triggers work, and so does the view of the search index.
    database.exec(
      `UPDATE "Link" SET "title" = 'found', "titleKey" = 'found'; UPDATE "Link" SET "spaceId" = NULL`,
    );
    expect(database.prepare(`SELECT * FROM "ShiftedLinkText"`).all()).not.toEqual([]);
    database.close();
  },
);

test.each([
  [
    'required, without a default',
    withField('remark String'),
    /"Link"."remark" is required and has no default/,
  ],
  ['the time as default', withField('at DateTime @default(now())'), /has the default CURRENT_TIMESTAMP/],
  [
    'the time as default, optional',
    withField('at DateTime? @default(now())'),
    /has the default CURRENT_TIMESTAMP/,
  ],
  ['an expression as default', withField('n Int @default(dbgenerated("(1+1)"))'), /has the default \(?1\+1/],
  ['a required reference', withRelation(''), /"Link"."seriesId" is required and has no default/],
  ['removed', models.replace(/^ {2}title {2,}String\?\n/m, ''), /Columns that the models lack: title\./],
  [
    'renamed',
    models.replace(/^ {2}title {2,}String\?\n/m, '  heading String?\n'),
    /RENAME COLUMN "OLD" TO "NEW"/,
  ],
  [
    'of another type',
    models.replace(/^( {2}titleKey {2,})String\?/m, '$1Int?'),
    /use the table: .*ShiftedLinkText.*CREATE TABLE "new_Link"/s,
  ],
  [
    'with another default',
    models.replace('@default("NONE")', '@default("COUNTRY")'),
    /changes by more than added columns/,
  ],
  [
    'no longer optional',
    models.replace(/^( {2}titleKey {2,})String\?/m, '$1String'),
    /changes by more than added columns/,
  ],
])('a migration is left to be written by hand for a column %s', async (_what, text, message) => {
  await expect(sqliteMigration(text)).rejects.toThrow(message);
});

test.each([
  ['-- DropTable\nDROP TABLE "Pixel";', /DROP TABLE "Pixel"\n {2}deletes a table/],
  ['ALTER TABLE "Link" DROP COLUMN "title",\nADD COLUMN     "heading" TEXT;', /deletes a column/],
  [
    'ALTER TABLE "Link" ADD COLUMN     "remark" TEXT COLLATE "C" NOT NULL;',
    /required column without a default/,
  ],
  ['ALTER TABLE "Link" ALTER COLUMN "title" SET NOT NULL;', /changes a column of existing rows/],
  ['ALTER TABLE "Link" ALTER COLUMN "title" SET DATA TYPE INTEGER;', /changes a column of existing rows/],
  [
    `ALTER TABLE "Link" ADD COLUMN "n" TEXT NOT NULL DEFAULT '';\nCREATE UNIQUE INDEX "Link_n_key" ON "Link"("n");`,
    /"Link"."n" is unique and has a default/,
  ],
])('a migration that loses data or cannot be applied is refused: %s', (sql, message) => {
  expect(() => requireHarmless(sql)).toThrow(message);
});

test('a refusal names every fault', () => {
  const sql = 'DROP TABLE "Pixel";\nALTER TABLE "Link" DROP COLUMN "title",\nDROP COLUMN "remark";';
  expect(() => requireHarmless(sql)).toThrow(/"Pixel".*"title".*"remark"/s);
});

test.each([
  `ALTER TABLE "Link" ADD COLUMN "n" TEXT NOT NULL DEFAULT '';\nCREATE INDEX "Link_n_idx" ON "Link"("n");`,
  'ALTER TABLE "Link" ADD COLUMN "code" TEXT;\nCREATE UNIQUE INDEX "Link_code_key" ON "Link"("code");',
  'CREATE TABLE "Tag" (\n    "id" SERIAL NOT NULL,\n    "name" TEXT COLLATE "C" NOT NULL\n);\nDROP INDEX "a";',
])('a migration that only adds is not refused: %s', (sql) => {
  expect(() => requireHarmless(sql)).not.toThrow();
});

test('there is no migration without a change', async () => {
  expect(await sqliteMigration()).toBeNull();
});

test('the generated defaults are those of the tables', () => {
  const database = migrated();
  const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value));
  for (const [table, columns] of Object.entries(defaults)) {
    const sql = `SELECT "name", "dflt_value" FROM pragma_table_info(?) WHERE "dflt_value" IS NOT NULL`;
    const stored = database.prepare<string[], { name: string; dflt_value: string }>(sql).all(table);
    expect(
      Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, literal(value)])),
    ).toEqual(Object.fromEntries(stored.map(({ name, dflt_value: preset }) => [name, preset])));
  }
  database.close();
});
