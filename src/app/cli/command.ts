import type { Writable } from 'node:stream';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { hintFor } from '../../engine/db/error-hints.ts';
import { DomainError, unstorable } from '../../engine/rules/errors.ts';
import { oneLine } from '../../engine/tools/one-line.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { BUILD_NAME, IS_PACKAGE } from '../../engine/tools/own-files.ts';
import { printable } from '../../engine/tools/printable.ts';
import { withoutSecrets } from '../../engine/tools/secrets.ts';
import { type Config, misspelt, readConfig } from '../config.ts';
import { withOwnCommands } from '../own-commands.ts';
import { databaseNote } from './database.ts';
import { requireOwner } from './owner.ts';

/** The parts of its process that a command uses: input, outputs, and the signals that stop it. */
export interface Io extends Pick<NodeJS.EventEmitter, 'on' | 'off'> {
  /** The input, where there is one. */
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
}

/** Runs a command with its arguments, and returns the exit code. */
export type Main = (argv: readonly string[], env: NodeJS.ProcessEnv, io: Io) => Promise<number>;

/** An error in the command line; printed with a hint to the help. */
export class UsageError extends Error {}

/** npm takes options before `--` itself, and passes only their values to the command. */
function unexpected({ npm_lifecycle_event: script }: NodeJS.ProcessEnv): string {
  return script === undefined || IS_PACKAGE
    ? ''
    : ` Put "--" before the options: npm run ${script} -- --option value.`;
}

function explain(error: unknown, url: string, env: NodeJS.ProcessEnv): string {
  // The values in operators' errors are masked already; masking the whole message could remove parts of the explanation.
  if (error instanceof OperatorError) return error.message;
  if (error instanceof DomainError) return withoutSecrets(error.message);
  const code = error instanceof TypeError && 'code' in error ? error.code : undefined;
  const hint = code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL' ? unexpected(env) : '';
  if (error instanceof UsageError || (error instanceof TypeError && code !== undefined))
    return `${withoutSecrets(error.message).replace(/\.?$/, '.')}${hint} See --help.`;
  const refused = unstorable(error, undefined);
  if (refused !== null) return refused.message;
  return hintFor(error, url, 'DATABASE_URL') ?? `Failed: ${oneLine(error)}`;
}

/** The name of the script in package.json, which the usage line of its help begins with. */
function parseScript(help: string): string {
  return /npm run (?:--silent )?(\w+)/.exec(help)?.[1] ?? '';
}

/** True if the output was closed, as by `| head`, which is no failure. */
function isUnread(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

type Options = NonNullable<ParseArgsConfig['options']>;

const common = {
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
} as const;

/** A verb of a command. */
interface Verb {
  /** The options that only some verbs have. */
  readonly options?: readonly string[];
  /** The message for a missing argument. */
  readonly argument?: string;
  /** True if an option may replace the argument; the command itself checks for one of them. */
  readonly mayOmit?: boolean;
}
type Verbs = Readonly<Record<string, Verb>>;

/** A command: its options, without the common `--json` and `--help`, and its verbs, if it needs one. */
interface Command<Own extends Options> {
  readonly help: string;
  readonly options: Own;
  readonly verbs?: Verbs;
  /** The URLs of the databases that it opens; by default that of the configuration. */
  readonly urls?: (values: Readonly<Record<string, unknown>>) => readonly unknown[];
  /** The end of the help, with the values that are used; by default the database. */
  readonly note?: (config: Config) => string;
}

interface Run<Own extends Options> {
  readonly values: ReturnType<typeof parseArgs<{ options: Own & typeof common }>>['values'];
  readonly config: Config;
  /** The verb and its argument; empty if there is none. */
  readonly verb: string;
  readonly argument: string;
  readonly env: NodeJS.ProcessEnv;
  readonly io: Io;
  print(text: string): void;
  /** Prints the text, or with `--json` the value, indented by that many spaces. */
  show(value: object, text: string, spaces?: number): void;
}

/** @throws UsageError, also for an option of another verb */
function checkVerb(
  verbs: Verbs,
  [verb, argument, ...rest]: readonly string[],
  values: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
): void {
  const names = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(Object.keys(verbs));
  if (verb === undefined) throw new UsageError(`The command is missing: ${names}.`);
  const own = verbs[verb];
  if (own === undefined) throw new UsageError(`"${verb}" is not a command; use ${names}.`);
  if (rest.length > 0 || (own.argument === undefined && argument !== undefined))
    throw new UsageError(`There are too many arguments.${unexpected(env)}`);
  for (const option of Object.keys(values)) {
    const owners = Object.entries(verbs).filter(([, { options = [] }]) => options.includes(option));
    if (values[option] === undefined || owners.length === 0 || owners.some(([owner]) => owner === verb))
      continue;
    const list = new Intl.ListFormat('en-GB').format(owners.map(([owner]) => owner));
    throw new UsageError(`--${option} is an option of ${list}, not of ${verb}.`);
  }
  if (own.argument !== undefined && argument === undefined && !own.mayOmit)
    throw new UsageError(own.argument);
}

/**
 * A command with the configuration of its environment. A failure is printed in one line, with exit code 1.
 * @param work does it, and returns an exit code that is not 0, or undefined
 */
export function command<const Own extends Options>(
  { help, options: own, verbs, urls, note = ({ databaseUrl }) => databaseNote(databaseUrl) }: Command<Own>,
  work: (run: Run<Own>) => Promise<unknown>,
): Main {
  return async (argv, env, io) => {
    const print = (text: string) => void io.stdout.write(`${printable(text)}\n`);
    const complain = (text: string) => void io.stderr.write(`${printable(text)}\n`);
    let url = '';
    try {
      if (argv.includes('--version')) {
        print(BUILD_NAME);
        return 0;
      }
      const config = readConfig(env);
      for (const { name, meant } of misspelt(env))
        complain(`Unknown variable ${name}: did you mean ${meant}?`);
      url = config.databaseUrl;
      const options = { ...own, ...common };
      // npm sets this for each option that it takes.
      for (const option of Object.keys(options))
        if (env[`npm_config_${option.replaceAll('-', '_')}`])
          throw new UsageError(`npm has taken the option --${option}.${unexpected(env)}`);
      const { values, positionals } = parseArgs({
        args: [...argv],
        options,
        allowPositionals: verbs !== undefined,
      });
      const given: Readonly<Record<string, unknown>> = values;
      if (given.help) {
        print(withOwnCommands(`${help}\n\n${note(config)}`.trimEnd()));
        return 0;
      }
      if (verbs) checkVerb(verbs, positionals, given, env);
      for (const one of urls?.(given) ?? [url]) requireOwner(one, parseScript(help), argv);
      const [verb = '', argument = ''] = positionals;
      const show = (value: object, text: string, spaces?: number) =>
        print(given.json ? JSON.stringify(value, null, spaces) : text);
      const code = await work({ values, config, verb, argument, env, io, print, show });
      return typeof code === 'number' ? code : 0;
    } catch (error) {
      if (isUnread(error)) return 0;
      complain(withOwnCommands(explain(error, url, env)));
      return 1;
    }
  };
}

/** Runs a command as this process. */
export async function runAsProcess(main: Main): Promise<void> {
  process.stdout.on('error', (error) => isUnread(error) && process.exit());
  process.exitCode = await main(process.argv.slice(2), process.env, process);
}
