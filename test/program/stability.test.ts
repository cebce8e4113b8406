import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { Context } from '../../packages/cli/src/context.ts';
import { createProgram } from '../../packages/cli/src/main.ts';
import { commandsIn } from '../../scripts/build.mjs';
import { secrets, variables } from '../../src/app/config.ts';
import { codeSpansOf } from '../support/markdown.ts';

/** The names that 1.x keeps. A new name is added here with the change that brings it; none is removed before 2.0. */
const promised: Record<string, string[]> = JSON.parse(readFileSync('test/program/promised.json', 'utf8'));

/** The metrics in the guide, which are those of the program: test/program/metrics.test.ts. */
function metricsInGuide(): string[] {
  const [, table = ''] = /\n## Metrics\n(.*?)\n### /s.exec(readFileSync('docs/operations.md', 'utf8')) ?? [];
  return [...table.matchAll(/^\| `(linkspace_\w+)` *\| *(.*?) *\|/gm)].map(([, name, labels = '']) =>
    [name, ...[...labels.matchAll(/\w+/g)].map(([label]) => label)].join(' '),
  );
}

/** The client's methods: the operations of its documents. */
function clientMethods(): string[] {
  const folder = 'packages/client/src/documents';
  return readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .flatMap((name) => parse(readFileSync(join(folder, name), 'utf8')).definitions)
    .flatMap((definition) =>
      definition.kind === 'OperationDefinition' ? [definition.name?.value ?? ''] : [],
    )
    .map((name) => `${name[0]?.toLowerCase()}${name.slice(1)}`);
}

/** The commands of lsp with their options. */
function commandsOfLsp(): string[] {
  const io = {
    input: Readable.from([]),
    isTerminal: { input: false, output: false, errors: false },
    write: async () => {},
    complain: () => {},
    ask: async () => '',
    openUrl: async () => {},
    signal: new AbortController().signal,
  };
  const found: string[] = [];
  const visit = (command: Command, path: string) => {
    for (const one of command.commands) visit(one, `${path} ${one.name()}`);
    found.push(path, ...command.options.map(({ long }) => `${path} ${long}`));
  };
  visit(createProgram(new Context({}, io)), 'lsp');
  return found;
}

const present: Record<string, () => string[]> = {
  settings: () => [...variables, ...secrets.map((name) => `${name}_FILE`)],
  commands: () => Object.keys(commandsIn(JSON.parse(readFileSync('package.json', 'utf8')))),
  metrics: metricsInGuide,
  methods: clientMethods,
  lsp: commandsOfLsp,
};

test.each(Object.keys(present))('keeps what is promised: %s', (kind) => {
  const names = new Set(present[kind]?.());
  const kept = promised[kind] ?? [];
  expect(kept.filter((name) => !names.has(name))).toEqual([]);
  // A name that is in no release yet is promised from its first one on: add it to promised.json.
  expect([...names].filter((name) => !kept.includes(name))).toEqual([]);
  expect(kept.length).toBeGreaterThan(10);
});

test('the tests that the guide names exist', () => {
  const named = codeSpansOf('docs/stability.md').filter((code) => code.startsWith('test/'));
  expect(named.length).toBeGreaterThan(8);
  const there = new Set(readdirSync('test', { recursive: true }).map((path) => join('test', String(path))));
  expect(named.filter((path) => !there.has(path))).toEqual([]);
});

test('the guide names the Node versions that the packages and the tests have', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  const guide = readFileSync('docs/stability.md', 'utf8');
  const [oldest = ''] = /\d+\.\d+/.exec(engines.node) ?? [];
  expect(guide).toContain(`Node ${oldest} or later`);
  const tested = /on Node (\d+), (\d+) and (\d+)/.exec(guide)?.slice(1).join();
  const nodes = /const SUPPORTED = .*/.exec(readFileSync('scripts/test-nodes.mjs', 'utf8'))?.[0];
  expect((nodes?.match(/\d+/g) ?? []).join()).toBe(tested);
});
