import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const LINE = /:(\d+):\d+ plugin /g;

/** The lines that a rule of our own refuses. */
function refused(rule: string, lines: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-lint-'));
  const linter = { rules: { recommended: false } };
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ plugins: [resolve(rule)], linter }));
  writeFileSync(join(folder, 'code.ts'), lines.map((line) => `${line}\n`).join(''));
  const biome = resolve('node_modules/.bin/biome');
  const { stdout, stderr } = spawnSync(biome, ['lint', '--max-diagnostics=100', '--colors=off'], {
    cwd: folder,
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  const found = Array.from(`${stdout}${stderr}`.matchAll(LINE), ([, line]) => lines[Number(line) - 1] ?? '');
  return lines.filter((line) => found.includes(line));
}

test('the linter refuses any other parser of URLs, by whatever name', () => {
  const wrong = [
    "import { parse } from 'node:url';",
    "import * as url from 'url';",
    "import { URL as Parser } from 'node:url';",
    "export const a = new URL('http://a');",
    "export const b = URL.parse('http://a');",
    "export const c = URL?.canParse('http://a');",
    "export const d = url.parse('http://a');",
    "export const e = new globalThis.URL('http://a');",
    "export const f = globalThis.URL.parse('http://a');",
    "export const g = globalThis.URL?.canParse('http://a');",
    "export const h = ['http://a'].map(URL.canParse);",
    'export const { canParse } = URL;',
    'const Alias = URL;',
    "export const i = Reflect.construct(URL, ['http://a']);",
  ];
  const right = [
    "import { fileURLToPath } from 'node:url';",
    'export const j = (one: URL): string => one.href;',
    "export const k: Record<string, string> = { URL: 'an address' };",
    "export const l = JSON.parse('1');",
  ];
  expect(refused('lint/one-url-parser.grit', [...wrong, ...right])).toEqual(wrong);
});
