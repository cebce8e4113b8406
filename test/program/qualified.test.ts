import { expect, test } from 'vitest';
import { makeChannelName, qualified } from '../../src/engine/db/postgresql/schema.ts';

test.each([
  [
    'SELECT "id" FROM "Link" AS "link" JOIN "Space" ON 1 = 1',
    'SELECT "id" FROM "S"."Link" AS "link" JOIN "S"."Space" ON 1 = 1',
  ],
  ['"KeyUse"."requests" + EXCLUDED."requests"', '"S"."KeyUse"."requests" + EXCLUDED."requests"'],
  ['NULL::"Link", $1::jsonb', 'NULL::"S"."Link", $1::jsonb'],
  ['FROM "_prisma_migrations"', 'FROM "S"."_prisma_migrations"'],
  [
    'FROM "LinkCounter" FOR NO KEY UPDATE OF "LinkCounter"',
    'FROM "S"."LinkCounter" FOR NO KEY UPDATE OF "LinkCounter"',
  ],
  ['FROM (SELECT 1) AS "Space"', 'FROM (SELECT 1) AS "Space"'],
  // Prisma's
  ['SELECT "links"."Link"."id" FROM "links"."Link"', 'SELECT "links"."Link"."id" FROM "links"."Link"'],
  ['SELECT "Links"."Link"."id" FROM "Links"."Link"', 'SELECT "Links"."Link"."id" FROM "Links"."Link"'],
  [
    'SELECT "linkId", "createdAt", "linkspace_space" FROM "given"',
    'SELECT "linkId", "createdAt", "linkspace_space" FROM "given"',
  ],
])('%s names the schema of its tables', (statement, expected) => {
  expect(qualified(statement, 'S')).toBe(expected);
});

test('a schema may have any name', () => {
  expect(qualified('FROM "Link"', 'a "b" $& c')).toBe('FROM "a ""b"" $& c"."Link"');
});

test('channels keep their names in public, and fit into an identifier elsewhere', () => {
  expect(makeChannelName('linkspace', 'public')).toBe('linkspace');
  const names = ['links', 'x'.repeat(63)].map((schema) => makeChannelName('linkspace_writes', schema));
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(`${name}_probe`).toMatch(/^[a-z0-9_]{1,63}$/);
});
