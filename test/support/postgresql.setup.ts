import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { makeTemplate, startPostgres } from './postgres-server.ts';

const TEMPLATE = 'linkspace_test_template';

/** Makes a template of further servers, and migrates one database, which every test file copies; on the server of TEST_DATABASE_URL, or on a new one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const removeTemplate = await makeTemplate();
  const server = given ? { url: given, stop: async () => {} } : await startPostgres();
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${TEMPLATE}`);
  await client.query(`CREATE DATABASE ${TEMPLATE}`);
  await client.end();
  const template = new URL(server.url);
  template.pathname = `/${TEMPLATE}`;
  await applyMigrations(template.href);
  project.provide('database', { provider: 'postgresql', url: server.url, template: TEMPLATE });
  return async () => {
    await server.stop();
    removeTemplate();
  };
}
