// npm run migration -- NAME: writes the difference between prisma/schema.prisma and the migrations, as a new migration for
// each database. Review it before you commit it; triggers are added by hand, below the generated part.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrations } from '../src/db/migrations.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { diffToModels, requireHarmless, WrittenByHand } from './migration-diff.ts';
import { sqliteMigration } from './sqlite-migration.ts';

const name = process.argv[2];
if (name === undefined || !/^[a-z0-9_]+$/.test(name)) {
  console.error('Usage: npm run migration -- NAME   (NAME: small letters, digits and _)');
  process.exit(1);
}
const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
const server = await startPostgres();
/** The files to write: none, if one of the databases needs a migration by hand. */
const files: [file: string, sql: string][] = [];
try {
  for (const [provider, diff] of [
    ['sqlite', () => sqliteMigration()],
    ['postgresql', () => diffToModels('postgresql', server.url)],
  ] as const) {
    const file = join(migrations.folderOf(provider), `${stamp}_${name}`, 'migration.sql');
    try {
      const sql = await diff();
      if (sql === null) console.log(`${provider}: nothing to do`);
      else {
        requireHarmless(sql);
        files.push([file, sql]);
      }
    } catch (error) {
      if (!(error instanceof WrittenByHand)) throw error;
      console.error(`${file} is not written, nor is that of the other database: ${error.message}`);
      process.exitCode = 1;
    }
  }
} finally {
  await server.stop();
}
if (process.exitCode === undefined)
  for (const [file, sql] of files) {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, sql);
    console.log(`wrote ${file}`);
  }
