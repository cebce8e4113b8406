import type { Change } from '@linkspace/client';
import type { Command } from 'commander';
import { choice, enumValue, wholeNumber } from '../arguments.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../errors.ts';
import { plain } from '../io.ts';

const KINDS = [
  'LINK',
  'SPACE',
  'TAG',
  'DOMAIN',
  'PIXEL',
  'WEBHOOK',
  'UTM_TEMPLATE',
  'SAVED_OPERATION',
  'SAVED_VIEW',
  'API_KEY',
  'MEMBER',
] as const;

function describeAuthor(by: Change['by']): string {
  if (by === null) return '';
  const name = by.name || ('prefix' in by ? `key ${by.prefix}…` : by.id);
  return ` by ${plain(name)}`;
}

function describeChange({ at, action, kind, recordId, fields, by }: Change): string {
  const record = `${kind.toLowerCase()} ${recordId}`;
  return `${at}  ${action.toLowerCase()}  ${record}  ${fields.join(', ')}${describeAuthor(by)}`;
}

interface Options {
  readonly kind?: string;
  readonly id?: string;
  readonly limit?: number;
}

async function watch(
  context: Context,
  { kind, id, limit = Number.POSITIVE_INFINITY }: Options,
): Promise<void> {
  const filter = {
    ...(kind !== undefined && { kind: enumValue(KINDS, kind) }),
    ...(id !== undefined && { recordId: id }),
  };
  const { signal } = context.io;
  const changes = context.client.changes(filter, { signal });
  let left = limit;
  try {
    await changes.position();
    context.note('Watching. Ctrl+C ends it.');
    for await (const change of changes) {
      if (change.reset) {
        if (context.isJson) await context.print('{"reset":true}');
        context.note('Some changes are no longer in the history.');
        continue;
      }
      await context.print(context.isJson ? JSON.stringify(change) : describeChange(change));
      left--;
      if (left === 0) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    // A signal is how it usually ends: there is nothing to tell.
    context.exitCode = EXIT.interrupted;
  }
}

export function addWatch(program: Command, context: Context): void {
  program
    .command('watch')
    .description('print the changes of the account as they come; with --json, a line of JSON for each')
    .addOption(choice('--kind <kind>', 'only changes of this kind of record', KINDS))
    .option('--id <id>', 'only changes of records with this id')
    .option('--limit <number>', 'end after so many changes', wholeNumber(1, 1_000_000))
    .action((options: Options) => watch(context, options));
}
