import { readFileSync } from 'node:fs';
import { escapeLiteral } from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/app/config.ts';
import { STOP_LIMIT } from '../../src/engine/tools/stop-signals.ts';
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
  const values: Record<string, string> = { POSTGRES_PASSWORD: password, PORT: '8080' };
  // The inner ones first: a default may have another variable.
  const fill = (text: string): string => {
    const filled = text.replace(
      /\$\{(\w+):([-?])([^${}]*)\}/g,
      (_, name, kind, rest) => values[name] ?? (kind === '-' ? rest : ''),
    );
    return filled === text ? text : fill(filled);
  };
  const env = Object.fromEntries(
    Object.entries(services.linkspace.environment).map(([name, value]) => [name, fill(String(value))]),
  );
  expect(env).toMatchObject({ HOST: '0.0.0.0', PORT: '3000', BASE_URL: 'http://localhost:8080' });
  await onServer(server.href, `CREATE ROLE linkspace LOGIN PASSWORD ${escapeLiteral(password)}`);
  await onServer(server.href, 'CREATE DATABASE linkspace OWNER linkspace');
  const program = await startProgram({
    ...env,
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: env.DATABASE_URL?.replace('postgres:5432', server.host) ?? '',
  });
  expect((await fetch(`${program.origin}/readyz`)).status).toBe(200);
  await program.end('SIGTERM');
});

test.each(['compose.yaml', 'compose.sqlite.yaml'])(
  '%s publishes the port on the local machine only, gives the service no privileges but all settings and time to stop',
  (file) => {
    const { linkspace } = parse(readFileSync(file, 'utf8')).services;
    expect(linkspace.environment.DRAIN_SECONDS).toMatch(/^\$\{DRAIN_SECONDS:-5\}$/);
    // Also with the longest draining.
    expect(Number.parseInt(linkspace.stop_grace_period, 10)).toBeGreaterThan(20 + STOP_LIMIT / 1000);
    expect(linkspace).toMatchObject({
      ports: [`127.0.0.1:\${PORT:-3000}:${linkspace.environment.PORT}`],
      env_file: [{ path: '.env', required: false }],
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  },
);

test('compose.yaml finds the data of earlier versions', () => {
  const { name, services, volumes } = parse(readFileSync('compose.yaml', 'utf8'));
  // By default, the name is the folder's; the names of the volumes begin with it.
  expect([name, volumes.postgres]).toEqual([undefined, null]);
  expect(services.postgres).toMatchObject({
    image: 'postgres:18',
    environment: { POSTGRES_USER: 'linkspace', POSTGRES_DB: 'linkspace' },
    volumes: ['postgres:/var/lib/postgresql'],
  });
});

test('compose.sqlite.yaml keeps the folder of the database, in a project of its own', () => {
  const { name, services } = parse(readFileSync('compose.sqlite.yaml', 'utf8'));
  expect(name).toBe('linkspace-sqlite');
  expect(Object.keys(services)).toEqual(['linkspace']);
  expect(services.linkspace.environment.DATABASE_URL).toBe(readConfig({}).databaseUrl);
  const [, folder] = /^VOLUME (\S+)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  expect(services.linkspace.volumes).toEqual([`data:${folder}`]);
  expect(folder).toBe('/app/data');
});

test('only its profile starts Caddy, with the Caddyfile of the guide', () => {
  const { caddy, linkspace } = parse(readFileSync('compose.yaml', 'utf8')).services;
  expect(caddy).toMatchObject({ profiles: ['caddy'], environment: { LINKSPACE: 'linkspace:3000' } });
  expect(linkspace).not.toHaveProperty('profiles');
  const [file = '', inside] = caddy.volumes[0].split(':');
  expect(inside).toBe('/etc/caddy/Caddyfile');
  expect(readFileSync(file, 'utf8')).toContain('{$LINKSPACE:127.0.0.1:3000}');
});
