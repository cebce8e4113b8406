import { defineConfig } from 'vitest/config';

// Vite would load another build of graphql than Node does, with incompatible classes.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };
const databases = ['sqlite', 'postgresql'] as const;

const onlyOn = {
  sqlite: ['test/start/{screen,moving}.test.ts'],
  postgresql: ['test/postgresql/**', 'test/start/webhook-kill.test.ts'],
};

export default defineConfig({
  resolve,
  test: {
    // The default, one fewer than the cores, would leave the second of two cores idle.
    isolate: false,
    maxWorkers: '100%',
    // These only end tests that hang: they are many times what the slowest test takes on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**'],
      exclude: ['src/generated/**'],
      reporter: ['text-summary'],
    },
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
