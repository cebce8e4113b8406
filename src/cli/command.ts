import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Config, misspelt, readConfig } from '../config.ts';
import { hintFor } from '../db/error-hints.ts';
import { DomainError } from '../domain/errors.ts';
import { OperatorError } from '../operator-error.ts';
import { VERSION } from '../own-files.ts';
import { withoutSecrets } from '../secrets.ts';
import { oneLine } from '../shared/one-line.ts';
import { databaseNote } from './database.ts';
import { print, printable } from './terminal.ts';

/** An error in the command line; printed with a hint to the help. */
export class UsageError extends Error {}

/** npm takes options before `--` itself, and passes only their values to the command. */
function unexpected(): string {
  const script = process.env.npm_lifecycle_event;
  return script === undefined ? '' : ` Put "--" before the options: npm run ${script} -- --option value.`;
}

function explain(error: unknown, url: string): string {
  // The values in operators' errors are masked already; masking the whole message could remove parts of the explanation.
  if (error instanceof OperatorError) return error.message;
  if (error instanceof DomainError) return withoutSecrets(error.message);
  const code = error instanceof TypeError && 'code' in error ? error.code : undefined;
  const hint = code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL' ? unexpected() : '';
  if (error instanceof UsageError || (error instanceof TypeError && code !== undefined))
    return `${withoutSecrets(error.message).replace(/\.?$/, '.')}${hint} See --help.`;
  return hintFor(error, url, 'DATABASE_URL') ?? `Failed: ${oneLine(error)}`;
}

/** Ends the process silently when its output is closed, as after `| head`. */
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

/** A command: its options, without the common `--json` and `--help`, and its verbs, if it needs one. */
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
