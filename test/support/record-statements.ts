import { appendFileSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, inject } from 'vitest';
import { Database } from '../../src/db/database.ts';

// Records the statements of each test file, for scripts/where-databases-differ.ts. vitest.config.ts loads it in such runs only.

const folder = process.env.RECORD_STATEMENTS ?? '';
const { provider } = inject('database');
const recorded = new Set<string>();
const recording = Symbol.for('linkspace.recordsStatements');
const open = Database.open;

mkdirSync(folder, { recursive: true });

if (!(recording in open))
  Database.open = Object.assign(
    (url: string, options: Parameters<typeof open>[1] = {}) => {
      const { testPath = '' } = expect.getState();
      const file = relative(process.cwd(), testPath);
      return open.call(Database, url, {
        ...options,
        onStatement(sql, seconds) {
          const line = JSON.stringify({ file, provider, test: expect.getState().currentTestName, sql });
          if (!recorded.has(line)) appendFileSync(join(folder, `${process.pid}.jsonl`), `${line}\n`);
          recorded.add(line);
          options.onStatement?.(sql, seconds);
        },
      });
    },
    { [recording]: true },
  );
