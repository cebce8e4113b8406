import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { PUBLISHING } from '../../scripts/pack/publishing.mjs';
import { CHECKS, makeRelease, type Release } from '../../scripts/release/make-release.mjs';
import { publishRelease } from '../../scripts/release/publish.mjs';
import { describeChanges } from '../../scripts/release/schema-changes.mjs';

const temporary = mkdtempSync(join(tmpdir(), 'linkspace-releases-'));
const folder = join(temporary, 'clone');
const read = (path: string, from = folder) => readFileSync(join(from, path), 'utf8');
const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const present: string = JSON.parse(readFileSync('package.json', 'utf8')).version;
const VERSION = '71.2.3';

function git(...args: string[]): string {
  const own = ['-c', 'user.name=A', '-c', 'user.email=a@x.example', '-c', 'commit.gpgSign=false'];
  return execFileSync('git', [...own, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
}

beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', '--local', '--no-tags', process.cwd(), folder]);
  git('checkout', '--quiet', '-B', 'main');
  for (const [name, value] of Object.entries({
    'user.name': 'A',
    'user.email': 'a@x.example',
    'commit.gpgSign': 'false',
    'tag.gpgSign': 'false',
  }))
    git('config', name, value);
  // Files of this test's own version, which may not be committed yet.
  for (const path of [
    'package.json',
    'CHANGELOG.md',
    'docs/schema-changes.md',
    'docs/operations.md',
    'README.md',
  ])
    write(path, readFileSync(path, 'utf8'));
  write(
    'CHANGELOG.md',
    '# Changelog\n\n## [Unreleased]\n\n- A change.\n\n## [0.1.0] - 2026-11-21\n\nThe first version.\n',
  );
  git('add', '.');
  git('commit', '--quiet', '--message', 'The state of this test');
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const release = (options: Partial<Release> = {}) =>
  makeRelease({ folder, version: VERSION, day: '2026-11-30', checks: [], ...options });

/** All that a release may change. */
const state = () => ({
  head: git('rev-parse', 'HEAD'),
  branch: git('symbolic-ref', 'HEAD'),
  tags: git('tag', '--list'),
  status: git('status', '--porcelain'),
  // One whose folder is left stays in the list.
  worktrees: git('worktree', 'list').split('\n').length,
});

/** Expects that a release is refused with these words, and that nothing has changed. */
async function refuses(words: RegExp, options: Partial<Release> = {}): Promise<void> {
  const before = state();
  await expect(release(options)).rejects.toThrow(words);
  expect(state()).toEqual(before);
}

test.each([
  ['1.0', '"1.0" is not a version: write three numbers, such as 1.2.3.'],
  ['v1.0.0', 'is not a version'],
  ['1.0.0-beta.1', 'is not a version'],
  ['01.0.0', 'is not a version'],
  ['', 'is not a version'],
  [present, `${present} is not above the present version, ${present}.`],
  ['0.0.99', 'is not above'],
])('refuses the version "%s"', async (version, words) => {
  const before = state();
  await expect(release({ version })).rejects.toThrow(words);
  expect(state()).toEqual(before);
});

test('refuses another branch than main, and none', async () => {
  git('checkout', '--quiet', '-b', 'other');
  await refuses(/on main, and other is checked out/);
  git('checkout', '--quiet', 'main');
  const before = git('rev-parse', 'HEAD');
  git('checkout', '--quiet', '--detach');
  await expect(release()).rejects.toThrow(/on main, and no branch is checked out/);
  git('checkout', '--quiet', 'main');
  expect(git('rev-parse', 'HEAD')).toBe(before);
});

test('refuses a tree with changed or new files', async () => {
  const readme = read('README.md');
  write('README.md', `${readme}More.\n`);
  await refuses(/changes without a commit: README\.md\./);
  write('README.md', readme);
  write('new.txt', '');
  await refuses(/changes without a commit: new\.txt\./);
  rmSync(join(folder, 'new.txt'));
});

test('refuses a version that has a tag', async () => {
  git('tag', `v${VERSION}`);
  await refuses(/The tag v71\.2\.3 exists already/);
  git('tag', '--delete', `v${VERSION}`);
});

test('refuses a tree whose checks fail or change files', async () => {
  await refuses(/node -e process\.exit\(3\) ended with 3: nothing is released/, {
    checks: [['node', '-e', 'process.exit(3)']],
  });
  await refuses(/no-such-program/, { checks: [['no-such-program']] });
  const changing = 'fs.appendFileSync("README.md", "More.")';
  await refuses(/changes without a commit: README\.md/, { checks: [['node', '-e', changing]] });
  expect(CHECKS).toEqual([
    ['bash', '.ci/run'],
    ['npm', 'run', 'try-packages'],
  ]);
  expect(existsSync('.ci/run')).toBe(true);
});

test('refuses a changelog without changes', async () => {
  const changelog = read('CHANGELOG.md');
  write('CHANGELOG.md', changelog.replace('- A change.\n\n', ''));
  git('commit', '--quiet', '--all', '--message', 'Nothing is new');
  await refuses(/nothing in its section \[Unreleased\]/);
  git('reset', '--quiet', '--hard', 'HEAD^');
});

test('takes the tag back if main moves while the checks run', async () => {
  const before = state();
  const commit = ['git', '-C', folder, 'commit', '--quiet', '--allow-empty', '--message', 'Meanwhile'];
  await expect(release({ checks: [commit] })).rejects.toThrow(/changed meanwhile: nothing is released/);
  expect(state()).toEqual({ ...before, head: git('rev-parse', 'HEAD') });
  expect(git('log', '-1', '--format=%s')).toBe('Meanwhile');
  git('reset', '--quiet', '--hard', 'HEAD^');
});

test('makes a commit with a tag, whose files say the version', async () => {
  const before = state();
  const lines: string[] = [];
  const check = ['node', '-e', `process.exit(require('./package.json').version === '${VERSION}' ? 0 : 1)`];
  await release({ checks: [check], report: (line) => lines.push(line) });
  expect(lines).toEqual([expect.stringMatching(/^node -e .* in .*linkspace-release-/)]);
  expect(state()).toMatchObject({
    ...before,
    head: git('rev-parse', `v${VERSION}^{commit}`),
    tags: `v${VERSION}`,
  });
  expect(git('rev-parse', 'HEAD^')).toBe(before.head);
  expect(git('cat-file', '-t', `v${VERSION}`)).toBe('tag');
  expect(git('log', '-1', '--format=%s')).toBe(`Release ${VERSION}`);

  const lock = JSON.parse(read('package-lock.json'));
  expect([JSON.parse(read('package.json')).version, lock.version, lock.packages[''].version]).toEqual(
    Array(3).fill(VERSION),
  );
  expect(read('README.md')).toContain('this is version 71.2');
  expect(read('CHANGELOG.md')).toContain(
    `## [Unreleased]\n\n## [${VERSION}] - 2026-11-30\n\n- A change.\n\n## [0.1.0] - 2026-11-21\n`,
  );
  const changes = read('docs/schema-changes.md');
  // A clone of a part of the history has no schema to compare with.
  const compared =
    git('rev-parse', '--is-shallow-repository') === 'true'
      ? 'There is no earlier schema'
      : 'Compared with 0.1.0, which has no tag.\n\n**Breaking**';
  expect(changes).toContain(`\n\n## ${VERSION}\n\n${compared}`);
  // Nothing but the lockfile, which names other packages, says the former version.
  const files = git('diff', '--name-only', 'HEAD^').split('\n');
  const left = spawnSync('git', ['grep', '--fixed-strings', '--word-regexp', '--name-only', present], {
    cwd: folder,
    encoding: 'utf8',
  }).stdout;
  expect(files).toContain('deploy/kubernetes/kustomization.yaml');
  const others = left
    .split('\n')
    .filter((path) => path && !/^(package-lock\.json|CHANGELOG\.md|docs\/schema-changes\.md)$/.test(path));
  // From 1.0 on, other packages have such versions, too.
  if (present.startsWith('0.')) expect(others).toEqual([]);
});

test('compares the next release with the tag of the last one', async () => {
  const changelog = read('CHANGELOG.md');
  write('CHANGELOG.md', changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n- Another change.\n'));
  git('commit', '--quiet', '--all', '--message', 'Change something');
  await release({ version: '71.3.0' });
  expect(read('docs/schema-changes.md')).toMatch(
    /\n\n## 71\.3\.0\n\nCompared with 71\.2\.3\.\n\nThe schema is the same\.\n$/,
  );
});

/** A registry of npm that takes packages, but for a name that it refuses. It has the names of what it took. */
async function startRegistry() {
  const taken = new Map<string, string>();
  const registry = { taken, refused: '', env: process.env };
  const server = createServer(async (req, res) => {
    const name = decodeURIComponent(req.url ?? '').slice(1);
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const answer = (status: number, body: object) =>
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const version = taken.get(name);
    if (req.method === 'PUT' && name === registry.refused) return answer(403, { error: 'no' });
    if (req.method === 'PUT') {
      taken.set(name, Object.keys(JSON.parse(`${Buffer.concat(chunks)}`).versions).join());
      return answer(201, {});
    }
    if (version === undefined) return answer(404, {});
    const manifest = { name, version, dist: { tarball: 'http://localhost/x.tgz' } };
    return answer(200, { name, 'dist-tags': { latest: version }, versions: { [version]: manifest } });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const userconfig = join(temporary, 'npmrc');
  writeFileSync(userconfig, `//${host}/:_authToken=secret\n`);
  const own = { npm_config_registry: `http://${host}/`, npm_config_userconfig: userconfig };
  registry.env = {
    ...process.env,
    ...own,
    npm_config_cache: join(temporary, 'cache'),
    npm_config_loglevel: 'silent',
  };
  return registry;
}

/** Writes packages of a version to dist-packages of the clone, with the scripts of real ones. */
const PACK = `
const { execFileSync } = require('node:child_process');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { version, scripts: { prepublishOnly } } = JSON.parse(readFileSync('package.json', 'utf8'));
mkdirSync('dist-packages/x', { recursive: true });
for (const name of ['@linkspace/client', '@linkspace/cli', 'linkspace']) {
  const manifest = { name, version, scripts: { prepublishOnly } };
  writeFileSync('dist-packages/x/package.json', JSON.stringify(manifest));
  execFileSync('npm', ['pack', './dist-packages/x', '--pack-destination', 'dist-packages'], { shell: process.platform === 'win32' });
}`;

test('publishes the packages of the release at main, and goes on where it broke off', async () => {
  const registry = await startRegistry();
  const lines: string[] = [];
  const publish = (pack = ['node', '-e', PACK]) => {
    lines.length = 0;
    return publishRelease({ folder, pack, env: registry.env, report: (line) => lines.push(line) });
  };
  registry.refused = '@linkspace/cli';
  await expect(publish()).rejects.toThrow('@linkspace/cli was not published. Run the command again');
  expect([...registry.taken]).toEqual([['@linkspace/client', '71.3.0']]);
  registry.refused = '';
  await publish();
  expect(lines).toEqual([
    '@linkspace/client 71.3.0 is published already.',
    '@linkspace/cli 71.3.0 is published.',
    'linkspace 71.3.0 is published.',
  ]);
  expect([...registry.taken.values()]).toEqual(Array(3).fill('71.3.0'));
  // Without the command, npm refuses the same package in a folder.
  registry.taken.clear();
  const cwd = join(folder, 'dist-packages/x');
  const loud = { ...registry.env, npm_config_loglevel: 'error' };
  const own = spawn('npm', ['publish'], {
    cwd,
    env: loud,
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  own.stderr.on('data', (text) => (said += text));
  expect((await once(own, 'close'))[0]).not.toBe(0);
  expect(said).toContain('Publish by: npm run release -- --publish');

  rmSync(join(folder, 'dist-packages'), { recursive: true });
  mkdirSync(join(folder, 'dist-packages'));
  await expect(publish(['node', '-e', ''])).rejects.toThrow(
    'dist-packages lacks linkspace-client-71.3.0.tgz',
  );
  await expect(publish(['node', '-e', 'process.exit(1)'])).rejects.toThrow('not packed');
  write('new.txt', '');
  await expect(publish()).rejects.toThrow('changes without a commit');
  git('add', '.');
  git('commit', '--quiet', '--message', 'More');
  await expect(publish()).rejects.toThrow('main is not at the tag v71.3.0');
  git('tag', '--delete', 'v71.3.0');
  await expect(publish()).rejects.toThrow('71.3.0 has no tag');
});

test('schema changes leave out what is part of another change', async () => {
  const before = 'type Query { one(a: Int): Int two: Int } enum Kind { A }';
  const now = `"What can be read." type Query { "The one." one(a: Int, b: New): Int three(c: Int): Made }
    enum Kind { A B } input New { a: Int } type Made { kind: Kind, old: Int @deprecated(reason: "Use kind.") }`;
  expect(await describeChanges(before, now)).toBe(
    [
      '**Breaking**\n\n- Field `two` was removed from object type `Query`',
      [
        '**For clients without a default for unknown values and types**\n',
        '- Argument `b: New` added to field `Query.one`',
        '- Enum value `B` was added to enum `Kind`',
      ].join('\n'),
      [
        '**Safe**\n',
        '- Type `New` was added',
        '- Type `Made` was added',
        '- Field `three` was added to object type `Query`',
      ].join('\n'),
    ].join('\n\n'),
  );
});

test('the command tells how it is used', () => {
  const run = (...words: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/release.mjs', ...words], {
      encoding: 'utf8',
    });
    return [status, stderr];
  };
  for (const words of [[], ['--dry-run'], ['1.0.0', '--publish']])
    expect(run(...words)).toEqual([1, expect.stringMatching(/^Usage: npm run release -- X\.Y\.Z/)]);
  expect(run('one')).toEqual([1, expect.stringContaining('"one" is not a version')]);
});

test('npm publish refuses the root, whose script is that of all packages', () => {
  const { scripts, private: isPrivate } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect([scripts.prepublishOnly, isPrivate]).toEqual([PUBLISHING.prepublishOnly, true]);
  const run = (env: NodeJS.ProcessEnv) =>
    spawnSync(PUBLISHING.prepublishOnly, { shell: true, encoding: 'utf8', cwd: resolve('.'), env });
  const { LINKSPACE_RELEASE: _, ...env } = process.env;
  expect(run(env)).toMatchObject({ status: 1, stderr: 'Publish by: npm run release -- --publish\n' });
  expect(run({ ...env, LINKSPACE_RELEASE: '1.0.0' }).status).toBe(0);
});
