import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-reports-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A report of vitest, of as many passed tests and a failed one in each of the files. */
function report(passed: number, ...failed: string[]): object {
  const testResults = failed.map((file) => ({ name: join(process.cwd(), file), status: 'failed' }));
  return {
    success: failed.length === 0,
    numPassedTests: passed,
    numFailedTests: failed.length,
    testResults,
  };
}

/** An error outside of the tests. */
const brokenReport = { success: false, numPassedTests: 9, numFailedTests: 0, testResults: [] };

function run(...args: readonly string[]): { lines: string[]; status: number | null } {
  const { stdout, status } = spawnSync(process.execPath, ['.ci/report.mjs', ...args], { encoding: 'utf8' });
  return { lines: stdout.trim().split('\n'), status };
}

const mended = 'Failed at first, and passed when it ran alone: test/a.test.ts';

test.each<[string, readonly (object | null)[], readonly (object | null)[], string[], number]>([
  ['all passed', [report(10)], [report(5)], ['15 passed, 0 failed'], 0],
  ['one failed', [report(10, 'test/a.test.ts')], [report(5)], ['15 passed, 1 failed'], 1],
  [
    'one passed alone',
    [report(10, 'test/a.test.ts'), report(4)],
    [report(5)],
    [mended, '16 passed, 0 failed'],
    0,
  ],
  [
    'one of two passed alone',
    [report(10, 'test/a.test.ts', 'test/b.test.ts'), report(1, 'test/b.test.ts')],
    [report(5)],
    [mended, '16 passed, 1 failed'],
    1,
  ],
  ['an error outside of the tests', [brokenReport], [report(5)], ['14 passed, 1 failed'], 1],
  ['no report', [null], [report(5)], ['5 passed, 1 failed'], 1],
  ['no test', [report(0)], [report(0)], ['0 passed, 0 failed'], 1],
])('the sum: %s', (_, one, two, lines, status) => {
  const folder = makeFolder();
  const names = [one, two].map((reports, i) => {
    for (const [j, content] of reports.entries())
      if (content)
        writeFileSync(join(folder, `${i}${j === 0 ? '' : '.again'}.json`), JSON.stringify(content));
    return join(folder, String(i));
  });
  expect(run('sum', '0', ...names)).toEqual({ lines, status });
});

test('a linter that failed fails the run', () => {
  const name = join(makeFolder(), 'test');
  writeFileSync(`${name}.json`, JSON.stringify(report(10)));
  expect(run('sum', '2', name)).toEqual({ lines: ['10 passed, 0 failed'], status: 2 });
});

test('a few files that failed are run again, many are not', () => {
  const file = join(makeFolder(), 'test.json');
  const failed = ['test/a.test.ts', 'test/b.test.ts'];
  writeFileSync(file, JSON.stringify(report(10, ...failed)));
  expect(run('failed', file).lines).toEqual(failed);
  writeFileSync(
    file,
    JSON.stringify(report(10, ...Array.from({ length: 6 }, (_, i) => `test/${i}.test.ts`))),
  );
  expect(run('failed', file).lines).toEqual(['']);
});
