import { z } from 'zod';
import { ConfigError, shown } from './config-error.ts';
import * as rules from './config-values.ts';
import type { PoolOptions } from './db/driver.ts';
import { DATABASE_URLS, isDatabaseUrl, providerOf } from './db/url.ts';
import { hostOf, withoutPort } from './domain/url.ts';
import { isNearName } from './shared/did-you-mean.ts';

const text = z.string();

/** Each setting: its environment variable, and the rule for the value. */
const settings = {
  isProduction: ['NODE_ENV', text.transform((name) => name.toLowerCase() === 'production').default(false)],
  port: ['PORT', rules.integer(0, 65_535).default(3000)],
  host: ['HOST', rules.host.default('127.0.0.1')],
  databaseUrl: [
    'DATABASE_URL',
    text.refine(isDatabaseUrl, DATABASE_URLS).default('file:./data/linkspace.db'),
  ],
  /** The URL of the PostgreSQL server itself, if `databaseUrl` is a pooler's. */
  databaseDirectUrl: ['DATABASE_DIRECT_URL', rules.postgresqlUrl.optional()],
  databaseReadUrls: ['DATABASE_READ_URLS', rules.postgresqlUrls.default([])],
  /** For how many milliseconds a replica may lack something, and still be read from. */
  maxReplicaLag: ['DATABASE_READ_MAX_LAG', rules.integer(1_000, 3_600_000).default(5_000)],
  poolSize: ['DATABASE_POOL_SIZE', rules.integer(1, 1000).optional()],
  statementTimeout: ['DATABASE_STATEMENT_TIMEOUT', rules.integer(0, 3_600_000).default(10_000)],
  /** The public address; by default `http://localhost` with the server's port. */
  baseUrl: ['BASE_URL', rules.origin.optional()],
  /** The address of console, GraphiQL and `/docs`, on a host of its own; by default they are on the hosts of short links. */
  consoleUrl: ['CONSOLE_URL', rules.origin.optional()],
  /** The mail server, and the address that mails come from. */
  smtpUrl: ['SMTP_URL', rules.smtpUrl.optional()],
  smtpFrom: ['SMTP_FROM', rules.mailAddress.optional()],
  initialApiKey: [
    'INITIAL_API_KEY',
    text.regex(/^(?=.{32,255}$)[\w.~+/-]{32,}=*$/, '32 to 255 letters, digits and - . _ ~ + /').optional(),
  ],
  /** For Express's `trust proxy`. */
  trustProxy: ['TRUST_PROXY', rules.trustProxy.default(false)],
  graphiql: ['GRAPHIQL', rules.flag.optional()],
  console: ['CONSOLE', rules.flag.optional()],
  /** The path of a file with the only documents that `/graphql` executes. */
  trustedDocuments: ['TRUSTED_DOCUMENTS', text.endsWith('.json', 'the path of a .json file').optional()],
  /** Whether domains must be verified to serve visitors. */
  verifiesDomains: ['DOMAIN_VERIFICATION', rules.flag.default(true)],
  /** The redirect for visitors of an unknown alias on the default domain. */
  notFoundUrl: ['NOT_FOUND_URL', rules.absoluteUrl.optional()],
  /** The path of a file of hosts that no link may lead to. */
  blockedHostsFile: ['BLOCKED_HOSTS', text.optional()],
  /** The path of a file of aliases that no new link may have. */
  reservedAliasesFile: ['RESERVED_ALIASES', text.optional()],
  /** The header with a visitor's country, which the proxy sets. */
  countryHeader: [
    'COUNTRY_HEADER',
    text.regex(/^[\w-]+$/, 'the name of a header, such as CF-IPCountry').optional(),
  ],
  /** The path of an .mmdb file with the countries of addresses. */
  geoipDatabase: ['GEOIP_DATABASE', text.endsWith('.mmdb', 'the path of an .mmdb file').optional()],
  /** How many days changes are kept; 0 for ever. */
  historyDays: ['HISTORY_DAYS', rules.integer(0, 36_500).default(90)],
  /** How many months statistics are kept; 0 for ever. */
  statisticsMonths: ['STATISTICS_MONTHS', rules.integer(0, 1_200).default(24)],
  publicStatistics: ['PUBLIC_STATISTICS', rules.flag.default(true)],
  /** Requests a minute for each key; 0 for no limit. */
  rateLimit: ['RATE_LIMIT', rules.integer(0, 1_000_000_000).default(600)],
  /** The origins of sites whose pages may call the APIs. */
  corsOrigins: ['CORS_ORIGINS', rules.origins.default([])],
  /** The port of the metrics; undefined for none. */
  metricsPort: ['METRICS_PORT', rules.integer(1, 65_535).optional()],
  workers: ['WORKERS', rules.workers.default(1)],
  /** Whether webhooks may call addresses in the operator's own network. */
  allowPrivateWebhooks: ['WEBHOOK_ALLOW_PRIVATE', rules.flag.default(false)],
  logLevel: ['LOG_LEVEL', rules.logLevel.default('info')],
  /** The provider with which people sign in. */
  oidcIssuer: ['OIDC_ISSUER', rules.issuer.optional()],
  oidcClientId: ['OIDC_CLIENT_ID', text.optional()],
  oidcClientSecret: ['OIDC_CLIENT_SECRET', text.optional()],
  /** The provider's name for people; by default its host. */
  oidcName: ['OIDC_NAME', text.max(100, 'a name of 100 characters at most').optional()],
  oidcRolesClaim: ['OIDC_ROLES_CLAIM', text.default('groups')],
  /** The roles that people with a value of that claim get. */
  oidcRoles: ['OIDC_ROLES', rules.oidcRoles.default([])],
  /** Whether people sign in with the provider alone. */
  oidcOnly: ['OIDC_ONLY', rules.flag.default(false)],
} satisfies Record<string, readonly [variable: string, rule: z.ZodType]>;

type Settings = {
  readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name][1]>;
};

export interface Config
  extends Omit<Settings, 'isProduction' | 'graphiql' | 'console' | 'poolSize' | 'statementTimeout'> {
  readonly graphiql: boolean;
  /** Whether the console is served at `/console`. */
  readonly console: boolean;
  readonly pool: PoolOptions;
}

export const variables: readonly string[] = Object.values(settings).map(([variable]) => variable);

/**
 * The default number of connections of all workers: together with those for notifications, it fits into PostgreSQL's default
 * of 100.
 */
const DEFAULT_CONNECTIONS = 80;

/**
 * Reads the configuration from the environment. An empty variable counts as unset.
 * @throws ConfigError
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const faults = new Map<string, string>();
  const values = Object.entries<readonly [string, z.ZodType]>(settings).map(([name, [variable, rule]]) => {
    const { data, error } = rule.safeParse(env[variable] || undefined);
    if (error) faults.set(variable, error.issues[0]?.message ?? '');
    return [name, data];
  });
  const valid: Settings = Object.fromEntries(values); // Each value comes from the rule of its setting.
  for (const [variable, allowed] of wrongCombinations(valid, env))
    if (!faults.has(variable)) faults.set(variable, allowed);
  if (faults.size > 0) {
    const lines = [...faults].map(
      ([variable, allowed]) =>
        `${variable} is ${shown(variable, env[variable] ?? '')}; it may be ${allowed}.`,
    );
    throw new ConfigError(lines.join('\n'));
  }
  const { isProduction, poolSize, statementTimeout, ...config } = valid;
  const defaultPoolSize = Math.max(1, Math.min(10, Math.floor(DEFAULT_CONNECTIONS / config.workers)));
  // With trusted documents, neither GraphiQL nor the console could execute its own.
  const executesAll = config.trustedDocuments === undefined;
  return {
    ...config,
    pool: { poolSize: poolSize ?? defaultPoolSize, statementTimeout },
    console: config.console ?? executesAll,
    graphiql: config.graphiql ?? (!isProduction && executesAll),
  };
}

const nameOf = (url: string) => withoutPort(hostOf(url));

/** The variables that are wrong together with others, and what each may be. */
function wrongCombinations(
  {
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
  const isPostgresql = providerOf(env.DATABASE_URL ?? '') === 'postgresql';
  const hasProvider = Boolean(env.OIDC_ISSUER);
  const needed = 'a text that the provider gave: OIDC_ISSUER needs it';
  const unset = 'unset where DATABASE_URL is not PostgreSQL';
  const wrong: [isWrong: boolean, variable: string, allowed: string][] = [
    [!isPostgresql && databaseReadUrls?.length > 0, 'DATABASE_READ_URLS', unset],
    [!isPostgresql && databaseDirectUrl !== undefined, 'DATABASE_DIRECT_URL', unset],
    [hasProvider && !env.OIDC_CLIENT_ID, 'OIDC_CLIENT_ID', needed],
    [hasProvider && !env.OIDC_CLIENT_SECRET, 'OIDC_CLIENT_SECRET', needed],
    [!hasProvider && Boolean(env.OIDC_CLIENT_ID), 'OIDC_ISSUER', rules.ISSUER],
    [!hasProvider && oidcOnly === true, 'OIDC_ONLY', 'off where OIDC_ISSUER is unset'],
    [metricsPort !== undefined && metricsPort === port, 'METRICS_PORT', 'another port than PORT'],
    [
      consoleUrl !== undefined && nameOf(consoleUrl) === nameOf(baseUrlOf({ baseUrl, port })),
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
  return wrong.flatMap(([isWrong, variable, allowed]) => (isWrong ? [[variable, allowed]] : []));
}

/** The public address. */
export function baseUrlOf({ baseUrl, port }: Pick<Config, 'baseUrl' | 'port'>): string {
  return baseUrl ?? `http://localhost:${port}`;
}

/** The address of the pages for people. */
export function consoleUrlOf({
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

/** Unknown variables that are spelled almost like a known one. */
export function misspelt(env: NodeJS.ProcessEnv): { name: string; meant: string }[] {
  return Object.keys(env).flatMap((name) => {
    const meant = variables.includes(name) ? undefined : variables.find((one) => isNearName(name, one));
    return meant === undefined ? [] : [{ name, meant }];
  });
}
