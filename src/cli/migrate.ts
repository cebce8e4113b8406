import '../require-node.js';

import { migratedDatabase } from '../config.ts';
import { advised } from '../db/connection/advice.ts';
import { applyMigrations, migrationStateOf } from '../db/migrate.ts';
import { databaseNote, print, readArguments, runCommand } from './command.ts';

const help = `Usage: npm run migrate              applies the pending migrations and exits
       npm run migrate -- --status  lists the pending migrations, and those of a newer version, and changes nothing

  --json     prints JSON instead of text`;

await runCommand(async (config) => {
  const { values } = readArguments({
    options: {
      status: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const migrated = migratedDatabase(config);
  if (values.help) return print(`${help}\n\n${databaseNote(migrated[1], migrated[0])}`);
  if (values.status) {
    const state = await advised(...migrated, migrationStateOf);
    if (values.json) return print(JSON.stringify(state));
    const { pending, unknown } = state;
    print(pending.length > 0 ? `Pending:\n  ${pending.join('\n  ')}` : 'Nothing is pending.');
    if (unknown.length > 0) print(`Of a newer version:\n  ${unknown.join('\n  ')}`);
    return;
  }
  const applied = await advised(...migrated, applyMigrations);
  if (values.json) return print(JSON.stringify({ applied }));
  print(applied.length > 0 ? `Applied:\n  ${applied.join('\n  ')}` : 'Nothing was pending.');
});
