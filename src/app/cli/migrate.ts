import { applyMigrations } from '../../db/apply-migrations.ts';
import { migrations } from '../../db/migrations.ts';
import { withHints } from '../../engine/db/error-hints.ts';
import { findProvider } from '../../engine/db/url.ts';
import { type Config, migratedDatabase } from '../config.ts';
import { command, UsageError } from './command.ts';
import { databaseNote } from './database.ts';

const help = `Usage: npm run migrate                   applies the pending migrations and exits
       npm run migrate -- --new-schema   makes the tables in a schema of their own, beside those of another installation
       npm run migrate -- --status       lists the pending migrations, and those of a newer version, and changes nothing

The schema is the one that ?schema=NAME of a PostgreSQL URL names, or else the role's search_path.

  --json  prints JSON instead of text`;

const options = { status: { type: 'boolean' }, 'new-schema': { type: 'boolean', default: false } } as const;

const note = (config: Config) => {
  const [variable, url] = migratedDatabase(config);
  return databaseNote(url, variable);
};

function listed(title: string, migrations: readonly string[]): string | null {
  return migrations.length > 0 ? `${title}:\n  ${migrations.join('\n  ')}` : null;
}

export const main = command({ help, options, note }, async ({ values, config, io, show }) => {
  const migrated = migratedDatabase(config);
  if (values.status) {
    const { pending, unknown } = await withHints(...migrated, (url) => migrations.stateAt(url));
    const lines = [
      listed('Pending', pending) ?? 'Nothing is pending.',
      listed('Of a newer version', unknown),
    ];
    return show({ pending, unknown }, lines.filter((line) => line !== null).join('\n'));
  }
  const newSchema = values['new-schema'];
  if (newSchema && findProvider(migrated[1]) === 'sqlite')
    throw new UsageError('--new-schema is for PostgreSQL: a SQLite file has one installation.');
  const applied = await withHints(...migrated, (url) => applyMigrations(url, { newSchema }));
  const { lacking } = await withHints(...migrated, (url) => migrations.stateAt(url));
  if (lacking !== null) io.stderr.write(`The database ${lacking}.\n`);
  show({ applied }, listed('Applied', applied) ?? 'Nothing was pending.');
});
