import { expect, test } from 'vitest';
import { plannedOnce } from '../../src/engine/db/sqlite/statements.ts';

test.each([
  ['SELECT 1 FROM "T" WHERE "a" = ? AND "b" > ?', 'SELECT 1 FROM "T" WHERE "a" = +? AND "b" > +?'],
  [`SELECT 'why?' FROM "what?" WHERE \`a?\` IN (?,?)`, `SELECT 'why?' FROM "what?" WHERE \`a?\` IN (+?,+?)`],
  [`SELECT 'it''s ?' || ?`, `SELECT 'it''s ?' || +?`],
])('plannedOnce marks the parameters of %s', (sql, planned) => {
  expect(plannedOnce(sql)).toBe(planned);
});
