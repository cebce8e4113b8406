import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Vite would load another build of graphql than Node does, with incompatible classes.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };

/** Tests that start programs, run npm, or try thousands of inputs. */
const slow = [
  'test/start/**',
  'test/redirect/processes.test.ts',
  'test/program/{contributing,docs-commands,first-start,hostile,lint,production}.test.ts',
];
/** Other tests that run on no database, or on one of their own. */
const program = 'test/program/**';
const browser = 'test/browser/**';
const onPostgresqlOnly = 'test/postgresql/**';

/** Slow tests that do not depend on the database. */
const onSqliteOnly = [
  'test/start/{draining,examples,live-lists,metrics,moving,reconnecting,screen,start}.test.ts',
  'test/rest/{guard,openapi,pages,parts,qr,requests,typed-client}.test.ts',
  'test/schema/{given-values,heavy-reads,json-bodies,limits,passwords,response-names,trusted-documents,variables}.test.ts',
  'test/http/{addresses,connections,gone-clients,headers,paths,revoked-keys}.test.ts',
  'test/domain/{import-closing,import-files,import-sources}.test.ts',
  'test/redirect/operator-lists.test.ts',
];

/** Begins with files that start programs and browsers, which take long: one that begins last would keep a single worker busy. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ project, moduleId }: TestSpecification) =>
      /slow|browser/.test(project.name) || /\/test\/(start|postgresql)\/|\/commands\.test/.test(moduleId);
    return (await super.sort(files)).toSorted((one, other) => Number(isSlow(other)) - Number(isSlow(one)));
  }
}

type Database = 'sqlite' | 'postgresql';

function project(
  name: string,
  database: Database | null,
  include: string[],
  exclude: string[] = [],
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: include.map((files) => files.replace(/\*\*$/, '**/*.test.ts')),
      exclude,
      globalSetup: database === null ? [] : [`test/support/${database}.setup.ts`],
    },
  };
}

export default defineConfig({
  resolve,
  test: {
    isolate: false,
    sequence: { sequencer: SlowFirst },
    // One more than the cores: a third of the time the tests wait, for PostgreSQL, for a process that starts, for a second.
    maxWorkers: availableParallelism() + 1,
    // Only to end tests that hang: many times as long as the slowest test takes on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      // `npm test` runs these,
      project('program', null, [program], slow),
      project('sqlite', 'sqlite', ['test/**'], [program, browser, onPostgresqlOnly, ...slow]),
      // and `npm run test:rest` these.
      project('slow', 'sqlite', slow),
      project('browser', null, [browser]),
      project('postgresql', 'postgresql', ['test/**'], [program, browser, ...onSqliteOnly]),
    ],
  },
});
