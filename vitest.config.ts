import { defineConfig } from 'vitest/config';

// Vite would take graphql's other build than Node does, and the two know nothing of each other's classes.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };
const databases = ['sqlite', 'postgresql'] as const;

export default defineConfig({
  resolve,
  test: {
    // One fewer than the cores, the default, leaves the second of two idle.
    isolate: false,
    maxWorkers: '100%',
    // None of these measures anything: they end what hangs, and leave slow and busy machines their time.
    testTimeout: 180_000,
    hookTimeout: 180_000,
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
          // What is in test/postgresql concerns a server's own ways, which SQLite has not.
          exclude: ['test/{program,browser}/**', ...(name === 'sqlite' ? ['test/postgresql/**'] : [])],
          globalSetup: [`test/support/${name}.setup.ts`],
        },
      })),
    ],
  },
});
