import { hash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { LRUCache } from 'lru-cache';
import type { Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import type { Connection, PoolOptions, RawRead } from '../driver.ts';
import { isForbidden, isStale, isUnavailable, isUntrusted } from '../errors.ts';
import { changeStatements, type Failure, getConnection } from '../private.ts';
import { PLANNED_EACH_TIME } from '../sql.ts';
import { driverUrl, namedSchema } from '../url.ts';
import { clientWith, limitTransactions, makeSettings } from './client.ts';
import { shareFairly } from './fair-pool.ts';
import { GrantedConnections, type GrantOptions } from './granted-connections.ts';
import { Pipeline } from './pipeline.ts';
import { DEFAULT_SCHEMA, qualified, quoted } from './schema.ts';
import { inspectUrl, requireSchema, requireSettings, type Session } from './session.ts';

/** Milliseconds for which a request waits for a free connection, or for a new one to open. */
const CONNECTION_TIMEOUT = 5_000;
/** Milliseconds that the client waits beyond the server's limit of a statement, and in all without a limit. */
const CANCEL_GRACE = 1_000;
const UNLIMITED_TIMEOUT = 30_000;

/** The options of `pg`'s pool. A server that hangs cancels nothing, so the client has limits of its own. */
function poolConfig({ poolSize, statementTimeout }: PoolOptions, pooled: boolean) {
  const timeout = statementTimeout > 0 ? statementTimeout + CANCEL_GRACE : UNLIMITED_TIMEOUT;
  return {
    max: poolSize,
    keepAlive: true,
    pipeline: !pooled,
    connectionTimeoutMillis: Math.min(CONNECTION_TIMEOUT, timeout),
    query_timeout: timeout,
    // Poolers refuse it.
    ...(statementTimeout > 0 && !pooled && { statement_timeout: statementTimeout }),
  };
}

/** The maximum number of named statements: each connection keeps all of them prepared. */
const MAX_NAMED = 200;
/** Number of executions from which a statement gets a name. */
const NAMED_FROM = 5;
/** Maximum number of other statements that are counted. */
const MAX_COUNTED = 1_000;

type NameOf = (query: { readonly sql: string }) => string;

/** Names frequent statements, so that PostgreSQL keeps them parsed and planned; the others get the name ''. */
export function namesOfStatements(): NameOf {
  const names = new Map<string, string>();
  const sent = new LRUCache<string, number>({ max: MAX_COUNTED });
  return ({ sql }) => {
    if (sql.startsWith(PLANNED_EACH_TIME)) return '';
    const known = names.get(sql);
    if (known !== undefined || names.size === MAX_NAMED) return known ?? '';
    const times = (sent.get(sql) ?? 0) + 1;
    sent.set(sql, times);
    if (times < NAMED_FROM) return '';
    // Behind a pooler, processes share connections: a name must stand for the same statement in all of them.
    const name = `statement_${hash('sha256', sql).slice(0, 16)}`;
    names.set(sql, name);
    sent.delete(sql);
    return name;
  };
}

/** A value as Prisma writes it to PostgreSQL; `pg` itself would write a time in the zone of this machine. */
function written(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

/** The id of PostgreSQL's type of times. */
const TIMESTAMP = 1114;

/** Parsers of values, by the ids of PostgreSQL's types: boolean, whole numbers, numeric. Others stay texts. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: Number,
  21: Number,
  23: Number,
  26: Number,
  1700: Number,
};
const asText = (text: string) => text;
const types = { getTypeParser: (id: number) => parsers[id] ?? asText };

/** Reads by `pg` itself: Prisma's adapter formats each statement for a debug log, and describes each column. */
function reader(
  nameStatement: NameOf,
  send: (query: QueryArrayConfig) => Promise<QueryArrayResult>,
): RawRead {
  return async (text, args) => {
    const name = nameStatement({ sql: text });
    const query = { name, text, values: args.map(written), rowMode: 'array' as const, types };
    const { fields, rows } = await send(query);
    return {
      names: fields.map(({ name: column }) => column),
      kinds: fields.map(({ dataTypeID }) => (dataTypeID === TIMESTAMP ? 'time' : undefined)),
      rows,
    };
  };
}

/** Has the pool close the connection after the transaction, which the adapter would return as if nothing had happened. */
function closeAfter(client: PoolClient, error: Error): void {
  const { release } = client;
  client.release = () => release.call(client, error);
}

/** A new table has only new pages, which need space on the disk of the database's tables; existing tables may have free pages. */
const WRITE_NEW_TABLE = `DO $$ BEGIN
  PERFORM set_config('temp_tablespaces', '', true);
  CREATE TEMPORARY TABLE "trial_rows" ("number" integer) ON COMMIT DROP;
  INSERT INTO "trial_rows" SELECT * FROM generate_series(1, 2048);
END $$`;

/** Returns what the server says of a connection; null if nothing answers. @throws if the server refuses the user or the database */
function sessionAt(url: string, mayBeAway: boolean): Promise<Session | null> {
  return inspectUrl(url).catch((error: unknown) =>
    mayBeAway && isUnavailable(error) && !isUntrusted(error) ? null : Promise.reject(error),
  );
}

/** The maximum number of statements that are remembered with their schema. */
const MAX_QUALIFIED = 1_000;

/** Has all connections name the schema of tables in their statements: a pooler does not let them set it. */
function nameSchema(pool: Pool, schema: string): void {
  const known = new LRUCache<string, string>({ max: MAX_QUALIFIED });
  const of = (statement: string) => {
    const text = known.get(statement) ?? qualified(statement, schema);
    known.set(statement, text);
    return text;
  };
  pool.on('connect', (client) => changeStatements(client, of));
}

/**
 * @param directUrl the server itself, if `url` is a pooler's
 * @param mayBeAway true if it need not answer now
 */
export async function connectPostgresql(
  url: string,
  options: PoolOptions | undefined,
  directUrl: string | undefined,
  { mayBeAway = false, ...grantOptions }: { readonly mayBeAway?: boolean } & GrantOptions = {},
): Promise<Connection> {
  const session = await sessionAt(url, mayBeAway);
  // While nothing answers, there may be a pooler.
  const pooled = directUrl !== undefined || (session?.pooled ?? true);
  if (session !== null) requireSettings({ ...session, pooled });
  const schema = session === null ? (namedSchema(url) ?? DEFAULT_SCHEMA) : requireSchema(session);
  const granted = new GrantedConnections(grantOptions);
  const config = {
    ...(options && poolConfig(options, pooled)),
    connectionString: driverUrl(url),
    Client: granted.clientOf(await clientWith(makeSettings(pooled, schema))),
  };
  // A pooler may give each transaction another connection, which does not have the named statements.
  const nameStatement = options && !pooled ? namesOfStatements() : () => '';
  // Prisma puts it between quotation marks as it is.
  const named = { schema: quoted(schema).slice(1, -1), statementNameGenerator: nameStatement };
  const adapter = await new PrismaPg(config, named).connect();
  const pool = adapter.underlyingDriver();
  if (pooled) pool.on('connect', limitTransactions);
  let resize = (_size: number) => {};
  granted.watch(pool, (size) => resize(size));
  if (options) resize = shareFairly(pool);
  if (pooled && !session?.findsTables) nameSchema(pool, schema);
  const pipeline = new Pipeline(pool);
  /** A statement that is stale on one of the pool's connections is sent once more, without a name. */
  const readBy = (send: (query: QueryArrayConfig) => Promise<QueryArrayResult>) =>
    reader(nameStatement, (query) =>
      send(query).catch((error: Failure) => {
        if (query.name === '' || !isStale(error)) throw error;
        return pool.query({ ...query, name: '' });
      }),
    );
  return {
    pooled,
    schema,
    encoding: session?.encoding,
    adapter,
    read: readBy((query) => pipeline.query(query)),
    readAlone: readBy((query) => pool.query(query)),
    readIn(transaction) {
      const { client, onError } = getConnection(transaction, (error) => {
        // An error without a code is the driver's own: what it knows of the connection may be wrong, too.
        if (isStale(error) || error.code === undefined) closeAfter(client, error);
      });
      return reader(nameStatement, (query) => client.query(query).catch(onError));
    },
    async tryDisk() {
      await pool.query(WRITE_NEW_TABLE).catch((error: unknown) => {
        if (!isForbidden(error)) throw error;
      });
    },
  };
}
