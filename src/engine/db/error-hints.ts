import { resolve } from 'node:path';
import { oneLine } from '../tools/one-line.ts';
import { OperatorError } from '../tools/operator-error.ts';
import { withoutSecrets } from '../tools/secrets.ts';
import { type ErrorDetails, isDiskFull, isRefusedConnect, listCauses } from './errors.ts';
import { PoolerBetween } from './postgresql/client.ts';
import { ForbiddenSchema, WrongEncoding, WrongSchema, WrongSetting } from './postgresql/session.ts';
import { hintForTls } from './postgresql/tls-hints.ts';
import { parseFilePath } from './sqlite/file.ts';

/** A part of a URL; masked if a wrong slash may have put a password into it. */
function shown(part: string): string {
  return /[@:]/.test(part) ? '***' : part;
}

/** The parts of a PostgreSQL URL that may be shown. */
function describeAddress(url: string) {
  const { hostname, port, pathname, username } = new URL(url);
  const role = shown(decodeURIComponent(username));
  return {
    server: `${hostname || 'localhost'}:${port || 5432}`,
    database: shown(decodeURIComponent(pathname.slice(1))) || role,
    role,
  };
}

type Address = ReturnType<typeof describeAddress>;

/** Advice by the error names of the adapters and PostgreSQL. */
const hints: readonly [RegExp, (address: Address, variable: string) => string][] = [
  [
    /DatabaseNotReachable|SocketTimeout|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT/,
    ({ server }, variable) =>
      `No PostgreSQL server answers at ${server}, which ${variable} names. Is it running, does it listen there, ` +
      `and may this machine reach it?`,
  ],
  [
    /password must be a/,
    ({ server, role }, variable) =>
      `The PostgreSQL server at ${server} requires a password for the user "${role}", and ${variable} has none.`,
  ],
  [
    /AuthenticationFailed|28P01|28000/,
    ({ server, role }, variable) =>
      `The PostgreSQL server at ${server} refuses the user "${role}" with the password that ${variable} ` +
      `has. Special characters of a password must be percent-encoded in a URL.`,
  ],
  [
    /DatabaseDoesNotExist|3D000/,
    ({ server, database }, variable) =>
      `The PostgreSQL server at ${server} has no database "${database}", which ${variable} names. Make it: CREATE DATABASE "${database}"`,
  ],
  [
    /Connection terminated unexpectedly/,
    ({ server }, variable) =>
      `${server}, which ${variable} names, does not answer like a PostgreSQL server, or ended the connection. Is it the right port?`,
  ],
  [
    /25006/,
    ({ server, database }, variable) =>
      `The database "${database}" at ${server}, which ${variable} names, is read-only: it is a standby, or ` +
      `its setting default_transaction_read_only is on, as some providers set it when the disk is full.`,
  ],
];

/** Tells the operator that others have all connections; null for another error. */
function hintForConnections(error: unknown, { server, role }: Address, variable: string): string | null {
  if (!isRefusedConnect(error)) return null;
  return `The PostgreSQL server at ${server}, which ${variable} names, grants the user "${role}" no further connection: ${oneLine(error)}.`;
}

/** Tells the operator to set what a connection cannot set itself. */
function hintForSetting({ session, setting, needed }: WrongSetting, variable: string): string {
  const { role, database, settings, pooled } = session;
  const where = pooled ? `behind the connection pooler of ${variable}` : `of the database of ${variable}`;
  const then = pooled ? ', and have the pooler open new connections' : '';
  return (
    `PostgreSQL's setting ${setting} ${where} is "${settings[setting]}", with which data would go wrong: run ` +
    `ALTER ROLE "${role}" IN DATABASE "${database}" SET ${setting} = '${needed}'${then}.`
  );
}

/** Tells the operator to let the role make tables. */
function hintForRights({ session }: ForbiddenSchema, variable: string): string {
  const { schema, database, role, hasSchema } = session;
  const told = `The user "${role}" of ${variable} may not create`;
  if (!hasSchema)
    return (
      `${told} the schema "${schema}" in the database "${database}". As a superuser, run in that database ` +
      `CREATE SCHEMA "${schema}" AUTHORIZATION "${role}".`
    );
  const why = `${told} tables in the schema ${schema} of the database "${database}"`;
  if (schema !== 'public')
    return `${why}. As a superuser, run in that database GRANT CREATE, USAGE ON SCHEMA "${schema}" TO "${role}".`;
  return (
    `${why}: from PostgreSQL 15 on, only the owner may. As a superuser, run ALTER DATABASE "${database}" OWNER ` +
    `TO "${role}", or, in that database, GRANT CREATE ON SCHEMA public TO "${role}".`
  );
}

/** Tells the operator to make a database for all texts. */
function hintForEncoding({ session: { database, encoding } }: WrongEncoding, variable: string): string {
  return (
    `The database "${database}" of ${variable} is in ${encoding}, which lacks most characters. Make another one: ` +
    `CREATE DATABASE "NAME" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`
  );
}

/** Tells the operator to name a schema. */
function hintForSchema({ session: { schema, database, settings } }: WrongSchema, variable: string): string {
  if (schema === null)
    return (
      `The database "${database}" of ${variable} has no schema of its search_path, ${settings.search_path}. ` +
      `Make one, or name one in the URL: ?schema=NAME`
    );
  return (
    `The schema "${schema}" of ${variable} has no tables of this program, but the schema "public" of the database ` +
    `"${database}" has. To use those, name it in the URL: ?schema=public. For another installation in "${schema}", ` +
    `run "npm run migrate -- --new-schema" once.`
  );
}

/** True if the binary of the SQLite driver is missing, or is for another system. */
function isDriverBroken(error: unknown): boolean {
  return listCauses(error).some(
    ({ code, message }) =>
      code === 'ERR_DLOPEN_FAILED' ||
      (code === 'MODULE_NOT_FOUND' && String(message).includes('better_sqlite3.node')),
  );
}

/** Why a SQLite file cannot be used, and what to do; null for an error that is not about the file. */
function hintForFile(error: unknown, url: string, variable: string): string | null {
  const file = resolve(parseFilePath(url));
  const named = `the SQLite file "${withoutSecrets(file)}", which ${variable} names,`;
  const hasCode = (pattern: RegExp) => listCauses(error).some(({ code }) => pattern.test(String(code)));
  const isOfPath = ({ path }: ErrorDetails) =>
    typeof path === 'string' && `${file}/`.startsWith(`${resolve(path)}/`);
  if (isDiskFull(error)) return `The disk of ${named} is full: make room, and try again.`;
  if (hasCode(/^SQLITE_CORRUPT/))
    return `T${named.slice(1)} is damaged: ${oneLine(error)}. Restore a backup.`;
  if (hasCode(/^SQLITE_IOERR/))
    return `T${named.slice(1)} cannot be read or written: ${oneLine(error)}. Is its disk full?`;
  if (error instanceof OperatorError) return `${error.message} ${variable} is "${withoutSecrets(url)}".`;
  if (!hasCode(/^SQLITE_(NOTADB|CANTOPEN|READONLY)/) && !listCauses(error).some(isOfPath)) return null;
  return (
    `${variable} is "${withoutSecrets(url)}"; it may be file:PATH of a SQLite database, or of a file ` +
    `to be made in a folder that may be written: ${oneLine(error)}.`
  );
}

/**
 * Why a database could not be used, and what to do; null for an unknown error.
 * @param variable the environment variable or option with the URL
 */
export function hintFor(error: unknown, url: string, variable: string): string | null {
  if (error instanceof PoolerBetween)
    return (
      `${variable} is that of a connection pooler, through which migrations cannot be made. Name the PostgreSQL ` +
      `server itself in DATABASE_DIRECT_URL, and try again; nothing was changed.`
    );
  if (error instanceof WrongSetting) return hintForSetting(error, variable);
  if (error instanceof WrongEncoding) return hintForEncoding(error, variable);
  if (error instanceof ForbiddenSchema) return hintForRights(error, variable);
  if (error instanceof WrongSchema) return hintForSchema(error, variable);
  if (isDriverBroken(error))
    return (
      `better-sqlite3, the SQLite driver, does not load on ${process.platform}-${process.arch}: ${oneLine(error)}. ` +
      `If node_modules comes from another system, run "npm ci" on this one. If there is no binary for this ` +
      `one, compile it: npm --prefix node_modules/better-sqlite3 run build-release`
    );
  if (url.startsWith('file:')) return hintForFile(error, url, variable);
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  const address = describeAddress(url);
  const tls = hintForTls(error, { ...address, parameters: parsed.searchParams, variable });
  if (tls !== null) return tls;
  const connections = hintForConnections(error, address, variable);
  if (connections !== null) return connections;
  const messages = listCauses(error)
    .flatMap(({ kind, code, originalCode, message, reason }) => [kind, code, originalCode, message, reason])
    .join('\n');
  return hints.find(([fault]) => fault.test(messages))?.[1](address, variable) ?? null;
}

/**
 * Runs `use` on the database at `url`.
 * @throws OperatorError that says what to do, if the database cannot be used
 */
export async function withHints<T>(
  variable: string,
  url: string,
  use: (url: string) => Promise<T>,
): Promise<T> {
  return use(url).catch((error: unknown) => {
    const hint = hintFor(error, url, variable);
    throw hint === null ? error : new OperatorError(hint);
  });
}
