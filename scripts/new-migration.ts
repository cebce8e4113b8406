// npm run migration -- NAME: writes the difference between prisma/schema.prisma and the migrations, as a new migration for
// each database. Review it before you commit it; triggers are added by hand, below the generated part.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationsFolder } from '../src/db/migration-state.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { diffToModels } from './migration-diff.ts';

const name = process.argv[2];
if (name === undefined || !/^[a-z0-9_]+$/.test(name)) {
  console.error('Usage: npm run migration -- NAME   (NAME: small letters, digits and _)');
  process.exit(1);
}
const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
const server = await startPostgres();
try {
  for (const [provider, url] of [
    ['sqlite', 'file::memory:'],
    ['postgresql', server.url],
  ] as const) {
    const sql = await diffToModels(provider, url);
    if (sql === null) {
      console.log(`${provider}: nothing to do`);
      continue;
    }
    const folder = join(migrationsFolder(provider), `${stamp}_${name}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'migration.sql'), sql);
    console.log(`wrote ${folder}/migration.sql`);
  }
} finally {
  await server.stop();
}
