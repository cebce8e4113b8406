import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { main as accounts } from '../../src/app/cli/accounts.ts';
import { main as backup } from '../../src/app/cli/backup.ts';
import { main as check } from '../../src/app/cli/check.ts';
import { main as copy } from '../../src/app/cli/copy.ts';
import { main as demo } from '../../src/app/cli/demo.ts';
import { main as domains } from '../../src/app/cli/domains.ts';
import { main as exportLinks } from '../../src/app/cli/export.ts';
import { main as importLinks } from '../../src/app/cli/import.ts';
import { main as keys } from '../../src/app/cli/keys.ts';
import { main as migrate } from '../../src/app/cli/migrate.ts';
import { main as users } from '../../src/app/cli/users.ts';
import { main as webhooks } from '../../src/app/cli/webhooks.ts';
import type { Finished } from './process.ts';

const commands = {
  accounts,
  backup,
  check,
  copy,
  demo,
  domains,
  export: exportLinks,
  import: importLinks,
  keys,
  migrate,
  users,
  webhooks,
};

/**
 * Runs a command in this process, with these variables alone.
 * @param typed what a person types at a terminal; without it, there is none
 */
export async function runCommand(
  name: keyof typeof commands,
  env: Record<string, string>,
  args: string[] = [],
  typed?: string,
): Promise<Finished> {
  const said = { stdout: '', stderr: '' };
  const output = (stream: keyof typeof said) =>
    new Writable({
      write(text, _encoding, done) {
        said[stream] += String(text);
        done();
      },
    });
  const terminal = { isTTY: typed !== undefined };
  const io = Object.assign(new EventEmitter(), {
    stdin: Object.assign(Readable.from([typed ?? '']), terminal),
    stdout: output('stdout'),
    stderr: Object.assign(output('stderr'), terminal),
  });
  return { code: await commands[name](args, env, io), ...said };
}
