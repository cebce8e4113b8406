import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { isScalarType, parse, specifiedScalarTypes, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { readConfig, variables } from '../../src/app/config.ts';
import { parseBlockedHosts } from '../../src/domain/link/blocklists.ts';
import { schema } from '../../src/schema/index.ts';
import type { Caller } from '../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../src/testing/server.ts';
import {
  allBlocks,
  type Block,
  blocksOf,
  codeSpansOf,
  commandsOf,
  guides,
  proseOf,
} from '../support/markdown.ts';

/** The first block after a text in a guide. */
function blockAfter(file: string, text: string): Block {
  const line = readFileSync(file, 'utf8').split(text)[0]?.split('\n').length ?? 0;
  const found = blocksOf(file).find(({ place }) => Number(place.split(':')[1]) > line);
  if (!found) throw new Error(`${file} has no block after "${text}"`);
  return found;
}

/** Checks that a test runs the block or command, by its reference. */
function isRunBy(file: string, reference: string): void {
  expect(readFileSync(file, 'utf8')).toContain(reference);
}

/** A file as somebody writes it who has installed the packages. */
const asInstalled = (text: string): string =>
  text
    .replace(/'\.\.\/\.\.\/packages\/client\/src\/(\w+)\.ts'/g, "'@linkspace/client/$1'")
    .replace("'../../src/testing/linkspace.ts'", "'linkspace/testing'");

/** The blocks that show a whole file, which other tests run. */
const shownFiles = allBlocks.filter(({ shows }) => shows !== null);

const SECTIONS_OF_A_UNIT = {
  Unit: ['Description', 'After', 'Wants', 'StartLimitIntervalSec'],
  Service: [
    'User',
    'WorkingDirectory',
    'Environment',
    'ExecStart',
    'Restart',
    'RestartSec',
    'ReadWritePaths',
  ],
  Install: ['WantedBy'],
};

/** systemd's errors in a unit, except about the user and the paths, which this machine lacks. */
function faultsOfUnit(text: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-unit-'));
  const file = join(folder, 'linkspace.service');
  writeFileSync(file, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return `${stdout}${stderr}`.split('\n').filter((line) => line.includes('linkspace.service'));
}

interface Override {
  readonly environment: Record<string, string | number>;
  readonly secrets: readonly string[];
  readonly ports: readonly string[];
}

/** Checks of the blocks of each language. A block in another language fails. */
const checks: Record<string, (block: Block) => void | Promise<void>> = {
  // docs-commands.test.ts runs each command, or checks that another test does.
  sh: (block) => expect(commandsOf(block)).not.toEqual([]),
  // test/schema/guides.test.ts executes them, if possible.
  // npm run try-caddy starts it. Like scripts, it is compared with the file that it shows, below.
  caddyfile: (block) => expect(shownFiles.map(({ text }) => text)).toContain(block.text),
  graphql: ({ text }) => expect(validate(schema, parse(text))).toEqual([]),
  json: ({ text }) => expect(() => JSON.parse(text)).not.toThrow(),
  ts: () => isRunBy('package.json', 'tsx scripts/check-guides.ts'),
  // Compared with the file that it shows, below.
  js: (block) => expect(shownFiles.map(({ text }) => text)).toContain(block.text),
  nginx: ({ file }) => isRunBy('test/program/nginx.test.ts', file),
  ini({ text }) {
    const sections = [...text.matchAll(/^\[(\w+)\]\n([^[]*)/gm)].map(([, name, lines = '']) => [
      name,
      [...lines.matchAll(/^(\w+)=\S/gm)].map(([, key]) => key),
    ]);
    expect(Object.fromEntries(sections)).toMatchObject(
      Object.fromEntries(
        Object.entries(SECTIONS_OF_A_UNIT).map(([name, keys]) => [name, expect.arrayContaining(keys)]),
      ),
    );
    expect(Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts)).toContain('start');
    if (existsSync('/usr/bin/systemd-analyze')) expect(faultsOfUnit(text)).toEqual([]);
  },
  // The operator's files, parsed by the program.
  conf: async ({ text }) => expect((await parseBlockedHosts(text)).wrong).toEqual([]),
  // A file compose.override.yaml: it adds to services that there are, and what it mounts is what it names.
  yaml({ text }) {
    const { services, secrets } = parseYaml(text);
    const known = parseYaml(readFileSync('compose.yaml', 'utf8')).services;
    for (const [name, { environment, secrets: mounted, ports }] of Object.entries<Override>(services)) {
      expect(Object.keys(known)).toContain(name);
      expect(mounted).toEqual(Object.keys(secrets));
      const { METRICS_PORT, ...files } = environment;
      expect(ports).toEqual([`127.0.0.1:${METRICS_PORT}:${METRICS_PORT}`]);
      for (const [variable, path] of Object.entries(files)) {
        expect(variables.map((one) => `${one}_FILE`)).toContain(variable);
        expect(mounted.map((one) => `/run/secrets/${one}`)).toContain(path);
      }
    }
  },
  // Lines of a crontab; docs-commands.test.ts runs the same commands.
  cron({ text }) {
    for (const line of text.trimEnd().split('\n')) {
      const [, command = ''] = /^(?:[\d*]+ ){5}cd \/opt\/linkspace && (npm run .*)$/.exec(line) ?? [];
      const guide = allBlocks.filter(({ language }) => language === 'sh').flatMap(commandsOf);
      expect(guide).toContain(command.replace(' --silent', ''));
    }
  },
  // A file .env.
  env: ({ text }) => expect(() => readConfig(parseEnv(text))).not.toThrow(),
  // Drawings: the files and folders in them exist.
  text({ text }) {
    const paths = text.match(/\b[\w.-]+\/[\w./-]*/g) ?? [];
    expect(paths).not.toEqual([]);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  },
};

test.each(allBlocks.map((block) => [block.place, block.language, block] as const))(
  '%s: a block of %s is checked',
  async (_place, language, block) => {
    const check = checks[language];
    if (!check) throw new Error(`Nobody checks blocks of the language "${language}".`);
    await check(block);
  },
);

test.each(shownFiles.map(({ place, shows, text }) => [place, shows ?? '', text] as const))(
  '%s: shows %s as in the file',
  (_place, path, text) => expect(text).toBe(asInstalled(readFileSync(path, 'utf8'))),
);

test('all code of the guide to clients is in files that tests run', () => {
  expect(blocksOf('docs/clients.md').filter(({ shows }) => shows === null)).toEqual([]);
});

test('finds a mistake in a systemd unit', () => {
  const { text } = blockAfter('docs/operations.md', 'As a systemd service');
  expect(() =>
    checks.ini?.({
      file: '',
      place: '',
      language: '',
      shows: null,
      text: text.replace('ExecStart', 'Start'),
    }),
  ).toThrow();
});

describe('what the guides tell front ends matches the schema', () => {
  const guide = readFileSync('docs/graphql.md', 'utf8');
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

  test('scalars', () => {
    const [, listed = ''] = /scalars: \{(.*?)\}/s.exec(guide) ?? [];
    const own = types.filter(
      (type) => isScalarType(type) && !specifiedScalarTypes.some(({ name }) => name === type.name),
    );
    expect([...listed.matchAll(/(\w+):/g)].map(([, name]) => name).sort()).toEqual(
      own.map(({ name }) => name).sort(),
    );
  });

  test('settings of the generator', () => {
    // Without it, what it makes does not compile with verbatimModuleSyntax.
    expect(guide).toContain('useTypeImports: true,');
    // It has the whole schema, which is as large as all else that a page loads.
    expect(guide).not.toContain("'introspection'");
  });

  test('types whose objects are merged', () => {
    const setUp = readFileSync('packages/client/src/apollo.ts', 'utf8');
    const [, listed = ''] = /typePolicies: \{(.*?)\n {4}\}/s.exec(setUp) ?? [];
    const names = [...listed.matchAll(/(\w+): \{ merge/g)].map(([, name = '']) => name);
    expect(names).not.toEqual([]);
    for (const name of names) expect(schema.getType(name)).toBeDefined();
  });
});

describe('examples of v1 in the guides', () => {
  let server: TestServer;
  let caller: Caller;
  beforeAll(async () => {
    server = await startTestServer();
    caller = await server.caller();
  });
  afterAll(() => server.stop());
  const shown = (text: string) => JSON.parse(blockAfter('docs/rest-v1.md', text).text);

  test('show all fields of a space and a link, in order', async () => {
    const space = await caller.space('Launch', { color: 3 });
    const link = await caller.link({
      title: 'A launch',
      space_id: space,
      pixel_ids: await caller.pixel('Ads'),
      target_type: 1,
      'country[0][key]': 'DE',
      'country[0][value]': 'https://example.com/de',
    });
    const { body } = await caller.rest('GET', `/spaces/${space}`);
    const shapeOf = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shapeOf);
      if (typeof value !== 'object' || value === null) return typeof value;
      return Object.entries(value).map(([name, one]) => [name, shapeOf(one)]);
    };
    expect(shapeOf(shown('\nA space:'))).toEqual(shapeOf((body as { data: object }).data));
    expect(shapeOf(shown('\nA link:'))).toEqual(shapeOf(link));
  });

  test('show a refusal as v1 answers it', async () => {
    const { body } = await caller.rest('POST', '/spaces', { color: 'red' });
    expect(shown('A 422 answer')).toEqual(body);
  });
});

test('create each alias only once', () => {
  const texts = [
    ...allBlocks.filter(({ language }) => ['sh', 'graphql'].includes(language)).map(({ text }) => text),
    readFileSync('web/examples.graphql', 'utf8'),
    readFileSync('src/app/greeting.ts', 'utf8'),
    ...['links.sh', 'links.php', 'links.py'].map((name) =>
      readFileSync(join('examples/legacy', name), 'utf8'),
    ),
  ];
  const aliases = texts.flatMap((text) =>
    [...text.matchAll(/\balias["']?(?:=|: *["']|["'] *=> *["'])([\w-]+)/g)].map(([, alias]) => alias),
  );
  expect(aliases).toEqual(expect.arrayContaining(['hello', 'launch']));
  expect(aliases.filter((alias, index) => aliases.indexOf(alias) !== index)).toEqual([]);
});

/** The anchors of a guide: GitHub's for its headings, and explicit ones. */
function anchorsOf(file: string): string[] {
  const prose = proseOf(file);
  const headings = [...prose.matchAll(/^#+ +(.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...prose.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)];
}

test.each(guides)('the links in %s work', (file) => {
  const targets = [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const broken = targets.filter((target) => {
    if (/^https?:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const place = path === '' ? file : join(dirname(file), path);
    return !existsSync(place) || (anchor !== undefined && !anchorsOf(place).includes(anchor));
  });
  expect(broken).toEqual([]);
});

test('the pictures of the README exist, and are small', () => {
  const pictures = [...readFileSync('README.md', 'utf8').matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)];
  expect(pictures).toHaveLength(3);
  for (const [, path = ''] of pictures) {
    expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG');
    expect(statSync(path).size).toBeLessThan(250_000);
  }
});

test('the operations guide lists every environment variable', () => {
  const guide = codeSpansOf('docs/operations.md').filter((code) => /^[A-Z][A-Z_]+$/.test(code));
  const rows = [...readFileSync('docs/operations.md', 'utf8').matchAll(/^\| (`[A-Z_`, ]+`) *\|/gm)].flatMap(
    ([, cell = '']) => [...cell.matchAll(/[A-Z_]+/g)].map(([name]) => name),
  );
  expect(variables.length).toBeGreaterThan(15);
  expect(rows.sort()).toEqual(variables.filter((name) => name !== 'NODE_ENV').sort());
  expect(guide).toEqual(expect.arrayContaining(rows));
});

test('the operations guide has the defaults of the program', () => {
  const rows = [
    ...readFileSync('docs/operations.md', 'utf8').matchAll(/^\| (`[A-Z_`, ]+`) *\| (`[^|]+`) +\|/gm),
  ];
  const namesAndDefaults = rows.map((cells) =>
    cells.slice(1).map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)),
  );
  const defaults = namesAndDefaults.flatMap(([names = [], values = []]) =>
    names.map((name, index) => [name, values[index]] as const),
  );
  expect(defaults.length).toBeGreaterThan(12);
  for (const [name, value] of defaults)
    if (name === 'BASE_URL') expect(value).toBe('http://localhost:PORT');
    else expect([name, readConfig({ [name]: value })]).toEqual([name, readConfig({})]);
});

test('the tests named in SECURITY.md exist', () => {
  const named = codeSpansOf('SECURITY.md').filter((code) => code.startsWith('test/'));
  expect(named.length).toBeGreaterThan(20);
  const there = readdirSync('test', { recursive: true }).map((path) => join('test', String(path)));
  for (const path of named) {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
    expect(there).toContainEqual(expect.stringMatching(pattern));
  }
});
