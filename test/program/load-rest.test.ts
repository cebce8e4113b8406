import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

/** Modules that are imported before the service answers, if they are needed at all. */
const AT_START = [
  ...['connection', 'session', 'client', 'index', 'trusted-documents', 'otel', 'pg'],
  ...['service', 'api-parts', 'metrics', 'shared-metrics', 'primary', 'country'],
];

/** The modules that a source imports while the service runs, without `loadedLater`. */
function importedBy(path: string): string[] {
  const text = readFileSync(path, 'utf8').replaceAll(/loadedLater\(\(\) => import\('[^']+'\)\)/g, '');
  const names = Array.from(text.matchAll(/\bimport\('([^']+)'\)/g), ([, name = '']) => name);
  return names.filter((name) => !AT_START.includes(basename(name, '.ts'))).map((name) => `${path}: ${name}`);
}

test('what is imported only when it is needed is loaded soon after the start', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/^(generated|app.cli)/.test(path))
    .map((path) => `src/${path}`);
  expect(sources.flatMap(importedBy)).toEqual([]);
});
