// npm run test:nodes: runs the whole suite on each supported Node, or on the given ones: npm run test:nodes -- 22 26.
// Further arguments are passed to vitest: npm run test:nodes -- 26 --project program. It works on a copy of the project, in
// which each Node replaces the one that npm ci installs: npm's scripts, the tests and the processes that they start all use
// it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { script } from './command.mjs';
import { nodePackage } from './node-package.mjs';
import { copyProject } from './project-files.mjs';

const SUPPORTED = ['22', '24', '26'];

/** Runs npm in the copy, and shows its output unless the caller captures it. */
function npm(folder, ...words) {
  const options = { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' };
  const { status } = spawnSync('npm', words, options);
  return status;
}

function install(folder, ...words) {
  if (npm(folder, ...words, '--no-audit', '--no-fund') !== 0)
    throw new Error(`npm ${words.join(' ')} failed.`);
}

/** Runs the suite on one Node; returns the lines of its result, and whether all tests passed. */
function testOn(folder, wanted, options) {
  install(folder, 'install', '--no-save', `${nodePackage()}@${wanted}`);
  const version = execFileSync(join(folder, 'node_modules/.bin/node'), ['--version'], { encoding: 'utf8' });
  const report = join(folder, `../report-${wanted}.json`);
  const started = performance.now();
  const status = npm(
    folder,
    'run',
    'test:all',
    '--',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...options,
  );
  const seconds = Math.round((performance.now() - started) / 1000);
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  const failed = testResults.filter((file) => file.status === 'failed');
  const counts = `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`;
  return {
    // A file that could not be loaded has no failed test.
    passed: status === 0 && numPassedTests > 0 && failed.length === 0,
    lines: [
      `Node ${version.trim().slice(1)}: ${counts}, ${seconds} s`,
      ...failed.map(({ name }) => `  failed: ${name.slice(folder.length + 1)}`),
    ],
  };
}

await script(async () => {
  const words = process.argv.slice(2);
  const first = words.findIndex((word) => !/^[\d.]+$/.test(word));
  const versions = words.slice(0, first === -1 ? undefined : first);
  const options = first === -1 ? [] : words.slice(first);
  const temporary = mkdtempSync(join(tmpdir(), 'linkspace-nodes-'));
  try {
    const folder = join(temporary, 'linkspace');
    copyProject(folder);
    install(folder, 'ci');
    const results = (versions.length > 0 ? versions : SUPPORTED).map((version) =>
      testOn(folder, version, options),
    );
    for (const { lines } of results) console.log(lines.join('\n'));
    if (results.some(({ passed }) => !passed)) process.exitCode = 1;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
});
