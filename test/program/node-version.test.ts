import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-node-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a start on a Node that is too old says so in one line', () => {
  const { engines, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'));
  const [major] = process.versions.node.split('.').map(Number);
  mkdirSync(join(folder, 'dist'));
  cpSync('scripts', join(folder, 'scripts'), { recursive: true });
  copyFileSync('dist/main.js', join(folder, 'dist/main.js'));
  const needed = { node: `>=${Number(major) + 1}.2` };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, engines: needed }));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', 'main'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    1,
    `Linkspace needs Node ${Number(major) + 1}.2 or later, and this is ${process.version}: install one, or run "npm ci" without --omit=optional, which brings one.\n`,
  ]);
  expect(engines.node).toMatch(/^>=\d+\.\d+$/);
});
