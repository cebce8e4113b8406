import type { Command } from 'commander';
import { parseObject, readText } from '../arguments.ts';
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';

interface Options {
  readonly variables?: string;
  readonly operation?: string;
  readonly idempotencyKey?: string;
}

/** Returns true for the error of a document that must go another way. */
const isSubscription = (error: unknown): boolean =>
  error instanceof TypeError && error.message.includes('subscription');

export function addQuery(program: Command, context: Context): void {
  program
    .command('query')
    .description('execute a GraphQL document, and print its data as JSON')
    .argument('<file>', 'the document; - is standard input')
    .option('--variables <file>', 'a JSON file with the variables; - is standard input')
    .option('--operation <name>', 'the operation to execute, in a document with several')
    .option('--idempotency-key <key>', 'has a mutation done once, also if you send it again')
    .action(async (file: string, { variables, operation, idempotencyKey }: Options) => {
      if (file === '-' && variables === '-') throw usageError('Only one of the files can be standard input.');
      const document = await readText(context, file);
      const values =
        variables === undefined ? {} : parseObject(await readText(context, variables), variables);
      const options = { operationName: operation, idempotencyKey, signal: context.io.signal };
      try {
        await context.print(JSON.stringify(await context.client.request(document, values, options), null, 2));
      } catch (error) {
        if (isSubscription(error)) throw usageError('A subscription does not end: use lsp watch.');
        throw error;
      }
    });
}
