import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect } from 'vitest';
import { createApp } from '../../src/app.ts';
import { type Database, openDatabase } from '../../src/db/client.ts';
import type { Scope } from '../../src/domain/actor.ts';
import { createKey } from '../../src/domain/api-key.ts';
import { shareDefaultDomain } from '../../src/domain/domain.ts';
import { countryLookup } from '../../src/http/country.ts';
import { newDatabase } from './database.ts';

export const NOON = new Date('2026-11-20T12:00:00.000Z');

export interface RestAnswer {
  status: number;
  body: unknown;
  headers: Headers;
}

export interface GraphQLAnswer {
  status: number;
  /** Shaped by the query; a test asserts it whole, or says which shape it asked for. */
  data: unknown;
  errors: { message: string; path?: string[]; extensions: Record<string, unknown> }[] | undefined;
  headers: Headers;
}

/** A link as v1 shows it: what the tests look into. */
export interface RestLink extends Record<string, unknown> {
  id: number;
  alias: string;
  title: string | null;
}

type FormInput = Record<string, string | number> | [string, string][] | string;

/** What a caller sees of the server with one key. */
export class Caller {
  readonly #origin: string;
  readonly key: string;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.key = key;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#origin}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${this.key}`, ...init.headers },
    });
  }

  /** Calls v1 with a form, as its clients do; `path` is below /api/v1. */
  async rest(method: string, path: string, form?: FormInput): Promise<RestAnswer> {
    const fields = typeof form === 'object' && !Array.isArray(form) ? Object.entries(form) : form;
    const body = form === undefined ? undefined : new URLSearchParams(fields as string | [string, string][]);
    const response = await this.fetch(`/api/v1${path}`, { method, body });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? null : JSON.parse(text),
      headers: response.headers,
    };
  }

  /** Runs a GraphQL operation. */
  async graphql(query: string, variables: object = {}): Promise<GraphQLAnswer> {
    const response = await this.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as GraphQLAnswer;
    return { status: response.status, data, errors, headers: response.headers };
  }

  /** The data of an operation that must not fail; a failure shows the query, the answer and the request's id. */
  async data<Data = unknown>(query: string, variables: object = {}): Promise<Data> {
    const answer = await this.graphql(query, variables);
    const id = answer.headers.get('X-Request-Id');
    expect(answer.errors, `${query}\n${JSON.stringify(answer)}\nrequest ${id}`).toBeUndefined();
    return answer.data as Data; // The caller says what its query asks for.
  }

  /** Makes a link over v1 and returns it as v1 shows it. */
  async link(form: Record<string, string | number> = {}): Promise<RestLink> {
    const { status, body } = await this.rest('POST', '/links', { url: 'https://example.com/', ...form });
    expect(status, JSON.stringify(body)).toBe(201);
    return (body as { data: RestLink }).data;
  }

  /** Adds a domain and returns its id. */
  async domain(name: string): Promise<number> {
    const { createDomain } = await this.data<{ createDomain: { id: string } }>(
      'mutation ($name: String!) { createDomain(input: { name: $name }) { ... on Domain { id } } }',
      { name },
    );
    return Number(createDomain.id);
  }

  /** Adds a pixel and returns its id. */
  async pixel(name = 'Ads'): Promise<number> {
    const { createPixel } = await this.data<{ createPixel: { id: string } }>(
      `mutation ($name: String!) {
        createPixel(input: { name: $name, type: GOOGLE_ADS, value: "AW-1" }) { ... on Pixel { id } }
      }`,
      { name },
    );
    return Number(createPixel.id);
  }

  /** Makes a space over v1 and returns its id. */
  async space(name: string, fields: Record<string, string | number> = {}): Promise<number> {
    const { status, body } = await this.rest('POST', '/spaces', { name, ...fields });
    expect(status, JSON.stringify(body)).toBe(201);
    return (body as { data: { id: number } }).data.id;
  }
}

/** A complete server on a database of its own (or the given one), with a clock that stands still until it is set. */
export async function startTestServer({
  url = '',
  replicas = [] as Database[],
  migrated = true,
  graphiql = true,
  rateLimit = 0,
  corsOrigins = [] as string[],
  maxInFlight = 1_000,
  background = false,
  random = (below: number) => randomInt(below),
} = {}) {
  const databaseUrl = url || (await newDatabase());
  const statements: string[] = [];
  const database = await openDatabase(databaseUrl, { onStatement: (sql) => statements.push(sql) });
  const clock = { now: NOON };
  const log: Record<string, unknown>[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      log.push(JSON.parse(String(line)));
      done();
    },
  });
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const app = createApp({
    database,
    replicas,
    baseUrl: 'https://s.example',
    defaultDomainId: migrated ? await shareDefaultDomain(database.client, 's.example', NOON) : 0,
    trustProxy: 'loopback',
    graphiql,
    rateLimit,
    corsOrigins,
    maxInFlight,
    log: pino({ level: 'info' }, sink),
    now: () => clock.now,
    random,
    countryOf: await countryLookup('X-Country'),
  });
  http.on('request', app.listener);
  if (background) app.start();

  return {
    origin,
    databaseUrl,
    database,
    clock,
    log,
    /** A caller with a new key of the named account. */
    async caller(account = 'owner', scopes: Scope[] = ['read', 'write'], expiresAt: Date | null = null) {
      const { key } = await createKey(database.client, { account, scopes, expiresAt }, clock.now);
      return new Caller(origin, key);
    },
    /** Writes the clicks that are counted and not yet written. */
    flush: () => app.flush(),
    callerWith: (key: string) => new Caller(origin, key),
    /** The SQL statements that `work` cost, without the look at the keys' revision that comes with time alone. */
    async statementsOf(work: () => Promise<unknown>): Promise<string[]> {
      const before = statements.length;
      await work();
      return statements.slice(before).filter((sql) => !sql.includes('Revision'));
    },
    async stop() {
      http.closeAllConnections();
      http.close();
      await app.stop();
      await database.close();
    },
  };
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;
