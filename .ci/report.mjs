import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const MAX_REPEATED = 5;

/** A report of vitest, or one failure if there is none. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`There is no report of the tests: ${error.message}`);
    return { success: false, numPassedTests: 0, numFailedTests: 1, numFailedTestSuites: 0, testResults: [] };
  }
}

const listFailed = ({ testResults }) =>
  testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative('.', name));

/** The number of failures: a suite that could not be collected, and an error outside of tests, have no failed test. */
const countFailed = ({ success, numFailedTests }) => Math.max(numFailedTests, success ? 0 : 1);

/** Prints the files that failed, for a second run, unless there are so many that the change must be at fault. */
function printFailed(file) {
  const failed = listFailed(readReport(file));
  if (failed.length <= MAX_REPEATED) console.log(failed.join('\n'));
}

/** Prints the sum of the reports and of the second runs, `NAME.json` and `NAME.again.json`; returns the exit code. */
function printSum(status, names) {
  let [passed, failed] = [0, 0];
  for (const name of names) {
    const first = readReport(`${name}.json`);
    const again = existsSync(`${name}.again.json`) ? readReport(`${name}.again.json`) : first;
    passed += first.numPassedTests + Math.max(0, first.numFailedTests - countFailed(again));
    failed += countFailed(again);
    for (const file of listFailed(first))
      if (!listFailed(again).includes(file))
        console.log(`Failed at first, and passed when it ran alone: ${file}`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : status;
}

const [task, ...given] = process.argv.slice(2);
if (task === 'failed') printFailed(given[0]);
else process.exitCode = printSum(Number(given[0]), given.slice(1));
