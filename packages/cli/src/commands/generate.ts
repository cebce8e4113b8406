import { LinkspaceError } from '@linkspace/client';
import type { Command } from 'commander';
import { readText } from '../arguments.ts';
import type { Context } from '../context.ts';
import { CliError, codeFor } from '../errors.ts';
import { writeWhole } from '../files.ts';
import { counted } from '../output.ts';
import { VERSION } from '../version.ts';
import { readOperations } from './operations.ts';

interface Options {
  readonly out: string;
  readonly pinned?: boolean;
  readonly schema?: string;
}

async function generate(context: Context, { out, pinned = false, schema: file }: Options): Promise<void> {
  // Other commands need not load GraphQL.
  const { writeModule } = await import('../generate/module.ts');
  const { parseSchema, readSchema } = await import('../generate/schema.ts');
  const schema =
    file === undefined
      ? await readSchema(context.client, context.io.signal).catch((error: unknown) => {
          if (!(error instanceof LinkspaceError) || !/introspection|trusted/i.test(error.message))
            throw error;
          throw new CliError('The service does not tell its schema. Use --schema FILE.', codeFor(error.code));
        })
      : parseSchema(await readText(context, file, 10_000_000), file);
  const all = await readOperations(context);
  for (const { name, broken } of all)
    if (broken !== null) context.note(`lsp: ${name} is left out, since it is broken: ${broken}`);
  const written = all.filter(({ broken }) => broken === null);
  await writeWhole(out, [writeModule(schema, written, { isPinned: pinned, version: VERSION })]);
  const names = written.map(({ name }) => name);
  await context.show(
    { file: out, operations: names },
    `Wrote ${counted(names.length, 'function')} to ${out}.`,
  );
}

export function addGenerate(program: Command, context: Context): void {
  program
    .command('generate')
    .description('write functions for @linkspace/client, with types, for the saved operations of the account')
    .requiredOption('--out <file>', 'the TypeScript file')
    .option('--pinned', 'run the documents as they are now, by their hashes: a changed one is refused')
    .option('--schema <file>', 'the schema of the service, if it does not tell it')
    .action((options: Options) => generate(context, options));
}
