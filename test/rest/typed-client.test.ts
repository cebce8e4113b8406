import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

// Takes 5 s of processor time: TypeScript 5 compiles a client of all operations.

const folder = 'test/typed-client';
const build = join(folder, 'build');
const run = promisify(execFile);
/** Runs a program of the client's own packages, in its folder; its output is the message of a failure. */
const runTool = async (path: string, ...args: string[]): Promise<void> => {
  const tool = join('node_modules', path);
  await run(process.execPath, [tool, ...args], { cwd: folder }).catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}${stderr}`);
  });
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.stop();
  await rm(build, { recursive: true, force: true });
});

test('a client that is generated from openapi.json lists, stores, updates, clears and deletes without a cast', async () => {
  await rm(build, { recursive: true, force: true });
  const response = await fetch(`${server.origin}/openapi.json`);
  await runTool(
    'openapi-typescript/bin/cli.js',
    `${server.origin}/openapi.json`,
    '--output',
    'build/v1.d.ts',
  );
  await runTool('typescript/bin/tsc');
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const { key } = await server.caller();
  const program = `
    import { useV1, tell } from './build/client.js';
    const [origin, key] = process.argv.slice(1);
    const told = [
      tell({ type: 'link.updated', timestamp: '2026-11-20T19:24:00.000Z', data: { id: 9 } }),
      tell({ type: 'ping', timestamp: '2026-11-20T19:24:00.000Z', data: { id: 1 } }),
    ];
    console.log(JSON.stringify([...(await useV1(origin, key)), ...told]));`;
  const args = ['--input-type=module', '--eval', program, server.origin, key];
  const { stdout } = await run(process.execPath, args, { cwd: folder });
  expect(JSON.parse(stdout)).toEqual([
    'stored typed in Launch, untitled, true',
    'listed 3 of 3, next null',
    'listed Launch',
    'updated Anew, 2099-12-31 23:59',
    'cleared ,,,,false',
    'renamed Landed',
    'refused The url field must be an absolute http or https URL, such as https://example.com/page.',
    'counted 0',
    'deleted link true',
    ...['link.updated 9', 'ping 1'],
  ]);
});

test('the client is written without casts, and without turning off the compiler', async () => {
  const source = await readFile(join(folder, 'client.ts'), 'utf8');
  const code = source.replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
  expect(code).not.toMatch(/\bas (?!const\b)|\bany\b|<unknown>|![.;)]/);
  expect(source).not.toContain('@ts-');
});
