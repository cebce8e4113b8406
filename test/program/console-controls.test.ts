import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Elements that the browser draws in its own way, for which the console has controls. */
const OWN = /<(?:select|input)\b[^>]*?(?<=<select|type="(?:date|datetime-local|time|file|color)")/g;

const root = new URL('../../console/src/', import.meta.url);

const ownIn = (path: string): string[] =>
  (readFileSync(new URL(path, root), 'utf8').match(OWN) ?? []).map((tag) => `${path}: ${tag}`);

test('only the controls have elements that each browser draws in its own way', () => {
  const [controls, others] = ['controls/*.tsx', '{app,parts,views}/**/*.tsx'].map((pattern) =>
    globSync(pattern, { cwd: root }).flatMap(ownIn),
  );
  expect(controls?.length).toBeGreaterThan(4);
  expect(others).toEqual([]);
});

test('each control is on one screen', () => {
  const lines = globSync('controls/*', { cwd: root }).map((path) => {
    const text = readFileSync(new URL(path, root), 'utf8');
    return [path, text.split('\n').length] as const;
  });
  expect(lines.filter(([, count]) => count > 121)).toEqual([]);
});
