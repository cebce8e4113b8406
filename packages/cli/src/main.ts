import { Command, CommanderError } from 'commander';
import { addApply } from './commands/apply.ts';
import { addCompletion } from './commands/completion.ts';
import { addGenerate } from './commands/generate.ts';
import { addLinks } from './commands/links.ts';
import { addLogin } from './commands/login.ts';
import { addSpacesAndTags } from './commands/named.ts';
import { addOperations } from './commands/operations.ts';
import { addQuery } from './commands/query.ts';
import { addRun } from './commands/run.ts';
import { addStatistics } from './commands/statistics.ts';
import { addTransfer } from './commands/transfer.ts';
import { addQrAndOpen } from './commands/visit.ts';
import { addWatch } from './commands/watch.ts';
import { Context } from './context.ts';
import { describeError, EXIT } from './errors.ts';
import { type Io, printable } from './io.ts';
import { VERSION } from './version.ts';

const AFTER_HELP = `
Exit codes: 0 done, 1 failed, 2 apply --dry-run would change something, 3 refused, 4 not found, 5 not allowed,
6 changed by others meanwhile, 64 wrong command line, 130 interrupted.`;

/** Returns the command line with all its commands. */
export function createProgram(context: Context): Command {
  const { io } = context;
  const program = new Command('lsp')
    .description('The command line of Linkspace.')
    .version(VERSION, '--version', 'print the version')
    .option('--json', 'print JSON instead of text')
    .helpOption('-h, --help', 'print the help')
    .helpCommand(false)
    .addHelpText('after', AFTER_HELP)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.write(printable(text)),
      writeErr: (text) => io.complain(printable(text.replace(/^error: /, 'lsp: '))),
    })
    .hook('preAction', (_, action) => {
      context.isJson = action.optsWithGlobals().json === true;
    });
  addLogin(program, context);
  addLinks(program, context);
  addSpacesAndTags(program, context);
  addApply(program, context);
  addStatistics(program, context);
  addQrAndOpen(program, context);
  addWatch(program, context);
  addTransfer(program, context);
  addOperations(program, context);
  addRun(program, context);
  addGenerate(program, context);
  addQuery(program, context);
  addCompletion(program, context);
  return program;
}

/** Runs the command line, and returns the exit code. */
export async function main(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  io: Io,
): Promise<number> {
  const context = new Context(env, io);
  try {
    const program = createProgram(context);
    await program.parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed it. Without a command, it prints the help.
      const isHelp = error.code === 'commander.helpDisplayed' || error.code === 'commander.version';
      return isHelp ? 0 : EXIT.usage;
    }
    const { message, exitCode } = describeError(error);
    for (const line of message.split('\n')) io.complain(`lsp: ${line}\n`);
    return io.signal.aborted ? EXIT.interrupted : exitCode;
  } finally {
    context.close();
  }
}
