import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** A program that starts services, and waits or ends as it is told. */
const PROGRAM = `
import { startLinkspace } from ${JSON.stringify(resolve('src/testing/linkspace.ts'))};
const [one, other] = await Promise.all([startLinkspace(), startLinkspace()]);
await other.close();
console.log('started');
if (process.argv[2] === 'wait') await new Promise(() => setInterval(() => {}, 1000));
if (process.argv[2] === 'close') await one.close();
else process.exit(0);
`;

test('a process leaves no file, and the next one deletes those of one that was killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-kit-'));
  const program = join(folder, 'program.mts');
  const files = mkdtempSync(join(folder, 'files-'));
  writeFileSync(program, PROGRAM);
  const running: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (mode: string) => {
    const args = ['--import', resolve('node_modules/tsx/dist/loader.mjs'), program, mode];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, TMPDIR: files },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push(child);
    return child;
  };
  const left = () => readdirSync(files).filter((name) => name.startsWith('linkspace-testing-'));
  const killed = run('wait');
  await once(killed.stdout, 'data');
  expect(left()).toHaveLength(1);
  // One that runs keeps its files.
  expect(await once(run('exit'), 'exit')).toEqual([0, null]);
  expect(left()).toHaveLength(1);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect(left()).toHaveLength(1);
  expect(await once(run('close'), 'exit')).toEqual([0, null]);
  expect(left()).toEqual([]);
});
