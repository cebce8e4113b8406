import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { isRole, type RoleRule, roles } from '../domain/access/role.ts';
import { PREVIEW_MEGABYTES } from '../domain/services.ts';
import type { PoolOptions } from '../engine/db/driver.ts';
import {
  DATABASE_URLS,
  findProvider,
  hasBrokenPassword,
  isDatabaseUrl,
  isUnexpandedFile,
  namedSchema,
  namesOneSchema,
  ONE_SCHEMA,
  POSTGRESQL_URL,
  UNEXPANDED_FILE,
  withSchema,
} from '../engine/db/url.ts';
import {
  hostOf,
  isHostName,
  isLoopback,
  MAX_URL,
  sendableAddress,
  withoutPort,
} from '../engine/rules/url.ts';
import { isNearName } from '../engine/tools/did-you-mean.ts';
import { ConfigError, InvalidSettings, shown } from '../engine/tools/operator-error.ts';
import { wrongTracing } from '../engine/tools/otel-variables.ts';
import { decodeText } from './decode-text.js';

// The rules for values. Their errors end the sentence "NAME is VALUE; it may be …".

const textSetting = z.string();

function integerSetting(min: number, max: number, orElse = '') {
  const allowed = `${orElse}a whole number from ${min} to ${max}`;
  return textSetting
    .regex(/^\d{1,10}$/, allowed)
    .transform(Number)
    .refine((value) => value >= min && value <= max, allowed);
}

const flags: Record<string, boolean> = { on: true, true: true, 1: true, off: false, false: false, 0: false };

const flag = textSetting
  .refine((value) => Object.hasOwn(flags, value), 'on or off')
  .transform((value) => flags[value] === true);

/** The maximum number of workers: the primary cannot distribute connections to more. */
const MAX_WORKERS = 64;

const workers = textSetting
  .transform((value) => (value === 'auto' ? String(Math.min(availableParallelism(), MAX_WORKERS)) : value))
  .pipe(integerSetting(1, MAX_WORKERS, 'auto, or '));

const host = textSetting.refine(
  (value) => isIP(value) !== 0 || /^\w([\w.-]*[\w.])?$/.test(value),
  'a host name or an IP address, without a port',
);

/** True if a URL's host is a name, or an address in its usual form. Parsers read a single number as an IPv4 address. */
function hasValidHost(url: string): boolean {
  const host = withoutPort(hostOf(url));
  if (host.startsWith('[') || /(^|\.)localhost$/.test(host)) return true;
  return isIP(host) === 0 ? isHostName(host) : url.includes(host);
}

function isOrigin(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || URL.parse(value) === null) return false;
  const { pathname, search, hash, username, password, port } = new URL(value);
  return port !== '0' && hasValidHost(value) && `${pathname}${search}${hash}${username}${password}` === '/';
}

const origin = textSetting
  .refine(isOrigin, 'an http or https URL without a path, such as https://s.example')
  .transform((url) => `${new URL(url).protocol}//${hostOf(url)}`);

const smtpUrl = textSetting.refine(
  (value) => /^smtps?:\/\/[^/]/.test(value) && URL.canParse(value) && !hasBrokenPassword(value),
  'an address such as smtps://USER:PASSWORD@mail.example:465, with special characters percent-encoded',
);

const mailAddress = textSetting.refine(
  (value) => /^([^<>\p{C}]*<[^<>@\s\p{C}]+@[^<>@\s\p{C}]+>|[^<>@\s\p{C}]+@[^<>@\s\p{C}]+)$/u.test(value),
  'an address such as Linkspace <links@s.example>',
);

/** A list separated by commas. */
const list = textSetting.transform((values) => values.split(',').map((value) => value.trim()));

const origins = list.refine(
  (values) => values.every((value) => isOrigin(value) && new URL(value).origin === value),
  'a list of origins such as https://app.example, separated by commas',
);

export const absoluteUrl = textSetting
  .refine(
    (value) => sendableAddress.safeParse(value).success,
    `an absolute http or https URL of ${MAX_URL} characters at most`,
  )
  .transform((value) => sendableAddress.parse(value));

const isPostgresqlUrl = (url: string) => findProvider(url) === 'postgresql' && isDatabaseUrl(url);

const postgresqlUrl = textSetting.refine(isPostgresqlUrl, POSTGRESQL_URL).refine(namesOneSchema, ONE_SCHEMA);

const postgresqlUrls = list
  .refine((urls) => urls.every(isPostgresqlUrl), `URLs separated by commas, each ${POSTGRESQL_URL}`)
  .refine((urls) => urls.every(namesOneSchema), ONE_SCHEMA);

/** True for an address, a range of addresses, or one of Express's names for ranges. */
function isProxy(value: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(value)) return true;
  const [address = '', bits = '1', ...rest] = value.split('/');
  const widest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  // A range of all addresses is refused, since then everybody could forge the headers.
  return rest.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= widest;
}

/** Express's `trust proxy`: off, a number of hops, or addresses. */
const trustProxy = textSetting
  .refine(
    (value) => /^(off|false|[1-9]\d?)$/.test(value) || value.split(',').every((part) => isProxy(part.trim())),
    'off, how many proxies stand in front, or a list of addresses such as 10.0.0.0/8,loopback',
  )
  .transform((value): false | number | string => {
    if (value === 'off' || value === 'false') return false;
    return /^\d+$/.test(value) ? Number(value) : value;
  });

const ISSUER =
  'the https URL of an OpenID provider, as it names itself, without a query; http only on this machine';

const issuer = textSetting
  .refine((value) => {
    const url = URL.parse(value);
    if (url === null || !hasValidHost(value) || /[?#]/.test(value) || url.username || url.password)
      return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(value));
  }, ISSUER)
  .transform((value) => value.replace(/\/\.well-known\/openid-configuration$/, ''));

/** The last colon and the last equals sign count: values and accounts may have others. */
const ROLE_RULE = /^(.+)=([^=]+):([a-z]+)$/is;

function parseRoleRule(text: string): RoleRule | null {
  const [, value = '', account = '', name = ''] = ROLE_RULE.exec(text) ?? [];
  const role = name.trim().toUpperCase();
  return isRole(role) ? { value: value.trim(), account: account.trim(), role } : null;
}

const oidcRoles = list
  .transform((values) => values.map(parseRoleRule))
  .refine(
    (rules) => rules.every((rule) => rule !== null && rule.value !== '' && rule.account !== ''),
    `a list of VALUE=ACCOUNT:ROLE, separated by commas, with one of the roles ${Object.keys(roles).join(', ').toLowerCase()}`,
  )
  .transform((rules) => rules.filter((rule) => rule !== null));

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const logLevel = z.enum(logLevels, `one of ${logLevels.join(', ')}`);

/** Returns true for a value of NODE_ENV that is not production. */
function isForDevelopment(name: string): boolean {
  return /^(development|test)$/i.test(name);
}

/** Each setting: its environment variable, and the rule for the value. */
const settings = {
  isProduction: ['NODE_ENV', textSetting.transform((name) => !isForDevelopment(name)).default(false)],
  port: ['PORT', integerSetting(0, 65_535).default(3000)],
  host: ['HOST', host.default('127.0.0.1')],
  databaseUrl: [
    'DATABASE_URL',
    textSetting
      .refine(isDatabaseUrl, DATABASE_URLS)
      .refine((url) => !isUnexpandedFile(url), UNEXPANDED_FILE)
      .refine(namesOneSchema, ONE_SCHEMA)
      .default('file:./data/linkspace.db'),
  ],
  /** The URL of the PostgreSQL server itself, if `databaseUrl` is a pooler's. */
  databaseDirectUrl: ['DATABASE_DIRECT_URL', postgresqlUrl.optional()],
  databaseReadUrls: ['DATABASE_READ_URLS', postgresqlUrls.default([])],
  /** For how many milliseconds a replica may lack something, and still be read from. */
  maxReplicaLag: ['DATABASE_READ_MAX_LAG', integerSetting(1_000, 3_600_000).default(5_000)],
  poolSize: ['DATABASE_POOL_SIZE', integerSetting(1, 1000).optional()],
  statementTimeout: ['DATABASE_STATEMENT_TIMEOUT', integerSetting(0, 3_600_000).default(10_000)],
  /** The public address; by default `http://localhost` with the server's port. */
  baseUrl: ['BASE_URL', origin.optional()],
  /** The address of console, GraphiQL and `/docs`, on a host of its own; by default they are on the hosts of short links. */
  consoleUrl: ['CONSOLE_URL', origin.optional()],
  /** The mail server, and the address that mails come from. */
  smtpUrl: ['SMTP_URL', smtpUrl.optional()],
  smtpFrom: ['SMTP_FROM', mailAddress.optional()],
  initialApiKey: [
    'INITIAL_API_KEY',
    textSetting
      .regex(/^(?=.{32,255}$)[\w.~+/-]{32,}=*$/, '32 to 255 letters, digits and - . _ ~ + /')
      .optional(),
  ],
  /** For Express's `trust proxy`. */
  trustProxy: ['TRUST_PROXY', trustProxy.default(false)],
  graphiql: ['GRAPHIQL', flag.optional()],
  console: ['CONSOLE', flag.optional()],
  /** The path of a file with the only documents that `/graphql` executes. */
  trustedDocuments: [
    'TRUSTED_DOCUMENTS',
    textSetting.endsWith('.json', 'the path of a .json file').optional(),
  ],
  /** True if accounts may run operations that they have saved; by default without trusted documents. */
  savedOperations: ['SAVED_OPERATIONS', flag.optional()],
  /** True if agents may use tools. */
  mcp: ['MCP', flag.default(true)],
  /** True if domains must be verified before they serve visitors. */
  verifiesDomains: ['DOMAIN_VERIFICATION', flag.default(true)],
  /** True if new aliases on shared domains may have letters of any script. */
  sharesScripts: ['SHARED_SCRIPTS', flag.default(false)],
  /** The redirect for visitors of an unknown alias on the default domain. */
  notFoundUrl: ['NOT_FOUND_URL', absoluteUrl.optional()],
  /** The path of a file of hosts that no link may lead to. */
  blockedHostsFile: ['BLOCKED_HOSTS', textSetting.optional()],
  /** The path of a file of aliases that no new link may have. */
  reservedAliasesFile: ['RESERVED_ALIASES', textSetting.optional()],
  /** The header with a visitor's country, which the proxy sets. */
  countryHeader: [
    'COUNTRY_HEADER',
    textSetting.regex(/^[\w-]+$/, 'the name of a header, such as CF-IPCountry').optional(),
  ],
  /** `off`, or the path of an .mmdb file with the countries of addresses; by default that of the program. */
  geoipDatabase: [
    'GEOIP_DATABASE',
    textSetting.regex(/^off$|\.mmdb$/, 'off, or the path of an .mmdb file').optional(),
  ],
  /** Days for which changes are kept; 0 for ever. */
  historyDays: ['HISTORY_DAYS', integerSetting(0, 36_500).default(90)],
  /** Months for which statistics are kept; 0 for ever. */
  statisticsMonths: ['STATISTICS_MONTHS', integerSetting(0, 1_200).default(24)],
  /** The surfaces that the process serves: everything, or only visitors. */
  role: ['ROLE', z.enum(['all', 'redirects'], 'all or redirects').default('all')],
  /** The memory for links of visitors, in megabytes. */
  linkCacheMegabytes: ['LINK_CACHE_MB', integerSetting(1, 100_000).default(64)],
  publicStatistics: ['PUBLIC_STATISTICS', flag.default(true)],
  /** True if previews are shown on domains of several accounts. */
  sharedPreviews: ['SHARED_PREVIEWS', flag.default(false)],
  /** Megabytes that an account's images of previews may have. */
  previewMegabytes: ['PREVIEW_STORAGE_MB', integerSetting(0, 100_000).default(PREVIEW_MEGABYTES)],
  /** Requests a minute for each key; 0 for no limit. */
  rateLimit: ['RATE_LIMIT', integerSetting(0, 1_000_000_000).default(600)],
  /** Subscriptions that each key, or user, may have at once in a process. */
  maxSubscriptionsPerKey: ['MAX_SUBSCRIPTIONS_PER_KEY', integerSetting(1, 2_000).default(100)],
  /** The origins of sites whose pages may call the APIs. */
  corsOrigins: ['CORS_ORIGINS', origins.default([])],
  /** The port of the metrics; undefined for none. */
  metricsPort: ['METRICS_PORT', integerSetting(1, 65_535).optional()],
  /** The collector of traces; OpenTelemetry's SDK reads it itself, with its other variables. */
  tracesUrl: ['OTEL_EXPORTER_OTLP_ENDPOINT', absoluteUrl.optional()],
  workers: ['WORKERS', workers.default(1)],
  /** The seconds for which a stopping process goes on accepting requests. */
  drainSeconds: ['DRAIN_SECONDS', integerSetting(0, 20).default(0)],
  /** True if webhooks may call addresses in the operator's own network. */
  allowPrivateWebhooks: ['WEBHOOK_ALLOW_PRIVATE', flag.default(false)],
  /** True if requests go out, and old records are deleted; a restored copy has it off. */
  sideEffects: ['SIDE_EFFECTS', flag.default(true)],
  logLevel: ['LOG_LEVEL', logLevel.default('info')],
  /** The provider with which people sign in. */
  oidcIssuer: ['OIDC_ISSUER', issuer.optional()],
  oidcClientId: ['OIDC_CLIENT_ID', textSetting.optional()],
  oidcClientSecret: ['OIDC_CLIENT_SECRET', textSetting.optional()],
  /** The provider's name for people; by default its host. */
  oidcName: ['OIDC_NAME', textSetting.max(100, 'a name of 100 characters at most').optional()],
  oidcRolesClaim: ['OIDC_ROLES_CLAIM', textSetting.default('groups')],
  /** The roles that people with a value of that claim get. */
  oidcRoles: ['OIDC_ROLES', oidcRoles.default([])],
  /** True if the OpenID provider is the only way to sign in. */
  oidcOnly: ['OIDC_ONLY', flag.default(false)],
} satisfies Record<string, readonly [variable: string, rule: z.ZodType]>;

type Settings = {
  readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name][1]>;
};

export interface Config
  extends Omit<Settings, 'isProduction' | 'graphiql' | 'console' | 'poolSize' | 'statementTimeout'> {
  readonly graphiql: boolean;
  /** True if the console is served at `/console`. */
  readonly console: boolean;
  readonly pool: PoolOptions;
}

export const variables: readonly string[] = Object.values(settings).map(([variable]) => variable);

/** Variables that may hold a secret; with `_FILE` at the end, the path of a file with the value. */
export const secrets: readonly string[] = variables.filter((name) =>
  /^(DATABASE_\w*URLS?|INITIAL_API_KEY|OIDC_CLIENT_SECRET|SMTP_URL)$/.test(name),
);

/**
 * Sets the secrets that are in files. Returns what the wrong variables of files may be, and those of them whose file may come
 * later.
 */
function readSecrets(env: NodeJS.ProcessEnv): { faults: Map<string, string>; late: Set<string> } {
  const faults = new Map<string, string>();
  const late = new Set<string>();
  for (const name of secrets) {
    const variable = `${name}_FILE`;
    const path = env[variable];
    if (path && env[name]) faults.set(variable, `unset where ${name} is set`);
    else if (path) {
      let reason: unknown = 'empty';
      try {
        const text = decodeText(readFileSync(path)).trim();
        if (text.includes('\ufffd')) reason = 'not in UTF-8';
        else env[name] = text;
      } catch (error) {
        // Not the message, which has the path: it may be the secret itself, by mistake.
        reason = error instanceof Error && 'code' in error ? error.code : 'unreadable';
      }
      if (env[name]) continue;
      faults.set(variable, `the path of a file with the value of ${name} (${reason})`);
      if (reason !== 'not in UTF-8') late.add(variable);
    }
  }
  return { faults, late };
}

/**
 * The default number of connections of all workers: together with those for notifications, it fits into PostgreSQL's default
 * of 100.
 */
const DEFAULT_CONNECTIONS = 80;

/**
 * Reads the configuration from the environment. An empty variable counts as unset.
 * @throws InvalidSettings, or ConfigError if all that is wrong are files that may come later
 */
export function readConfig(given: NodeJS.ProcessEnv): Config {
  const env = { ...given };
  const { faults, late } = readSecrets(env);
  const hasSecrets = faults.size === 0;
  const values = Object.entries<readonly [string, z.ZodType]>(settings).map(([name, [variable, rule]]) => {
    const { data, error } = rule.safeParse(env[variable] || undefined);
    if (error) faults.set(variable, error.issues[0]?.message ?? '');
    return [name, data];
  });
  const valid: Settings = Object.fromEntries(values); // Each value comes from the rule of its setting.
  for (const [variable, allowed] of hasSecrets ? wrongCombinations(valid, env) : [])
    if (!faults.has(variable)) faults.set(variable, allowed);
  if (faults.size > 0) {
    const lines = [...faults].map(
      ([variable, allowed]) =>
        `${variable} is ${shown(variable, env[variable] ?? '')}; it may be ${allowed}.`,
    );
    const mayPass = [...faults.keys()].every((variable) => late.has(variable));
    throw new (mayPass ? ConfigError : InvalidSettings)(lines.join('\n'));
  }
  const { isProduction, poolSize, statementTimeout, ...config } = valid;
  const defaultPoolSize = Math.max(1, Math.min(10, Math.floor(DEFAULT_CONNECTIONS / config.workers)));
  // With trusted documents, GraphiQL could execute no other ones, and the console is only for those who want it.
  const executesAll = config.trustedDocuments === undefined;
  return {
    ...config,
    ...inOneSchema(config),
    pool: { poolSize: poolSize ?? defaultPoolSize, statementTimeout },
    console: config.console ?? executesAll,
    graphiql: config.graphiql ?? (!isProduction && executesAll),
  };
}

type Urls = Pick<Settings, 'databaseUrl' | 'databaseDirectUrl' | 'databaseReadUrls'>;

/** The first schema that a URL of the database names. */
function schemaIn({ databaseUrl, databaseDirectUrl = '', databaseReadUrls }: Partial<Urls>): string | null {
  const named = [databaseUrl ?? '', databaseDirectUrl, ...(databaseReadUrls ?? [])].map(namedSchema);
  return named.find((one) => one !== null) ?? null;
}

/** The URLs of the database, each with the schema that one of them names. */
function inOneSchema(urls: Urls): Urls {
  const { databaseUrl, databaseDirectUrl, databaseReadUrls } = urls;
  const schema = schemaIn(urls);
  return {
    databaseUrl: withSchema(databaseUrl, schema),
    databaseDirectUrl: databaseDirectUrl && withSchema(databaseDirectUrl, schema),
    databaseReadUrls: databaseReadUrls.map((url) => withSchema(url, schema)),
  };
}

const bareHost = (url: string) => withoutPort(hostOf(url));

/** The variables that are wrong together with others, and what each may be. */
function wrongCombinations(
  {
    databaseUrl,
    databaseReadUrls,
    databaseDirectUrl,
    metricsPort,
    port,
    workers,
    consoleUrl,
    baseUrl,
    smtpUrl,
    smtpFrom,
    oidcOnly,
  }: Settings,
  env: NodeJS.ProcessEnv,
): [variable: string, allowed: string][] {
  const isPostgresql = findProvider(env.DATABASE_URL ?? '') === 'postgresql';
  const hasProvider = Boolean(env.OIDC_ISSUER);
  const needed = 'a text that the provider gave: OIDC_ISSUER needs it';
  const unset = 'unset where DATABASE_URL is not PostgreSQL';
  const sameSchema = 'without ?schema=, or with that of DATABASE_URL';
  const schema = schemaIn({ databaseUrl, databaseDirectUrl, databaseReadUrls });
  const isElsewhere = (url = '') => (namedSchema(url) ?? schema) !== schema;
  const wrong: [isWrong: boolean | undefined, variable: string, allowed: string][] = [
    [!isPostgresql && databaseReadUrls?.length > 0, 'DATABASE_READ_URLS', unset],
    [!isPostgresql && databaseDirectUrl !== undefined, 'DATABASE_DIRECT_URL', unset],
    [isElsewhere(databaseDirectUrl), 'DATABASE_DIRECT_URL', sameSchema],
    [databaseReadUrls?.some(isElsewhere), 'DATABASE_READ_URLS', sameSchema],
    [hasProvider && !env.OIDC_CLIENT_ID, 'OIDC_CLIENT_ID', needed],
    [hasProvider && !env.OIDC_CLIENT_SECRET, 'OIDC_CLIENT_SECRET', needed],
    [!hasProvider && Boolean(env.OIDC_CLIENT_ID), 'OIDC_ISSUER', ISSUER],
    [!hasProvider && oidcOnly === true, 'OIDC_ONLY', 'off where OIDC_ISSUER is unset'],
    [metricsPort !== undefined && metricsPort === port, 'METRICS_PORT', 'another port than PORT'],
    [
      consoleUrl !== undefined && bareHost(consoleUrl) === bareHost(getBaseUrl({ baseUrl, port })),
      'CONSOLE_URL',
      'an address with another host name than BASE_URL, since browsers send cookies to all ports of a host',
    ],
    [
      (smtpUrl === undefined) !== (smtpFrom === undefined),
      smtpUrl ? 'SMTP_FROM' : 'SMTP_URL',
      'set together with the other of SMTP_URL and SMTP_FROM',
    ],
    // Workers on SQLite would retry until others have written, and each would count the requests of a key for itself.
    [
      !isPostgresql && workers > 1,
      'WORKERS',
      '1 where DATABASE_URL is not PostgreSQL, since SQLite is for one process',
    ],
  ];
  return [
    ...wrong.flatMap(([isWrong, variable, allowed]): [string, string][] =>
      isWrong ? [[variable, allowed]] : [],
    ),
    ...wrongTracing(env),
  ];
}

/** The public address. */
export function getBaseUrl({ baseUrl, port }: Pick<Config, 'baseUrl' | 'port'>): string {
  return baseUrl ?? `http://localhost:${port}`;
}

/** The address of the pages for people. */
export function getConsoleUrl({
  consoleUrl,
  baseUrl,
}: {
  consoleUrl?: string | undefined;
  baseUrl: string;
}): string {
  return consoleUrl ?? baseUrl;
}

/** The URL of the database that migrations connect to, after its variable: a pooler does not support migrations. */
export function migratedDatabase({
  databaseUrl,
  databaseDirectUrl,
}: Config): [variable: string, url: string] {
  return databaseDirectUrl === undefined
    ? ['DATABASE_URL', databaseUrl]
    : ['DATABASE_DIRECT_URL', databaseDirectUrl];
}

/** A value of NODE_ENV that may be meant otherwise than it counts; null for a usual one. */
export function unusualEnvironment({ NODE_ENV: name }: NodeJS.ProcessEnv): string | null {
  return name && !isForDevelopment(name) && name.toLowerCase() !== 'production' ? name : null;
}

/** Unknown variables that are spelled almost like a known one. */
export function misspelt(env: NodeJS.ProcessEnv): { name: string; meant: string }[] {
  const known = [...variables, ...secrets.map((name) => `${name}_FILE`)];
  return Object.keys(env).flatMap((name) => {
    const meant = known.includes(name) ? undefined : known.find((one) => isNearName(name, one));
    return meant === undefined ? [] : [{ name, meant }];
  });
}
