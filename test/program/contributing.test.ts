import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// Takes a minute of processor time: it follows the guide for a new field of links in a copy of the project, which is generated,
// migrated, checked and tested like the project itself.

const guide = await readFile('CONTRIBUTING.md', 'utf8');
const section = guide.slice(
  guide.indexOf('\n## How to add a field to links\n'),
  guide.indexOf('\n## Commands for developers\n'),
);

/** The rows of the guide's tables: a file, above or below which of its lines to add a line, and that line. */
const additions = [...section.matchAll(/^ +\| `([^`]+)` \| (above|below) `([^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, file = '', where = '', line = '', added = '']) => ({
    file,
    where,
    line,
    added: added.replaceAll('\\|', '|'),
  }),
);

const isCopied = (path: string) =>
  !/^(node_modules|dist|data|\.git|src\/generated|console\/src\/generated)$|(^|\/)(node_modules|build)$/.test(
    relative('.', path),
  );

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'linkspace-guide-'));
  await cp('.', folder, { recursive: true, filter: isCopied });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a command of the guide in the copy. */
async function run(command: string): Promise<void> {
  const ofTests = ([name]: [string, unknown]) => !/^(VITEST|TEST$|NODE_ENV$)/.test(name);
  const env = Object.fromEntries(Object.entries(process.env).filter(ofTests));
  const [program = '', ...args] = command.split(' ');
  const limits = { cwd: folder, env, maxBuffer: 2 ** 26 };
  await promisify(execFile)(program, args, limits).catch(({ stdout, stderr }) => {
    throw new Error(`${command}\n${stdout}\n${stderr}`);
  });
}

describe('the guide for a new field', () => {
  test('names lines that are there, once they are looked for from the top', async () => {
    expect(additions.length).toBeGreaterThan(20);
    for (const { file, where, line, added } of additions) {
      const lines = (await readFile(join(folder, file), 'utf8')).split('\n');
      const at = lines.findIndex((one) => one.trim().startsWith(line));
      expect(at, `${file}: ${line}`).toBeGreaterThan(-1);
      const indentation = /^ */.exec(lines[at] ?? '')?.[0] ?? '';
      lines.splice(where === 'above' ? at : at + 1, 0, indentation + added);
      await writeFile(join(folder, file), lines.join('\n'));
    }
  });

  const commands = [...section.matchAll(/`(np[mx] [^`]+)`/g)].map(([, command = '']) => command);

  test('has its commands', () => {
    expect(commands).toEqual([
      'npm run migration -- link_note',
      'npm run accept',
      'npx biome check --write',
      'npm run typecheck',
    ]);
  });

  test.each(commands)('%s works', async (command) => {
    await run(command);
  });

  test('leaves nothing to be accepted or formatted, and the tests of fields pass', async () => {
    await run('npm run lint');
    const tests = [
      'program/sqlite-migration',
      'program/schema',
      'program/console-form',
      'program/console-languages',
    ];
    const ofFields = [
      'rest/parity',
      'rest/openapi',
      'schema/links',
      'schema/projections',
      'domain/importing',
    ];
    const files = [...tests, ...ofFields].map((name) => `test/${name}.test.ts`).join(' ');
    await run(`npx vitest run --project program --project sqlite ${files}`);
    const schema = await readFile(join(folder, 'schema.graphql'), 'utf8');
    expect(schema.match(/^ {2}note: String$/gm)).toHaveLength(4);
    expect(await readFile(join(folder, 'docs/rest-v1.md'), 'utf8')).toContain('`note`: A note');
  });
});
