import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { DocumentChecks, hashDocument } from '../../src/domain/operation/checks.ts';
import { Documents } from '../../src/engine/graphql/document.ts';
import { checkDocument } from '../../src/engine/graphql/saved-document.ts';
import { nextSlice } from '../../src/engine/tools/time-slices.ts';
import { api } from '../../src/schema/api.ts';

test('many checks at once have a pause after each that blocks', async () => {
  let [now, turn] = [performance.now(), 0];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  // The time of the last pause is the process's own, and another test may have set it ahead.
  await nextSlice();
  const turns: number[] = [];
  const checks = new DocumentChecks(() => {
    turns.push(turn);
    now += 100;
    return { kind: 'QUERY', variables: [], deprecations: [], broken: null, unfit: null };
  });
  let isDone = false;
  const count = async () => {
    for (; !isDone; turn++) await setImmediate();
  };
  void count();
  const documents = ['a', 'b', 'c', 'd', 'e'].map((document) => ({ document, hash: hashDocument(document) }));
  await Promise.all([...documents, ...documents].map((one) => checks.inSlices(one)));
  isDone = true;
  clock.mockRestore();
  await nextSlice();
  expect(turns.length).toBe(5);
  expect(new Set(turns).size).toBe(5);
});

test("the documents of clients stay when an account's are checked", () => {
  const documents = new Documents(api, true);
  documents.prepared('{ viewer { role } }');
  const { size } = documents;
  for (let at = 0; at < 20; at++) checkDocument(documents, `{ viewer { role } } #${'x'.repeat(19_000)}${at}`);
  expect(documents.size).toBe(size);
});

test('a reason names parts of the schema only to those who may read it', () => {
  const reasonFor = (introspection: boolean) =>
    checkDocument(new Documents(api, introspection), '{ linkz }').broken;
  expect(reasonFor(true)).toContain('Did you mean "link"');
  expect(reasonFor(false)).toBe('Cannot query field "linkz" on type "Query".');
});
