import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-commit-'));
const repository = join(folder, 'repository');
const inside = join(repository, 'unpacked');
const git = (...args: string[]) =>
  spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@x.example', ...args], { cwd: repository });
let head = '';
beforeAll(() => {
  mkdirSync(inside, { recursive: true });
  git('init', '-q');
  writeFileSync(join(repository, 'a'), '');
  git('add', 'a');
  git('commit', '-q', '-m', 'a');
  head = String(git('rev-parse', 'HEAD').stdout).slice(0, 12);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The commit that the build finds for a folder. */
function findBuildCommit(path: string, sourceCommit = ''): string {
  const script = `import { findCommit } from ${JSON.stringify(join(process.cwd(), 'scripts/build.mjs'))};
    console.log(findCommit(${JSON.stringify(path)}));`;
  const env = { ...process.env, SOURCE_COMMIT: sourceCommit };
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', env });
  return run.stdout.trim();
}

test.each([
  ['git', () => repository, '', () => head],
  ['git, whatever the variable says', () => repository, 'abc', () => head],
  ['the variable outside of a repository', () => folder, 'v1.2-3_abc', () => 'v1.2-3_abc'],
  ['the variable inside of another repository', () => inside, 'abc', () => 'abc'],
  ['nothing', () => folder, '', () => 'unknown'],
  ['nothing of a variable that fits no label', () => folder, 'a"b\nc', () => 'unknown'],
  ['nothing of a long variable', () => folder, 'a'.repeat(65), () => 'unknown'],
])('the commit comes from %s', (_what, path, variable, expected) => {
  expect(head).toMatch(/^[0-9a-f]{12}$/);
  expect(findBuildCommit(path(), variable)).toBe(expected());
});

test('the commit is no part of what makes a build stale', () => {
  const source = readFileSync('scripts/build.mjs', 'utf8');
  const sources = /const SOURCES = \[(.*?)\]/s.exec(source)?.[1] ?? '';
  expect(sources).not.toMatch(/git|build\.json/);
  expect(source).toMatch(/build\.json[^\n]*findCommit/);
});
