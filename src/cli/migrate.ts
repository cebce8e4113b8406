import { withHints } from '../db/error-hints.ts';
import '../require-node.js';

import { type Config, migratedDatabase } from '../config.ts';
import { applyMigrations } from '../db/migrate.ts';
import { migrationStateOf } from '../db/migration-state.ts';
import { runCommand } from './command.ts';
import { databaseNote } from './database.ts';
import { print } from './terminal.ts';

const help = `Usage: npm run migrate              applies the pending migrations and exits
       npm run migrate -- --status  lists the pending migrations, and those of a newer version, and changes nothing

  --json     prints JSON instead of text`;

const options = { status: { type: 'boolean' } } as const;

const note = (config: Config) => {
  const [variable, url] = migratedDatabase(config);
  return databaseNote(url, variable);
};

await runCommand({ help, options, note }, async ({ values, config }) => {
  const migrated = migratedDatabase(config);
  if (values.status) {
    const state = await withHints(...migrated, migrationStateOf);
    if (values.json) return print(JSON.stringify(state));
    const { pending, unknown } = state;
    print(pending.length > 0 ? `Pending:\n  ${pending.join('\n  ')}` : 'Nothing is pending.');
    if (unknown.length > 0) print(`Of a newer version:\n  ${unknown.join('\n  ')}`);
    return;
  }
  const applied = await withHints(...migrated, applyMigrations);
  if (values.json) return print(JSON.stringify({ applied }));
  print(applied.length > 0 ? `Applied:\n  ${applied.join('\n  ')}` : 'Nothing was pending.');
});
