import { createClient } from '@linkspace/client';
import type { Command } from 'commander';
import { parseKey, parseServiceUrl, removeLogin, storeLogin } from '../config.ts';
import type { Context } from '../context.ts';
import { readInput } from '../files.ts';
import { LspViewerDocument } from '../generated/documents.ts';

const LONGEST = 64_000;

/** Reads a key, without showing it. Arguments are no place for keys: other users of a computer see them. */
async function readKey({ io }: Context): Promise<string> {
  return parseKey(
    io.isTerminal.input ? await io.ask('API key: ', true) : await readInput(io, LONGEST),
    'The key',
  );
}

export function addLogin(program: Command, context: Context): void {
  program
    .command('login')
    .description('store the address of a service and an API key, which is read from standard input')
    .argument('<url>', 'the address of the service, such as https://links.example')
    .action(async (text: string) => {
      const url = parseServiceUrl(text, 'The URL');
      const key = await readKey(context);
      const client = createClient({ url, key });
      try {
        const { viewer } = await client.request(LspViewerDocument, {}, { signal: context.io.signal });
        const account = viewer.account.name;
        const file = storeLogin(context.env, { url, key });
        await context.show(
          { url, account, file },
          `Logged in to ${url} as the account ${JSON.stringify(account)}.`,
        );
      } finally {
        client.close();
      }
    });

  program
    .command('logout')
    .description('delete the stored address and key; the key itself stays valid')
    .action(async () => {
      const removed = removeLogin(context.env);
      await context.show({ removed }, removed ? 'Logged out.' : 'There was no login.');
    });
}
