import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Vite would load another build of graphql than Node does, with incompatible classes.
const resolve = {
  alias: [
    { find: /^graphql$/, replacement: 'graphql/index.js' },
    // What the command line imports as a package.
    { find: /^@linkspace\/client$/, replacement: join(import.meta.dirname, 'packages/client/src/index.ts') },
  ],
};

/** Tests that start programs, run npm, write thousands of rows, or try thousands of inputs. */
const slow = [
  'test/start/**',
  'test/auth/{ended-callers,hostile}.test.ts',
  'test/db/older-sqlite.test.ts',
  'test/engine/images/largest.test.ts',
  'test/redirect/processes.test.ts',
  'test/rest/{mcp-client,mcp-conformance,typed-client}.test.ts',
  'test/schema/{rows-written,selections,slices}.test.ts',
  'test/program/{console-build,contributing,docs-commands,env-file,first-start,hostile,lint,nginx,production,release,rule-analysis-long,splits,sqlite-migration,webhook-examples}.test.ts',
];
/** Other tests that run on no database, or on one of their own. */
const program = 'test/program/**';
const browser = 'test/browser/**';
const onPostgresqlOnly = 'test/postgresql/**';

/**
 * Tests that also run on PostgreSQL. A file may stay out if no statement differs there but those that other files run, which
 * `npm run differences` records and compares, and if it does not test what happens at the same time. With `PG=all`, everything
 * runs there.
 */
const alsoOnPostgresql = [
  'test/app/{demo,operator-metrics,tls-ask,users-command}.test.ts',
  'test/auth/{access-locks,address-undo,begun-by-sessions,console-host,default-privacy,disabled-accounts,download,ended-callers,erasure,full-tables,hostile,intruders,kinds,members,openid,openid-answers,passkeys,recent-sign-in,refused-mails,roles,sign-in,sign-in-log,webhook-makers}.test.ts',
  'test/clicks/**',
  'test/db/{migrations,older-sqlite,totals}.test.ts',
  'test/engine/db/{failed-commit,full-log,lost-file,private,retention-clock,transactions}.test.ts',
  'test/engine/{lists/long-reads,toy}.test.ts',
  'test/domain/{authentication,click-watch,importing,long-log,side-effects,webhook-deliveries,webhook-dispatch,webhook-housekeeping,webhook-queues,webhook-waiting}.test.ts',
  'test/engine/changes/subscriptions.test.ts',
  'test/engine/http/{idempotency,options,places,ready}.test.ts',
  'test/redirect/{aliases,brand,large-counts,link-start,memory,previews,processes,root,rules,statistics,statistics-page,visits}.test.ts',
  'test/rest/{concurrency,fuzz,legacy,link-list,links,mcp,parity,rate-limit,round-trip,space-list,spaces,statistics}.test.ts',
  'test/schema/{account-limits,audits,bidirectional,brand,catching-up,change-filter,change-record,change-values,changes,check-links,clicks-subscription,connection,covered,deleted-statistics,domain-verification,domains,duplicate-link,explain,external-ids,forget-changes,graphiql,guides,history-gone,http,import-links,known-operations,link-connection,link-fields,link-orders,link-rules,links,lost-updates,mutation-time,nodes,persisted-queries,pixels,previews,projections,reuse,revert-changes,rows-written,rules,saved-operations,saved-views,search,search-anywhere,selections,slices,spaces,statements,statistics,subscription-limits,subscriptions,tags,top-links,utm-templates,value-series,webhooks}.test.ts',
  'test/engine/changes/change-log.test.ts',
  'test/start/{full-disk,keyed-writes,kill,operator,secrets,tracing}.test.ts',
];
const onAll = process.env.PG === 'all' ? ['test/**'] : [];

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
  const records = database !== null && process.env.RECORD_STATEMENTS !== undefined;
  return {
    extends: true,
    test: {
      name,
      include: include.map((files) => files.replace(/\*\*$/, '**/*.test.ts')),
      exclude,
      globalSetup: database === null ? [] : [`test/support/${database}.setup.ts`],
      setupFiles: records ? ['test/support/record-statements.ts'] : [],
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
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // As long as transactions of other tests may keep changes out of the log, and far longer than a poll takes.
    expect: { poll: { timeout: 180_000 } },
    projects: [
      // `npm test` runs these,
      project('program', null, [program, 'examples/testing/**'], slow),
      project('sqlite', 'sqlite', ['test/**'], [program, browser, onPostgresqlOnly, ...slow]),
      // and `npm run test:rest` these.
      project('slow', 'sqlite', slow),
      project('browser', null, [browser]),
      project(
        'postgresql',
        'postgresql',
        [onPostgresqlOnly, ...alsoOnPostgresql, ...onAll],
        [program, browser],
      ),
    ],
  },
});
