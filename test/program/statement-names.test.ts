import { expect, test } from 'vitest';
import { namesOfStatements } from '../../src/engine/db/postgresql/connection.ts';
import { PLANNED_EACH_TIME } from '../../src/engine/db/sql.ts';

const send = (name: (query: { sql: string }) => string, sql: string, times: number) =>
  Array.from({ length: times }, () => name({ sql })).at(-1);

test('names a frequent statement, and keeps the name', () => {
  const name = namesOfStatements();
  expect(send(name, 'SELECT 1', 4)).toBe('');
  const first = send(name, 'SELECT 1', 1);
  expect(first).toMatch(/^statement_[0-9a-f]{16}$/);
  expect(send(name, 'SELECT 2', 5)).not.toBe(first);
  expect(send(name, 'SELECT 1', 1)).toBe(first);
});

test('gives a statement the same name in every process, whatever was sent before', () => {
  const [one, other] = [namesOfStatements(), namesOfStatements()];
  send(other, 'SELECT 2', 5);
  expect(send(one, 'SELECT 1', 5)).toBe(send(other, 'SELECT 1', 5));
});

test('names at most 200 statements', () => {
  const name = namesOfStatements();
  for (let i = 0; i < 200; i++) expect(send(name, `SELECT ${i}`, 5)).not.toBe('');
  expect(send(name, 'SELECT more', 20)).toBe('');
});

test('gives no name to a statement that is planned each time', () => {
  expect(send(namesOfStatements(), `${PLANNED_EACH_TIME} SELECT 1`, 20)).toBe('');
});
