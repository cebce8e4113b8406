import { readFileSync } from 'node:fs';
import { escapeLiteral } from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { onServer } from '../support/database.ts';
import { startProgram } from '../support/process.ts';

const given = inject('database');
if (given.provider !== 'postgresql') throw new Error('compose.yaml is for PostgreSQL');
const server = new URL(given.url);
const password = `p@ss:w/o?r#d%20'$`;

afterAll(async () => {
  await onServer(server.href, 'DROP DATABASE IF EXISTS linkspace WITH (FORCE)');
  await onServer(server.href, 'DROP ROLE IF EXISTS linkspace');
});

test('compose.yaml starts with its variables, whatever characters the password has', async () => {
  const { services } = parse(readFileSync('compose.yaml', 'utf8'));
  const values: Record<string, string> = { POSTGRES_PASSWORD: password };
  const fill = (text: string) =>
    text.replace(
      /\$\{(\w+):([-?])([^}]*)\}/g,
      (_, name, kind, rest) => values[name] ?? (kind === '-' ? rest : ''),
    );
  const env = Object.fromEntries(
    Object.entries<string>(services.linkspace.environment).map(([name, value]) => [name, fill(value)]),
  );
  await onServer(server.href, `CREATE ROLE linkspace LOGIN PASSWORD ${escapeLiteral(password)}`);
  await onServer(server.href, 'CREATE DATABASE linkspace OWNER linkspace');
  const program = await startProgram({
    ...env,
    DATABASE_URL: env.DATABASE_URL?.replace('postgres:5432', server.host) ?? '',
  });
  expect((await fetch(`${program.origin}/readyz`)).status).toBe(200);
  await program.end('SIGTERM');
});

test('compose.yaml publishes the port on the local machine only, and gives the service no privileges', () => {
  const { linkspace } = parse(readFileSync('compose.yaml', 'utf8')).services;
  expect(linkspace).toMatchObject({
    ports: [expect.stringMatching(/^127\.0\.0\.1:/)],
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
});
