import { existsSync } from 'node:fs';

export type Provider = 'sqlite' | 'postgresql';

/** The provider of a URL: `file:…` is SQLite, `postgres://…` and `postgresql://…` are PostgreSQL, others null. */
export function findProvider(url: string): Provider | null {
  if (/^file:./.test(url)) return 'sqlite';
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgresql';
  return null;
}

/** The form of PostgreSQL's URLs, in words. */
export const POSTGRESQL_URL =
  'postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded';

/** The forms of the URLs of databases, in words. */
export const DATABASE_URLS = `file:PATH for SQLite, without parameters, or ${POSTGRESQL_URL}`;

/** Parameters of URLs that may have an @. */
const WITH_AT =
  /^(user|password|options|(fallback_)?application_name|ssl(cert|key|rootcert|password)|schema)$/;

/**
 * Returns true if a password with an unencoded `/`, `?` or `#` has ended the host of a URL. Then there is an @ after the host,
 * which is a part of the password.
 */
export function hasBrokenPassword(url: string): boolean {
  const { pathname, searchParams, hash } = new URL(url);
  const isBroken = ([name, value]: [string, string]) =>
    name.includes('@') || (value.includes('@') && !WITH_AT.test(name));
  return pathname.includes('@') || hash.includes('@') || [...searchParams].some(isBroken);
}

/** The maximum length of PostgreSQL's identifiers, in bytes. */
const MAX_IDENTIFIER = 63;

/** Returns true for a text such as `~/x.db` or `$HOME/x.db`, which only a shell makes a path of, unless that file exists. */
export function isUnexpanded(path: string): boolean {
  return /^~|\$\{?\w|%\w+%/.test(path) && !existsSync(path);
}

/** The words for a refused path of this kind. */
export const UNEXPANDED = 'the whole path: nothing replaces ~ and variables in it';

/** The words for a refused SQLite URL of this kind. */
export const UNEXPANDED_FILE = `file:PATH of a file that is there, or with ${UNEXPANDED}`;

/** Returns true for a SQLite URL whose path is unexpanded. */
export function isUnexpandedFile(url: string): boolean {
  return url.startsWith('file:') && isUnexpanded(url.slice('file:'.length));
}

/** The words for a URL whose schema PostgreSQL keeps for itself, or that names it in another way. */
export const ONE_SCHEMA = `with one schema as ?schema=NAME, neither a list nor PostgreSQL's own`;

/** Parameters that other drivers take for the schema, and that this one would leave out. */
const SCHEMA_ELSEWHERE = /^(schema|(current|default)_?schema|search_?path)$/i;
/** Schemas of PostgreSQL itself, one that means the role's, and what is a list. */
const NO_SCHEMA = /^(pg_.*|information_schema|\$user|".*"|.*,.*)$/is;

/** Returns true for a PostgreSQL URL that names no schema, or one that may have tables. */
export function namesOneSchema(url: string): boolean {
  if (findProvider(url) !== 'postgresql') return true;
  const names = [...(URL.parse(url)?.searchParams.keys() ?? [])];
  const isElsewhere = names.some((name) => name !== 'schema' && SCHEMA_ELSEWHERE.test(name));
  return !isElsewhere && !NO_SCHEMA.test(namedSchema(url) ?? '');
}

/** True if a URL names a database that can be opened again. PostgreSQL's URLs must also be parsable. */
export function isDatabaseUrl(url: string): boolean {
  // SQLite takes these for databases that end with their connection.
  if (/^file:(\s|:memory:)/.test(url)) return false;
  // Other programs take parameters there; this one would make a file with that name.
  if (/^file:.*\?/s.test(url)) return false;
  if (findProvider(url) !== 'postgresql') return findProvider(url) !== null;
  try {
    const { username, password, pathname, hash } = new URL(url);
    // The driver would leave out the rest of a name or a password.
    if (hash !== '') return false;
    decodeURIComponent(`${username}${password}${pathname}`);
    // PostgreSQL would cut a longer name.
    return !hasBrokenPassword(url) && Buffer.byteLength(namedSchema(url) ?? '') <= MAX_IDENTIFIER;
  } catch {
    return false;
  }
}

/** The provider of a database URL. @throws Error if it has none */
export function requireProvider(url: string): Provider {
  const provider = findProvider(url);
  if (provider === null) throw new Error(`no database has a URL of this form: ${url}`);
  return provider;
}

/** The schema that a PostgreSQL URL names, as Prisma's tools do; null if it names none. */
export function namedSchema(url: string): string | null {
  return URL.parse(url)?.searchParams.get('schema') || null;
}

/** Returns a PostgreSQL URL that names the schema, unless it is null or the URL names one. */
export function withSchema(url: string, schema: string | null): string {
  if (schema === null || namedSchema(url) !== null) return url;
  return `${url}${url.includes('?') ? '&' : '?'}schema=${encodeURIComponent(schema)}`;
}

/**
 * Returns a PostgreSQL URL for the driver. All values of `sslmode` but `disable` and `no-verify` check the certificate, which a
 * later version of the driver would not do for some, and which it warns of. `sslrootcert=system` names no file.
 */
export function driverUrl(url: string): string {
  if (/[?&]uselibpqcompat=true\b/.test(url)) return url;
  return url
    .replace(/([?&]sslmode=)(?:allow|prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
    .replace(/([?&])sslrootcert=system(?=&|$)/, '$1');
}
