import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-node-'));
const { engines, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'));
const [major] = process.versions.node.split('.').map(Number);
const needed = `${Number(major) + 1}.2`;

beforeAll(() => {
  for (const copied of ['scripts', 'dist', 'src/app/require-node.js'])
    cpSync(copied, join(folder, copied), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  const asked = { ...manifest, engines: { node: `>=${needed}` } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(asked));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(['scripts/run.mjs', 'dist/main.js', 'dist/cli/keys.js'])(
  '%s reports a Node version that is too old, in one line',
  (file) => {
    const { status, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      1,
      `Linkspace needs Node ${needed} or later, and this is ${process.version}: install one, or run "npm ci" without --omit=optional, which brings one.\n`,
    ]);
  },
);

test('every program checks Node before it loads anything else', () => {
  const { scripts } = manifest as { scripts: Record<string, string> };
  const programs = Object.values(scripts).flatMap(
    (script) => /scripts\/run\.mjs (\S+)/.exec(script)?.[1] ?? [],
  );
  expect(programs).toContain('main');
  for (const program of programs)
    expect(readFileSync(`dist/${program}.js`, 'utf8'), program).toMatch(
      /^import "\.\.?\/app\/require-node\.js";\n/,
    );
});

test('package.json names the oldest Node in the form that is compared', () => {
  expect(engines.node).toMatch(/^>=\d+\.\d+$/);
});
