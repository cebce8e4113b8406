import { type Client, createClient } from '@linkspace/client';
import { readLogin } from './config.ts';
import { CliError, EXIT } from './errors.ts';
import { type Io, printable } from './io.ts';

/** Everything that a command needs: its environment, its outputs, and the client. */
export class Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly io: Io;
  /** True if the output is for programs. */
  isJson = false;
  /** The exit code of a command that does not fail. */
  exitCode = 0;
  #client: Client | null = null;

  constructor(env: Context['env'], io: Io) {
    this.env = env;
    this.io = io;
  }

  /** The client of the account. @throws CliError without a login */
  get client(): Client {
    this.#client ??= createClient(readLogin(this.env));
    return this.#client;
  }

  close(): void {
    this.#client?.close();
  }

  /** Writes a part of a longer output. */
  async write(text: string): Promise<void> {
    await this.io.write(printable(text));
  }

  async print(text: string): Promise<void> {
    await this.write(`${text}\n`);
  }

  /** Prints the text for people, or with `--json` the value. */
  async show(value: unknown, text: string): Promise<void> {
    await this.print(this.isJson ? JSON.stringify(value, null, 2) : text);
  }

  /** Tells people something beside the output. With `--json`, nothing is told. */
  note(text: string): void {
    if (!this.isJson) this.io.complain(`${printable(text)}\n`);
  }

  /** Asks before something is deleted. Without a terminal, the answer must have been given by `--yes`. */
  async confirm(question: string, yes: boolean): Promise<void> {
    if (yes) return;
    const { input, errors } = this.io.isTerminal;
    if (!input || !errors) throw new CliError(`${question} Confirm with --yes.`, EXIT.usage);
    const answer = await this.io.ask(`${printable(question)} [y/N] `, false);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('Nothing was deleted.', EXIT.failed);
  }
}
