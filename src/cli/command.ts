import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Config, misspelt, readConfig } from '../config.ts';
import { onOwnChanges } from '../db/change/log.ts';
import { openDatabase } from '../db/connection/client.ts';
import type { Db } from '../db/connection/db.ts';
import { dialectOf } from '../db/connection/dialect.ts';
import { hintFor } from '../db/connection/error-hints.ts';
import { announceWrite } from '../db/connection/replicas.ts';
import { fileExists, pathOf } from '../db/connection/sqlite-file.ts';
import { providerOf } from '../db/connection/url.ts';
import { migrationStateOf } from '../db/migrate.ts';
import { DomainError } from '../domain/errors.ts';
import { OperatorError } from '../operator-error.ts';
import { withoutSecrets } from '../secrets.ts';
import { oneLine } from '../shared/one-line.ts';
import { VERSION } from '../version.ts';

/** An error in the command line; printed with a hint to the help. */
export class UsageError extends Error {}

/** npm takes options that stand before `--`, and leaves their values to the command as arguments. */
function unexpected(): string {
  const script = process.env.npm_lifecycle_event;
  return script === undefined ? '' : ` Put "--" before the options: npm run ${script} -- --option value.`;
}

function explain(error: unknown, url: string): string {
  // Operators' errors have masked values already. To mask the whole would take explanations for parts of a password.
  if (error instanceof OperatorError) return error.message;
  if (error instanceof DomainError) return withoutSecrets(error.message);
  const code = error instanceof TypeError && 'code' in error ? error.code : undefined;
  const hint = code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL' ? unexpected() : '';
  if (error instanceof UsageError || (error instanceof TypeError && code !== undefined))
    return `${withoutSecrets(error.message).replace(/\.?$/, '.')}${hint} See --help.`;
  return hintFor(error, url, 'DATABASE_URL') ?? `Failed: ${oneLine(error)}`;
}

/** Ends the process without a word if nobody reads its output any more, as after `| head`. */
function endIfUnread(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') process.exit();
}

type Options = NonNullable<ParseArgsConfig['options']>;
const common = {
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The verbs of a command: the options that only one has, and the message for a missing argument of one that needs it. */
type Verbs = Readonly<Record<string, { readonly options?: readonly string[]; readonly argument?: string }>>;

/** A command: its own options besides `--json` and `--help`, and the verbs of one that needs a verb. */
interface Command<Own extends Options> {
  readonly help: string;
  readonly options: Own;
  readonly verbs?: Verbs;
  /** The end of the help, with the values that are used; by default the database. */
  readonly note?: (config: Config) => string;
}

interface Run<Own extends Options> {
  readonly values: ReturnType<typeof parseArgs<{ options: Own & typeof common }>>['values'];
  readonly config: Config;
  /** The verb and its argument; empty if there is none. */
  readonly verb: string;
  readonly argument: string;
}

/** @throws UsageError, also for an option of another verb */
function checkVerb(
  verbs: Verbs,
  [verb, argument, ...rest]: readonly string[],
  values: Readonly<Record<string, unknown>>,
): void {
  const names = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(Object.keys(verbs));
  if (verb === undefined) throw new UsageError(`The command is missing: ${names}.`);
  const own = verbs[verb];
  if (own === undefined) throw new UsageError(`"${verb}" is not a command; use ${names}.`);
  if (rest.length > 0 || (own.argument === undefined && argument !== undefined))
    throw new UsageError(`There are too many arguments.${unexpected()}`);
  for (const [owner, { options = [] }] of Object.entries(verbs))
    for (const option of options)
      if (values[option] !== undefined && owner !== verb)
        throw new UsageError(`--${option} is an option of ${owner}, not of ${verb}.`);
  if (own.argument !== undefined && argument === undefined) throw new UsageError(own.argument);
}

/** Runs a command with the configuration of the environment; prints a failure in one line, with exit code 1. */
export async function runCommand<const Own extends Options>(
  { help, options: own, verbs, note = ({ databaseUrl }) => databaseNote(databaseUrl) }: Command<Own>,
  work: (run: Run<Own>) => Promise<void>,
): Promise<void> {
  if (process.argv.includes('--version')) return print(VERSION);
  let url = '';
  process.stdout.on('error', endIfUnread);
  try {
    const config = readConfig(process.env);
    for (const { name, meant } of misspelt(process.env))
      process.stderr.write(`Unknown variable ${name}: did you mean ${meant}?\n`);
    url = config.databaseUrl;
    const options = { ...own, ...common };
    // npm sets this for each option that it takes.
    for (const option of Object.keys(options))
      if (process.env[`npm_config_${option.replaceAll('-', '_')}`])
        throw new UsageError(`npm has taken the option --${option}.${unexpected()}`);
    const { values, positionals } = parseArgs({ options, allowPositionals: verbs !== undefined });
    const given: Readonly<Record<string, unknown>> = values;
    if (given.help) return print(`${help}\n\n${note(config)}`.trimEnd());
    if (verbs) checkVerb(verbs, positionals, given);
    const [verb = '', argument = ''] = positionals;
    await work({ values, config, verb, argument });
  } catch (error) {
    endIfUnread(error);
    process.stderr.write(`${printable(explain(error, url))}\n`);
    process.exitCode = 1;
  }
}

/**
 * Makes sure that the database at `url` exists and has all migrations: only the start and `migrate` apply them.
 */
async function requireMigrated(url: string): Promise<void> {
  if (providerOf(url) === 'sqlite' && !fileExists(url))
    throw new OperatorError(
      `There is no file ${withoutSecrets(pathOf(url))}: run "npm run migrate", or start the service, first.`,
    );
  const { pending } = await migrationStateOf(url);
  if (pending.length > 0)
    throw new OperatorError(
      `The database lacks ${pending.length} of this version's migrations: run "npm run migrate", or start the service, first.`,
    );
}

/** Announces the writes of accounts to processes that read from replicas; returns a function that waits until that is done. */
function announceWrites(db: Db): () => Promise<unknown> {
  const announced: Promise<unknown>[] = [];
  if (dialectOf(db).hasConcurrentWriters)
    onOwnChanges(db, (changes) => {
      const accounts = new Set(changes.flatMap(({ accountId }) => accountId ?? []));
      // The write is done: an error would invite the operator to repeat it.
      for (const account of accounts) announced.push(announceWrite(db, account).catch(() => {}));
    });
  return () => Promise.all(announced);
}

/** Runs `work` on the database, and closes it. */
export async function withDatabase<T>(
  { databaseUrl: url }: Config,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  await requireMigrated(url);
  const database = await openDatabase(url);
  const announced = announceWrites(database.client);
  return work(database.client).finally(async () => {
    await announced();
    await database.close();
  });
}

/** Control characters, and those that change the direction of a text. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** The text for a terminal: what comes from files and records could contain commands to it. JSON stays the same JSON. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The last line of a command's help: the database that it would use. */
export function databaseNote(url: string, variable = 'DATABASE_URL'): string {
  return `The database is the one that ${variable} names, now ${withoutSecrets(url)}`;
}

export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** A number of things, such as `1 link` or `2 links`. */
export function counted(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** Rows as text, with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
