import Sqlite from 'better-sqlite3';
import { migrations } from '../src/db/migrations.ts';
import { diffToModels, readModels, WrittenByHand } from './migration-diff.ts';

const MEMORY = 'file::memory:';

/**
 * The schema engine's way to change a table: it copies the rows to a new one. Views and triggers on the old one forbid
 * it.
 */
const REDEFINITION = /^-- RedefineTables\n[\s\S]*?^PRAGMA defer_foreign_keys=OFF;\n/m;
const NEW_TABLE = /^CREATE TABLE "new_([^"]+)" \([\s\S]*?^\);/gm;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
}

interface ForeignKey {
  readonly from: string;
  readonly table: string;
  readonly to: string;
  readonly on_delete: string;
  readonly on_update: string;
}

/** The default of an added column must be a constant. */
const CONSTANT = /^(-?[\d.]+|'(?:[^']|'')*'|x'[\da-f]*'|true|false)$/i;
/** An optional column with another default: the engine adds it, and SQLite refuses it if the table has rows. */
const COMPUTED = /^ALTER TABLE ("\w+") ADD COLUMN ("\w+") .*\bDEFAULT (CURRENT_\w+|\(.*\));$/m;

const computed = (preset: string): string =>
  `has the default ${preset}, but SQLite adds columns only with constants: leave the default out of the models, make the column optional, and set its value in the program`;

/** The statement that adds the column. @throws WrittenByHand if SQLite cannot add it */
function addColumn(table: string, column: Column, key: ForeignKey | undefined): string {
  const { name, type, notnull, dflt_value: preset } = column;
  const refuse = (why: string): never => {
    throw new WrittenByHand(`"${table}"."${name}" ${why}.`);
  };
  if (notnull && preset === null)
    refuse(
      'is required and has no default, but existing rows have no value for it: give it a default, or make it optional',
    );
  if (preset !== null && !CONSTANT.test(preset)) refuse(computed(preset));
  if (key && preset !== null)
    refuse('refers to another table and has a default: SQLite adds such a column only without a default');
  const parts = [
    `ALTER TABLE "${table}" ADD COLUMN "${name}" ${type}`,
    notnull ? 'NOT NULL' : '',
    preset === null ? '' : `DEFAULT ${preset}`,
    key
      ? `REFERENCES "${key.table}" ("${key.to}") ON DELETE ${key.on_delete} ON UPDATE ${key.on_update}`
      : '',
  ];
  return `${parts.filter((part) => part !== '').join(' ')};\n`;
}

/** Returns instructions for a table that must change in another way. */
function recipe(
  table: string,
  lost: readonly string[],
  dependents: readonly string[],
  script: string,
): string {
  return `"${table}" changes by more than added columns, so that the table would be made anew. Write the migration by hand:
1. DROP the views, triggers and indexes that use what changes. These use the table: ${dependents.join(', ')}.
2. For a column that was renamed, ALTER TABLE "${table}" RENAME COLUMN "OLD" TO "NEW"; for one that is really gone,
   ALTER TABLE … DROP COLUMN. Columns that the models lack: ${lost.join(', ') || 'none'}.
   For anything else, the script below.
3. CREATE the views, triggers and indexes again.

${script}`;
}

/**
 * The migration of SQLite to the models, or null if there is nothing to do. Columns are added to tables as they are.
 * @throws WrittenByHand if a table would have to be made anew
 */
export async function sqliteMigration(models = readModels()): Promise<string | null> {
  const script = await diffToModels('sqlite', MEMORY, models);
  if (script === null) return null;
  const [, owner, column, preset = ''] = COMPUTED.exec(script) ?? [];
  if (owner !== undefined) throw new WrittenByHand(`${owner}.${column} ${computed(preset)}.`);
  const tables = [...script.matchAll(NEW_TABLE)];
  if (tables.length === 0) return script;
  const database = new Sqlite(':memory:');
  try {
    for (const name of migrations.known('sqlite')) database.exec(migrations.scriptOf('sqlite', name));
    for (const [create] of tables) database.exec(create);
    const read = <Row>(sql: string, ...values: string[]) =>
      database.prepare<string[], Row>(sql).all(...values);
    const readColumns = (table: string) => read<Column>('SELECT * FROM pragma_table_info(?)', table);
    const added = tables.flatMap(([, table = '']) => {
      const stored = new Set(readColumns(table).map(({ name }) => name));
      const keys = read<ForeignKey>('SELECT * FROM pragma_foreign_key_list(?)', `new_${table}`);
      return readColumns(`new_${table}`)
        .filter(({ name }) => !stored.has(name))
        .map((column) =>
          addColumn(
            table,
            column,
            keys.find(({ from }) => from === column.name),
          ),
        );
    });
    const changed = script.replace(REDEFINITION, () => `-- AlterTable\n${added.join('')}`);
    const rest = await diffToModels('sqlite', MEMORY, models, changed);
    const [[, table = ''] = []] = [...(rest ?? '').matchAll(NEW_TABLE)];
    if (table === '') return rest === null ? changed : `${changed}\n${rest}`;
    const wanted = new Set(readColumns(`new_${table}`).map(({ name }) => name));
    const lost = readColumns(table).flatMap(({ name }) => (wanted.has(name) ? [] : name));
    const dependents = read<{ name: string }>(
      `SELECT "name" FROM "sqlite_master" WHERE "type" IN ('view', 'trigger', 'index') AND instr("sql", ?)`,
      `"${table}"`,
    );
    throw new WrittenByHand(
      recipe(
        table,
        lost,
        dependents.map(({ name }) => name),
        script,
      ),
    );
  } finally {
    database.close();
  }
}
