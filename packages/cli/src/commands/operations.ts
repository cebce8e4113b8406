import { LinkspaceError } from '@linkspace/client';
import type { Command } from 'commander';
import { readText } from '../arguments.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT, usageError } from '../errors.ts';
import {
  LspCreateOperationDocument,
  LspDeleteOperationDocument,
  LspOperationDocument,
  type LspOperationFragment,
  LspOperationsDocument,
  type LspOperationsQuery,
  LspUpdateOperationDocument,
} from '../generated/documents.ts';
import { pairs, table } from '../output.ts';

/** The longest page that may be read with the documents of all operations. */
const PAGE = 20;

/** Returns all saved operations of the account, by name. */
export async function readOperations({ client, io }: Context): Promise<LspOperationFragment[]> {
  const all: LspOperationFragment[] = [];
  for (let after: string | null = null; ; ) {
    const { savedOperations }: LspOperationsQuery = await client.request(
      LspOperationsDocument,
      { first: PAGE, after },
      { signal: io.signal },
    );
    all.push(...savedOperations.nodes);
    after = savedOperations.pageInfo.endCursor;
    if (!savedOperations.pageInfo.hasNextPage || after === null) break;
  }
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function find({ client }: Context, name: string): Promise<LspOperationFragment> {
  const { savedOperationByName: found } = await client.request(LspOperationDocument, { name });
  if (found === null) throw new CliError(`There is no operation ${JSON.stringify(name)}.`, EXIT.notFound);
  return found;
}

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly fields?: LinkspaceError['fields'];
}

/** Returns the error of a refused write. */
function refusalError({ code, message, fields }: Refused): LinkspaceError {
  return new LinkspaceError(message, { code, ...(fields && { fields }) });
}

const signature = ({ variables }: LspOperationFragment): string =>
  variables
    .map(
      ({ name, type, defaultValue }) =>
        `${name}: ${type}${defaultValue === null ? '' : ` = ${defaultValue}`}`,
    )
    .join(', ');

function show(context: Context, operation: LspOperationFragment): Promise<void> {
  const { document, deprecations } = operation;
  const about = pairs([
    ['name', operation.name],
    ['description', operation.description],
    ['kind', operation.kind.toLowerCase()],
    ['variables', signature(operation)],
    ['tool', operation.isTool ? 'yes' : 'no'],
    ['path', operation.path],
    ['hash', operation.hash],
    ['revision', operation.revision],
    ['broken', operation.broken],
    ['deprecated', deprecations.join(', ')],
    ['updated', operation.updatedAt],
  ]);
  return context.show(operation, `${about}\n\n${document.trimEnd()}`);
}

interface Fields {
  readonly name?: string;
  readonly file?: string;
  readonly description?: string;
  readonly tool?: boolean;
  readonly ifUpdatedAt?: string;
}

async function readFields(context: Context, { file, description, tool }: Fields) {
  return {
    ...(file !== undefined && { document: await readText(context, file) }),
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(tool !== undefined && { isTool: tool }),
  };
}

function addWrites(group: Command, context: Context): void {
  const addFields = (command: Command): Command =>
    command
      .option('--description <text>', 'one line about what it does')
      .option('--tool', 'agents may use it as a tool')
      .option('--no-tool', 'agents may not use it as a tool');

  addFields(group.command('create').description('save an operation'))
    .argument('<name>', 'the name: small letters, digits and -')
    .argument('<file>', 'the GraphQL document; - is standard input')
    .action(async (name: string, file: string, fields: Fields) => {
      const document = await readText(context, file);
      const input = { ...(await readFields(context, fields)), name, document };
      const { createSavedOperation: made } = await context.client.request(LspCreateOperationDocument, {
        input,
      });
      if (made.__typename !== 'SavedOperation') throw refusalError(made);
      await show(context, made);
    });

  addFields(group.command('edit').description('change an operation'))
    .argument('<operation>', 'the name of the operation')
    .option('--name <name>', 'the new name')
    .option('--file <file>', 'the new GraphQL document; - is standard input')
    .option(
      '--if-updated-at <time>',
      'the updatedAt as you know it; an operation that has changed since stays',
    )
    .action(async (reference: string, fields: Fields) => {
      const { name, ifUpdatedAt = null } = fields;
      const input = { ...(await readFields(context, fields)), ...(name !== undefined && { name }) };
      if (Object.keys(input).length === 0) throw usageError('Give at least one field to change. See --help.');
      const { id } = await find(context, reference);
      const variables = { id, input, ifUpdatedAt };
      const { updateSavedOperation: changed } = await context.client.request(
        LspUpdateOperationDocument,
        variables,
      );
      if (changed.__typename !== 'SavedOperation') throw refusalError(changed);
      await show(context, changed);
    });

  group
    .command('delete')
    .description('delete an operation')
    .argument('<operation>', 'the name of the operation')
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, { yes = false }: { yes?: boolean }) => {
      const { id, name } = await find(context, reference);
      await context.confirm(`Delete the operation ${JSON.stringify(name)}?`, yes);
      const { deleteSavedOperation: gone } = await context.client.request(LspDeleteOperationDocument, { id });
      if (gone.__typename !== 'DeletedRecord') throw refusalError(gone);
      await context.show({ id, name }, `Deleted the operation ${JSON.stringify(name)}.`);
    });
}

export function addOperations(program: Command, context: Context): void {
  const group = program
    .command('operations')
    .description('create, list, show, edit and delete saved operations');
  addWrites(group, context);

  group
    .command('list')
    .description('list operations by name')
    .action(async () => {
      const all = await readOperations(context);
      const rows = all.map((one) => [
        ...[one.name, one.kind.toLowerCase(), signature(one), one.description],
        one.broken === null ? (one.deprecations.length > 0 ? 'deprecated' : 'ok') : 'broken',
      ]);
      const header = ['NAME', 'KIND', 'VARIABLES', 'DESCRIPTION', 'STATE'];
      const text = table(header, rows, context.io.isTerminal.output);
      await context.show(all, rows.length > 0 ? text : 'There are no operations.');
    });

  group
    .command('show')
    .description('show an operation')
    .argument('<operation>', 'the name of the operation')
    .action(async (reference: string) => show(context, await find(context, reference)));
}
