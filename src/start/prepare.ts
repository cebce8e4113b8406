import type { Logger } from 'pino';
import { type Config, migratedDatabase } from '../config.ts';
import { allValid, ConfigError, shown } from '../config-error.ts';
import { settleEpoch } from '../db/change/log.ts';
import { type Data, Database } from '../db/database.ts';
import { withHints } from '../db/error-hints.ts';
import { applyMigrations, type MigrationProgress } from '../db/migrate.ts';
import { isNewWith, migrationStateOf } from '../db/migration-state.ts';
import { HostHeld, shareDefaultDomain } from '../domain/short-domain/default-domain.ts';
import type { Metrics } from '../http/metrics.ts';
import { countryLookup } from '../http/request/country.ts';
import { readOperatorFiles } from '../operator-files.ts';
import { oneLine } from '../shared/one-line.ts';

/** A handler that throws the error for an unusable file of a variable. */
function refused(variable: string, path: string | undefined, allowed: string): (error: unknown) => never {
  return (error) => {
    const reason = oneLine(error).replace(/\.$/, '');
    throw new ConfigError(
      `${variable} is ${shown(variable, path ?? '')}; it must be the path of ${allowed}: ${reason}.`,
    );
  };
}

export function readFiles(config: Config, log: Logger) {
  const { countryHeader, geoipDatabase, trustedDocuments } = config;
  const readTrusted = async (path: string) => {
    const { readTrustedDocuments } = await import('../graphql/trusted-documents.ts');
    return readTrustedDocuments(path).catch(
      refused('TRUSTED_DOCUMENTS', path, 'a file of documents that the schema allows'),
    );
  };
  return allValid([
    countryLookup(countryHeader, geoipDatabase).catch(
      refused('GEOIP_DATABASE', geoipDatabase, 'a readable .mmdb file'),
    ),
    trustedDocuments === undefined ? undefined : readTrusted(trustedDocuments),
    readOperatorFiles(config, log),
  ] as const);
}

export async function migrate(config: Config, log: Logger): Promise<void> {
  const migrated = migratedDatabase(config);
  const progress: MigrationProgress = {
    begins: (migration, number, of) => {
      // A new database gets all of them within a moment.
      if (!isNewWith(of, migrated[1])) log.info({ migration, number, of }, 'applying migration');
      else if (number === 1) log.info('creating the tables');
    },
    waits: () => log.info('another process migrates the database: waiting for it'),
  };
  const { length: migrations } = await withHints(...migrated, (url) => applyMigrations(url, progress));
  if (migrations > 0) log.info({ migrations }, 'migrations applied');
  const { unknown } = await withHints(...migrated, migrationStateOf);
  if (unknown.length > 0)
    log.warn({ migrations: unknown }, 'a newer version has migrated the database; this one may not fit it');
}

export async function openDatabases(config: Config, log: Logger, metrics: Metrics | undefined) {
  const { pool, databaseDirectUrl: directUrl } = config;
  const onStatement = metrics && ((_sql: string, seconds: number) => metrics.statement(seconds));
  const database = await Database.open(config.databaseUrl, { pool, directUrl, onStatement });
  if (database.pooled && directUrl === undefined)
    log.warn(
      'DATABASE_URL is a connection pooler’s: without DATABASE_DIRECT_URL, changes are found by polling, and migrations cannot be made',
    );
  await settleEpoch(database);
  const replicas = await Promise.all(
    config.databaseReadUrls.map((url) =>
      withHints('DATABASE_READ_URLS', url, () => Database.open(url, { pool, onStatement })),
    ),
  );
  return { database, replicas };
}

/** Says what pixels cannot do, if there are any. */
export async function notePixels(db: Data, log: Logger): Promise<void> {
  if ((await db.prisma.pixel.findFirst({ select: { id: true } })) === null) return;
  log.info(
    'pixels of links on the hosts of the console, such as that of BASE_URL, set no cookies, and some networks may not count ' +
      'them: on a domain of its own, an account’s pixels run as the network intends',
  );
}

/** Makes the base URL's host the default domain, and gives its id. */
export async function settleDefaultDomain(
  config: Config,
  db: Data,
  baseUrl: string,
  log: Logger,
): Promise<number> {
  const { host } = new URL(baseUrl);
  const notFoundUrl = config.notFoundUrl ?? null;
  const { id, renamed } = await shareDefaultDomain(db, host, notFoundUrl, new Date()).catch(
    (error: unknown) => {
      if (!(error instanceof HostHeld)) throw error;
      throw new ConfigError(
        `BASE_URL is "${baseUrl}", but the account "${error.account}" has that host as a domain: use another ` +
          `URL, or remove the domain from the account: npm run domains -- remove ${error.host}`,
      );
    },
  );
  if (renamed)
    log.info(
      { from: renamed.from, to: host, links: renamed.links },
      'default domain renamed to the host of BASE_URL: its links work under the new host',
    );
  return id;
}
