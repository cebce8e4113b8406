import type { Logger } from 'pino';
import { applyMigrations } from '../db/apply-migrations.ts';
import { migrations } from '../db/migrations.ts';
import { withHints } from '../engine/db/error-hints.ts';
import type { MigrationProgress } from '../engine/db/migrate.ts';
import type { TrustedDocuments } from '../engine/graphql/trusted-documents.ts';
import { allValid, unusable } from '../engine/tools/operator-error.ts';
import { countryLookup } from '../redirect/country.ts';
import { type Config, migratedDatabase } from './config.ts';
import { readOperatorFiles } from './operator-files.ts';

/**
 * Reads the operator's files. With workers, the primary does so too, so that a wrong one is reported once.
 * @param trusted the trusted documents, if there is no file of them
 */
export function readFiles(config: Config, log: Logger, filesInterval?: number, trusted?: TrustedDocuments) {
  const { countryHeader, geoipDatabase, trustedDocuments } = config;
  // The primary does not load the schema without need.
  const readTrusted = async (path: string) => {
    const [{ readTrustedDocuments }, { schema }] = await Promise.all([
      import('../engine/graphql/trusted-documents.ts'),
      import('../schema/index.ts'),
    ]);
    return readTrustedDocuments(path, schema);
  };
  return allValid([
    countryLookup(countryHeader, geoipDatabase).catch((error: unknown) => {
      if (geoipDatabase !== undefined)
        return unusable('GEOIP_DATABASE', geoipDatabase, 'a readable .mmdb file')(error);
      log.warn(
        { err: error },
        'countries of addresses are unknown: the program’s own database cannot be read',
      );
      return countryLookup(countryHeader, 'off');
    }),
    trustedDocuments === undefined
      ? trusted
      : readTrusted(trustedDocuments).catch(
          unusable('TRUSTED_DOCUMENTS', trustedDocuments, 'a file of documents that the schema allows'),
        ),
    readOperatorFiles(config, log, filesInterval),
  ] as const);
}

export async function migrate(config: Config, log: Logger): Promise<void> {
  if (config.role === 'redirects') return;
  const migrated = migratedDatabase(config);
  const progress: MigrationProgress = {
    begins: (migration, number, of) => {
      // A new database gets all of them within a moment.
      if (!migrations.isNewWith(of, migrated[1])) log.info({ migration, number, of }, 'applying migration');
      else if (number === 1) log.info('creating the tables');
    },
    waits: () => log.info('another process migrates the database: waiting for it'),
  };
  const { length: applied } = await withHints(...migrated, (url) => applyMigrations(url, { progress }));
  if (applied > 0) log.info({ migrations: applied }, 'migrations applied');
  const { unknown, lacking } = await withHints(...migrated, (url) => migrations.stateAt(url));
  // Opening the database says it of the others.
  const [variable] = migrated;
  if (lacking !== null && variable === 'DATABASE_DIRECT_URL')
    log.warn({ variable }, `the database ${lacking}`);
  if (unknown.length > 0)
    log.warn({ migrations: unknown }, 'a newer version has migrated the database; this one may not fit it');
}
