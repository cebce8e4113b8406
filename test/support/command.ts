import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { main as backup } from '../../src/cli/backup.ts';
import { main as copy } from '../../src/cli/copy.ts';
import { main as demo } from '../../src/cli/demo.ts';
import { main as domains } from '../../src/cli/domains.ts';
import { main as exportLinks } from '../../src/cli/export.ts';
import { main as importLinks } from '../../src/cli/import.ts';
import { main as keys } from '../../src/cli/keys.ts';
import { main as migrate } from '../../src/cli/migrate.ts';
import { main as users } from '../../src/cli/users.ts';
import type { Finished } from './process.ts';

const commands = {
  backup,
  copy,
  demo,
  domains,
  export: exportLinks,
  import: importLinks,
  keys,
  migrate,
  users,
};

/** Runs a command in this process, with these variables alone. */
export async function runCommand(
  name: keyof typeof commands,
  env: Record<string, string>,
  args: string[] = [],
): Promise<Finished> {
  const said = { stdout: '', stderr: '' };
  const output = (stream: keyof typeof said) =>
    new Writable({
      write(text, _encoding, done) {
        said[stream] += String(text);
        done();
      },
    });
  const io = Object.assign(new EventEmitter(), { stdout: output('stdout'), stderr: output('stderr') });
  return { code: await commands[name](args, env, io), ...said };
}
