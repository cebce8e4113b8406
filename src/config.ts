import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { PoolOptions } from './db/connection/adapter.ts';
import { DATABASE_URLS, isDatabaseUrl, POSTGRESQL_URL, providerOf } from './db/connection/url.ts';
import { hostOf, isHostName, MAX_URL, sendableAddress, withoutPort } from './domain/url.ts';
import { OperatorError } from './operator-error.ts';
import { withoutSecrets } from './secrets.ts';
import { isNearName } from './shared/did-you-mean.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const flags: Record<string, boolean> = { on: true, true: true, 1: true, off: false, false: false, 0: false };

function number(min: number, max: number, orElse = '') {
  const allowed = `${orElse}a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,10}$/, allowed)
    .transform(Number)
    .refine((value) => value >= min && value <= max, allowed);
}

/** The maximum number of workers: the primary cannot distribute connections to more. */
const MAX_WORKERS = 64;

/** The default number of connections of all workers: together with those for notifications, it fits into PostgreSQL's default of 100. */
const DEFAULT_CONNECTIONS = 80;

/** Whether a URL's host is a name, or an address in its usual form: a number alone is an IPv4 address to parsers. */
function isOwnHost(url: string): boolean {
  const host = withoutPort(hostOf(url));
  if (host.startsWith('[') || /(^|\.)localhost$/.test(host)) return true;
  return isIP(host) === 0 ? isHostName(host) : url.includes(host);
}

function isOrigin(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || URL.parse(text) === null) return false;
  const { pathname, search, hash, username, password, port } = new URL(text);
  return port !== '0' && isOwnHost(text) && `${pathname}${search}${hash}${username}${password}` === '/';
}

/** Whether it is an address, a range of addresses, or one of Express's names for ranges. */
function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits = '1', ...rest] = text.split('/');
  const widest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  // All addresses are no range for proxy-addr, since then everybody could forge the headers.
  return rest.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= widest;
}

function isTrust(text: string): boolean {
  return /^(off|false|[1-9]\d?)$/.test(text) || text.split(',').every((part) => isProxy(part.trim()));
}

/** Express's `trust proxy`: off, a number of hops, or addresses. */
function parseTrust(text: string): Config['trustProxy'] {
  if (text === 'off' || text === 'false') return false;
  return /^\d+$/.test(text) ? Number(text) : text;
}

const isPostgresqlUrl = (url: string) => providerOf(url) === 'postgresql' && isDatabaseUrl(url);

// Not an enum, as which a wrong value would keep combinations of other variables from being checked.
const flag = z
  .string()
  .refine((text) => Object.hasOwn(flags, text), 'on or off')
  .transform((text) => flags[text] === true);

const notFoundUrl = z
  .string()
  .refine(
    (text) => sendableAddress.safeParse(text).success,
    `an absolute http or https URL of ${MAX_URL} characters at most`,
  );

const variables = z.object({
  NODE_ENV: z.string().optional(),
  PORT: number(0, 65_535).default(3000),
  HOST: z
    .string()
    .refine(
      (text) => isIP(text) !== 0 || /^\w([\w.-]*[\w.])?$/.test(text),
      'a host name or an IP address, without a port',
    )
    .default('127.0.0.1'),
  DATABASE_URL: z.string().refine(isDatabaseUrl, DATABASE_URLS).default('file:./data/linkspace.db'),
  DATABASE_DIRECT_URL: z.string().refine(isPostgresqlUrl, POSTGRESQL_URL).optional(),
  DATABASE_READ_URLS: z
    .string()
    .transform((urls) => urls.split(',').map((url) => url.trim()))
    .refine((urls) => urls.every(isPostgresqlUrl), `URLs separated by commas, each ${POSTGRESQL_URL}`)
    .default([]),
  DATABASE_READ_MAX_LAG: number(1_000, 3_600_000).default(5_000),
  DATABASE_POOL_SIZE: number(1, 1000).optional(),
  DATABASE_STATEMENT_TIMEOUT: number(0, 3_600_000).default(10_000),
  BASE_URL: z
    .string()
    .refine(isOrigin, 'an http or https URL without a path, such as https://s.example')
    .transform((url) => `${new URL(url).protocol}//${hostOf(url)}`)
    .optional(),
  INITIAL_API_KEY: z
    .string()
    .regex(/^(?=.{32,255}$)[\w.~+/-]{32,}=*$/, '32 to 255 letters, digits and - . _ ~ + /')
    .optional(),
  TRUST_PROXY: z
    .string()
    .refine(
      isTrust,
      'off, how many proxies stand in front, or a list of addresses such as 10.0.0.0/8,loopback',
    )
    .transform(parseTrust)
    .default(false),
  GRAPHIQL: flag.optional(),
  CONSOLE: flag.optional(),
  TRUSTED_DOCUMENTS: z.string().endsWith('.json', 'the path of a .json file').optional(),
  DOMAIN_VERIFICATION: flag.default(true),
  NOT_FOUND_URL: notFoundUrl.optional(),
  BLOCKED_HOSTS: z.string().optional(),
  RESERVED_ALIASES: z.string().optional(),
  COUNTRY_HEADER: z
    .string()
    .regex(/^[\w-]+$/, 'the name of a header, such as CF-IPCountry')
    .optional(),
  GEOIP_DATABASE: z.string().endsWith('.mmdb', 'the path of an .mmdb file').optional(),
  HISTORY_DAYS: number(0, 36_500).default(90),
  STATISTICS_MONTHS: number(0, 1_200).default(24),
  PUBLIC_STATISTICS: flag.default(true),
  RATE_LIMIT: number(0, 1_000_000_000).default(600),
  CORS_ORIGINS: z
    .string()
    .transform((origins) => origins.split(',').map((origin) => origin.trim()))
    .refine(
      (origins) => origins.every((origin) => isOrigin(origin) && new URL(origin).origin === origin),
      'a list of origins such as https://app.example, separated by commas',
    )
    .default([]),
  METRICS_PORT: number(1, 65_535).optional(),
  WORKERS: z
    .string()
    .transform((text) => (text === 'auto' ? String(Math.min(availableParallelism(), MAX_WORKERS)) : text))
    .pipe(number(1, MAX_WORKERS, 'auto, or '))
    .default(1),
  WEBHOOK_ALLOW_PRIVATE: flag.default(false),
  LOG_LEVEL: z
    .string()
    .refine((text) => logLevels.some((level) => level === text), `one of ${logLevels.join(', ')}`)
    .transform((text) => logLevels.find((level) => level === text) ?? 'info')
    .default('info'),
});

type Values = z.output<typeof variables>;
type DatabaseVariable = 'DATABASE_READ_URLS' | 'DATABASE_DIRECT_URL';

/** A check that refuses a variable that is only for PostgreSQL. */
function onlyOnPostgresql(
  name: DatabaseVariable,
): [(values: Values) => boolean, { path: string[]; error: string }] {
  const isAllowed = ({ DATABASE_URL, [name]: given = '' }: Values) =>
    given.length === 0 || providerOf(DATABASE_URL) === 'postgresql';
  return [isAllowed, { path: [name], error: 'unset where DATABASE_URL is not PostgreSQL' }];
}

const environment = variables
  .refine(...onlyOnPostgresql('DATABASE_READ_URLS'))
  .refine(...onlyOnPostgresql('DATABASE_DIRECT_URL'))
  .refine(({ PORT, METRICS_PORT }) => METRICS_PORT !== PORT, {
    path: ['METRICS_PORT'],
    error: 'another port than PORT',
  })
  // They would wait for each other's writes by retrying, and each would count the requests of a key for itself.
  .refine(({ WORKERS, DATABASE_URL }) => WORKERS === 1 || providerOf(DATABASE_URL) === 'postgresql', {
    path: ['WORKERS'],
    error: '1 where DATABASE_URL is not PostgreSQL, since SQLite is for one process',
  });

/** What the app itself needs of the configuration. */
export interface AppConfig {
  /** Whether domains must be verified to serve visitors. */
  readonly verifiesDomains: boolean;
  /** For Express's `trust proxy`. */
  readonly trustProxy: false | number | string;
  readonly graphiql: boolean;
  /** Whether the console is served at `/console`. */
  readonly console: boolean;
  /** How many days changes are kept; 0 for ever. */
  readonly historyDays: number;
  /** How many months statistics are kept; 0 for ever. */
  readonly statisticsMonths: number;
  /** Whether links have public pages of statistics. */
  readonly publicStatistics: boolean;
  /** Whether webhooks may call addresses in the operator's own network. */
  readonly allowPrivateWebhooks: boolean;
  /** For how many milliseconds a replica may lack something, and still be read from. */
  readonly maxReplicaLag: number;
  /** Requests a minute for each key; 0 for no limit. */
  readonly rateLimit: number;
  /** The origins of sites whose pages may call the APIs. */
  readonly corsOrigins: readonly string[];
}

export interface Config extends AppConfig {
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string;
  /** The URL of the PostgreSQL server itself, if `databaseUrl` is a pooler's. */
  readonly databaseDirectUrl: string | undefined;
  /** Streaming replicas of a PostgreSQL database. */
  readonly databaseReadUrls: readonly string[];
  /** The pool of each process. */
  readonly pool: PoolOptions;
  /** The number of processes that serve the port. */
  readonly workers: number;
  /** The public address; by default `http://localhost` with the server's port. */
  readonly baseUrl: string | undefined;
  readonly initialApiKey: string | undefined;
  /** The redirect for visitors of an unknown alias on the default domain. */
  readonly notFoundUrl: string | undefined;
  /** The path of a file of hosts that no link may lead to. */
  readonly blockedHostsFile: string | undefined;
  /** The path of a file of aliases that no new link may have. */
  readonly reservedAliasesFile: string | undefined;
  /** The path of a file with the only documents that `/graphql` executes. */
  readonly trustedDocuments: string | undefined;
  /** The port of the metrics; undefined for none. */
  readonly metricsPort: number | undefined;
  /** The header with a visitor's country, which the proxy sets. */
  readonly countryHeader: string | undefined;
  /** The path of an .mmdb file with the countries of addresses. */
  readonly geoipDatabase: string | undefined;
  readonly logLevel: (typeof logLevels)[number];
}

/** The URL of the database that migrations connect to, after the variable that has it: a pooler cannot make them. */
export function migratedDatabase({
  databaseUrl,
  databaseDirectUrl,
}: Config): [variable: string, url: string] {
  return databaseDirectUrl === undefined
    ? ['DATABASE_URL', databaseUrl]
    : ['DATABASE_DIRECT_URL', databaseDirectUrl];
}

/** Wrong environment variables; the message has a line for each. */
export class ConfigError extends OperatorError {}

/**
 * The results of checks that do not depend on each other.
 * @throws ConfigError with the lines of all that are wrong
 */
export async function allValid<T extends readonly unknown[]>(
  checks: T,
): Promise<{ -readonly [Check in keyof T]: Awaited<T[Check]> }> {
  const faults = (await Promise.allSettled(checks)).flatMap((result) =>
    result.status === 'rejected' && result.reason instanceof ConfigError ? [result.reason.message] : [],
  );
  if (faults.length > 0) throw new ConfigError([...new Set(faults)].join('\n'));
  return Promise.all(checks);
}

/** The value of a variable, without secrets. */
export function shown(name: string, value: string): string {
  if (name === 'INITIAL_API_KEY') return `a text of ${value.length} characters`;
  // If it is not a valid URL, any part of it may be a password.
  if (/^DATABASE_.*URLS?$/.test(name) && !/^(file:.*|[./].*|[a-z][a-z\d+.-]*:\/\/.*@.*)$/is.test(value)) {
    const [scheme = ''] = /^[a-z][a-z\d+.-]*:/i.exec(value) ?? [];
    return JSON.stringify(`${scheme}***`);
  }
  return JSON.stringify(withoutSecrets(value));
}

/** The variables that are not known, but are spelled almost as one that is. */
export function misspelt(env: NodeJS.ProcessEnv): { name: string; meant: string }[] {
  const known = Object.keys(variables.shape);
  return Object.keys(env).flatMap((name) => {
    const meant = known.includes(name) ? undefined : known.find((one) => isNearName(name, one));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

/**
 * Reads the configuration from the environment. An empty variable counts as unset.
 * @throws ConfigError
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = environment.safeParse(set);
  if (!result.success) {
    // Errors of a single variable come before errors of combinations.
    const issues = result.error.issues.toReversed();
    const allowed = new Map(issues.map(({ path, message }) => [String(path[0]), message]));
    const faults = [...allowed].reverse();
    const lines = faults.map(
      ([name, what]) => `${name} is ${shown(name, set[name] ?? '')}; it may be ${what}.`,
    );
    throw new ConfigError(lines.join('\n'));
  }
  const values = result.data;
  return {
    port: values.PORT,
    host: values.HOST,
    databaseUrl: values.DATABASE_URL,
    databaseDirectUrl: values.DATABASE_DIRECT_URL,
    databaseReadUrls: values.DATABASE_READ_URLS,
    maxReplicaLag: values.DATABASE_READ_MAX_LAG,
    pool: {
      poolSize:
        values.DATABASE_POOL_SIZE ??
        Math.max(1, Math.min(10, Math.floor(DEFAULT_CONNECTIONS / values.WORKERS))),
      statementTimeout: values.DATABASE_STATEMENT_TIMEOUT,
    },
    workers: values.WORKERS,
    baseUrl: values.BASE_URL,
    initialApiKey: values.INITIAL_API_KEY,
    trustProxy: values.TRUST_PROXY,
    verifiesDomains: values.DOMAIN_VERIFICATION,
    notFoundUrl: values.NOT_FOUND_URL,
    blockedHostsFile: values.BLOCKED_HOSTS,
    reservedAliasesFile: values.RESERVED_ALIASES,
    countryHeader: values.COUNTRY_HEADER,
    geoipDatabase: values.GEOIP_DATABASE,
    metricsPort: values.METRICS_PORT,
    allowPrivateWebhooks: values.WEBHOOK_ALLOW_PRIVATE,
    historyDays: values.HISTORY_DAYS,
    statisticsMonths: values.STATISTICS_MONTHS,
    publicStatistics: values.PUBLIC_STATISTICS,
    rateLimit: values.RATE_LIMIT,
    corsOrigins: values.CORS_ORIGINS,
    // With trusted documents, the console could not execute its own.
    console: values.CONSOLE ?? values.TRUSTED_DOCUMENTS === undefined,
    trustedDocuments: values.TRUSTED_DOCUMENTS,
    // With trusted documents, GraphiQL could not execute queries.
    graphiql:
      values.GRAPHIQL ??
      (values.NODE_ENV?.toLowerCase() !== 'production' && values.TRUSTED_DOCUMENTS === undefined),
    logLevel: values.LOG_LEVEL,
  };
}
