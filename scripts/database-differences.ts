// npm run differences: says which test files have to run on PostgreSQL, too. It runs the tests of this process on both databases,
// records the statements of each file, and compares them. A file may stay out if none differs but those that other files run
// there. Further arguments are passed to vitest, such as files. With `--recorded FOLDER`, it only compares what a run with
// RECORD_STATEMENTS=FOLDER has recorded.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Recorded {
  readonly file: string;
  readonly provider: 'sqlite' | 'postgresql';
  readonly sql: string;
}

/** A statement without its values, lists of values, and what Prisma's client writes in another way for the same query. */
function normalized(statement: string): string {
  const isOfPrisma = /[`"](main|public)[`"]\./.test(statement);
  const text = statement
    .replaceAll('`', '"')
    .replace(/"(main|public)"\./g, '')
    .replace(/\$\d+/g, '?')
    .replace(/\s+/g, ' ')
    .replace(/, /g, ',')
    .replace(/\?(,\?)+/g, '?')
    .replace(/\(\?\)(,\(\?\))+/g, '(?)');
  if (!isOfPrisma) return text;
  return text
    .replace(/ RETURNING .*/, '')
    .replace(/ LIMIT \?/g, '')
    .replace(/ OFFSET \?/g, '')
    .replace(/IN \((\?|NULL)\)/g, 'IN ()')
    .replace(/ ?AS "sub"/g, '')
    .replace(/ \)/g, ')')
    .trim();
}

/** The statements of each file on PostgreSQL that it does not run on SQLite in the same words. */
function differencesIn(folder: string): Map<string, Set<string>> {
  const found = new Map<string, Record<Recorded['provider'], Set<string>>>();
  for (const name of readdirSync(folder))
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)) {
      const { file, provider, sql }: Recorded = JSON.parse(line);
      const of = found.get(file) ?? { sqlite: new Set(), postgresql: new Set() };
      found.set(file, of);
      of[provider].add(normalized(sql));
    }
  const onBoth = [...found].filter(([, { sqlite, postgresql }]) => sqlite.size > 0 && postgresql.size > 0);
  return new Map(
    onBoth.map(([file, { sqlite, postgresql }]) => [
      file,
      new Set([...postgresql].filter((statement) => !sqlite.has(statement))),
    ]),
  );
}

const words = process.argv.slice(2);
const given = words[0] === '--recorded' ? words[1] : undefined;
const folder = given ?? mkdtempSync(join(tmpdir(), 'linkspace-statements-'));
if (given === undefined) {
  const env = { ...process.env, PG: 'all', RECORD_STATEMENTS: folder };
  const projects = ['--project', 'sqlite', '--project', 'postgresql'];
  spawnSync('npx', ['vitest', 'run', ...projects, ...words], { env, stdio: 'inherit' });
}
const differences = differencesIn(folder);
if (given === undefined) rmSync(folder, { recursive: true });

const listed = spawnSync('npx', ['vitest', 'list', '--filesOnly', '--project', 'postgresql'], {
  encoding: 'utf8',
});
const onPostgresql = new Set(listed.stdout.match(/test\/\S+\.test\.ts/g));
/** Number of files run on PostgreSQL, too, that run each of the statements. */
const counts = new Map<string, number>();
for (const [file, statements] of differences)
  if (onPostgresql.has(file))
    for (const statement of statements) counts.set(statement, (counts.get(statement) ?? 0) + 1);
/** As many others are enough: starting a server and making records have statements of their own, too. */
const ENOUGH = 5;

for (const [file, statements] of [...differences].sort(([one], [other]) => (one < other ? -1 : 1))) {
  const runs = onPostgresql.has(file);
  const own = [...statements].filter((statement) => (counts.get(statement) ?? 0) - Number(runs) < ENOUGH);
  if (own.length === 0) console.log(`${file}: ${runs ? 'may stay out' : 'stays out'}`);
  else {
    const few = own.map((statement) => `\n  ${statement}`).join('');
    console.log(`${file}: ${runs ? 'runs on PostgreSQL' : 'should run on PostgreSQL'}${few}`);
  }
}
