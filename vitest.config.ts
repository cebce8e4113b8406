import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Vite would load another build of graphql than Node does, with incompatible classes.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };
const databases = ['sqlite', 'postgresql'] as const;

const onlyOn = {
  sqlite: [
    'test/start/{draining,examples,live-lists,metrics,moving,reconnecting,screen,start}.test.ts',
    'test/rest/{guard,openapi,pages,parts,qr,requests,typed-client}.test.ts',
    'test/schema/{given-values,heavy-reads,json-bodies,limits,passwords,response-names,trusted-documents,variables}.test.ts',
    'test/http/{addresses,connections,gone-clients,headers,paths,revoked-keys}.test.ts',
    'test/domain/{import-closing,import-files}.test.ts',
    'test/domain/import-sources.test.ts',
    'test/redirect/operator-lists.test.ts',
  ],
  postgresql: ['test/postgresql/**', 'test/start/webhook-kill.test.ts'],
};

/** Begins with files that start programs and browsers, which take long: one that begins last would keep a single worker busy. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) =>
      /\/test\/(browser|start|postgresql)\/|\/(docs-)?commands\.test/.test(moduleId);
    return (await super.sort(files)).toSorted((one, other) => Number(isSlow(other)) - Number(isSlow(one)));
  }
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
      { extends: true, test: { name: 'program', include: ['test/{program,browser}/**/*.test.ts'] } },
      ...databases.map((name) => ({
        extends: true as const,
        test: {
          name,
          include: ['test/**/*.test.ts'],
          // test/postgresql has tests of PostgreSQL's own features. Slow tests that do not depend on the database run on one of
          // them only.
          exclude: ['test/{program,browser}/**', ...onlyOn[name === 'sqlite' ? 'postgresql' : 'sqlite']],
          globalSetup: [`test/support/${name}.setup.ts`],
        },
      })),
    ],
  },
});
