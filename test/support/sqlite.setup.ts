import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { makeDataFolder } from './data-folder.ts';

/** Migrates one file, which every test file copies. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = makeDataFolder('linkspace-test-');
  const template = join(folder, 'template.db');
  await applyMigrations(`file:${template}`);
  project.provide('database', { provider: 'sqlite', folder, template });
  return () => rmSync(folder, { recursive: true, force: true });
}
