import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

/** Imports from files, and whether the linter refuses them. */
const imports: readonly (readonly [folder: string, imported: string, isRefused: boolean])[] = [
  ['src/engine/http', '../../domain/link/link.ts', true],
  ['src/engine/http', '../../db/links.ts', true],
  ['src/engine/http', '../../generated/sqlite/client.ts', true],
  ['src/engine/http/request', '../../../domain/link/link.ts', true],
  ['src/engine/db/sqlite', '../../../app/config.ts', true],
  ['src/engine/rest/form', '../../../../test/support/server.ts', true],
  ['src/engine/http', '../rules/errors.ts', false],
  ['src/engine/http/request', '../../rules/errors.ts', false],
  ['src/engine/http/request', './info.ts', false],
  ['src/engine/graphql/cost', 'graphql', false],
  ['src/engine/http', 'graphql', true],
  ['src/engine/http', '../graphql/pipeline.ts', true],
  ['src/engine/http/request', '../../rest/router.ts', true],
  ['packages/client/src', '../../../src/domain/link/link.ts', true],
  ['packages/client/src/generated', '../../../../src/domain/link/link.ts', true],
  ['packages/client/src', '../../../test/support/server.ts', true],
  ['packages/client/src', '../../cli/src/main.ts', true],
  ['packages/client/src', 'node:fs', true],
  ['packages/client/src', 'graphql', true],
  ['packages/cli/src', '../../../src/domain/link/link.ts', true],
  ['packages/cli/src', '../../client/src/index.ts', true],
  ['packages/cli/src/commands', '../../../../src/domain/link/link.ts', true],
  ['packages/cli/src/commands', '../../../client/src/index.ts', true],
  ['packages/cli/src/commands', '../context.ts', false],
  ['packages/client/src', './errors.ts', false],
  ['packages/client/src/generated', '../methods.ts', false],
];

test('the linter refuses what the engine imports of the product, and a package of the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-engine-'));
  const { overrides } = JSON.parse(readFileSync('biome.json', 'utf8'));
  const config = {
    linter: { rules: { recommended: false } },
    overrides: overrides.filter((one: object) => !('plugins' in one)),
  };
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
  for (const [index, [place, imported]] of imports.entries()) {
    mkdirSync(join(folder, place), { recursive: true });
    const text = `import { one } from '${imported}';\n\nexport const two = one;\n`;
    writeFileSync(join(folder, place, `file-${index}.ts`), text);
  }
  const { stdout, stderr } = spawnSync(
    resolve('node_modules/.bin/biome'),
    ['lint', '--max-diagnostics=100', '--colors=off', 'src', 'packages'],
    { cwd: folder, encoding: 'utf8' },
  );
  rmSync(folder, { recursive: true });
  const found = Array.from(
    `${stdout}${stderr}`.matchAll(/file-(\d+)\.ts:1:\d+ lint\/style\/no/g),
    ([, index]) => Number(index),
  );
  const refused = imports.flatMap(([, , isRefused], index) => (isRefused ? [index] : []));
  expect([...new Set(found)].sort((one, other) => one - other)).toEqual(refused);
});

/** The product's nouns, as words in identifiers and literals. */
const NOUN =
  /^(alias|bot|click|domain|link|pixel|redirect|short|space|tag|utm|visit|visitor|webhook)(e?s)?$/i;

/** Nouns that mean something else in the engine, with the reason, and the files that may have them. */
const exceptions: readonly (readonly [words: RegExp, files: RegExp, reason: string])[] = [
  [/^domain$/i, /./, 'DomainError is the error of any rules.'],
  [/^aliase?s?$/i, /^graphql\//, 'Fields of GraphQL have aliases.'],
  [/^visit(or)?$/i, /^graphql\//, "Parsed documents are visited by graphql's own functions."],
  [/^space$/i, /^(rules|http|db)\//, 'Hosts may have a space, and disks have free space.'],
  [/^links?$/i, /^(rest|rules|http)\//, 'Pages and mails have links, and addresses are link-local.'],
  [/^(tag|webhook)s$/i, /^rest\/openapi\//, 'OpenAPI has tags and webhooks.'],
  [/^short$/i, /./, 'Texts, bodies and pauses may be short.'],
  [/^webhook$/i, /^changes\/events\.ts$/, 'The log has a column for the events of a receiver.'],
  [/^pixels?$/i, /^images\//, 'Images have pixels.'],
  [/^redirects$/i, /^outgoing\//, 'Receivers may answer with redirects.'],
];

/** A text without its comments. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^([^'"`\n]*?)\/\/.*$/gm, '$1');
}

/** The product's nouns in a file of the engine, with their lines. */
function nounsIn(file: string): string[] {
  const isExcepted = (word: string) =>
    exceptions.some(([words, files]) => words.test(word) && files.test(file.replaceAll('\\', '/')));
  const code = withoutComments(readFileSync(join('src/engine', file), 'utf8'));
  return code.split('\n').flatMap((line) => {
    const words = line.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
    return words.some((word) => NOUN.test(word) && !isExcepted(word)) ? [`${file}: ${line.trim()}`] : [];
  });
}

test('the engine knows no noun of the product', () => {
  const files = readdirSync('src/engine', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(ts|js)$/.test(name),
  );
  expect(files.length).toBeGreaterThan(80);
  expect(files.flatMap(nounsIn)).toEqual([]);
});

test('each exception is needed, and there are at most ten', () => {
  expect(exceptions.length).toBeLessThanOrEqual(10);
  const code = readdirSync('src/engine', { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|js)$/.test(name))
    .map(
      (name) =>
        [
          name.replaceAll('\\', '/'),
          withoutComments(readFileSync(join('src/engine', name), 'utf8')).match(
            /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g,
          ) ?? [],
        ] as const,
    );
  for (const [words, files, reason] of exceptions)
    expect(
      code.some(([name, found]) => files.test(name) && found.some((word) => words.test(word))),
      reason,
    ).toBe(true);
});
