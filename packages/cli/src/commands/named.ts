import type { Client, List, SpaceFragment, TagFragment } from '@linkspace/client';
import type { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT, usageError } from '../errors.ts';
import { findId } from '../names.ts';
import { pairs, table } from '../output.ts';
import { take } from '../pages.ts';

type Named = SpaceFragment | TagFragment;

/** The calls of the client for records that have a name and a colour. */
interface Calls {
  readonly kind: 'space' | 'tag';
  create(client: Client, input: { name: string; color?: number }): Promise<Named>;
  get(client: Client, id: string): Promise<Named | null>;
  list(client: Client, search: string | undefined): List<Named>;
  update(
    client: Client,
    variables: { id: string; input: { name?: string; color?: number }; ifUpdatedAt: string | null },
  ): Promise<Named>;
  remove(client: Client, id: string): Promise<unknown>;
}

const filterBy = (search: string | undefined) => (search === undefined ? {} : { filter: { search } });

const spaces: Calls = {
  kind: 'space',
  create: (client, input) => client.createSpace(input),
  get: (client, id) => client.getSpace(id),
  list: (client, search) => client.spaces(filterBy(search)),
  update: (client, variables) => client.updateSpace(variables),
  remove: (client, id) => client.deleteSpace(id),
};

const tags: Calls = {
  kind: 'tag',
  create: (client, input) => client.createTag(input),
  get: (client, id) => client.getTag(id),
  list: (client, search) => client.tags(filterBy(search)),
  update: (client, variables) => client.updateTag(variables),
  remove: (client, id) => client.deleteTag(id),
};

const color = wholeNumber(1, 6);

function addRecords(program: Command, context: Context, calls: Calls): void {
  const { kind } = calls;
  const group = program.command(`${kind}s`).description(`create, list, show, edit and delete ${kind}s`);
  const reference = `the name of the ${kind}, or id:ID`;
  const find = async (name: string): Promise<Named> => {
    const record = await calls.get(context.client, await findId(context.client, kind, name));
    if (record === null) throw new CliError(`There is no ${kind} ${JSON.stringify(name)}.`, EXIT.notFound);
    return record;
  };
  const show = (record: Named) =>
    context.show(
      record,
      pairs([
        ['id', record.id],
        ['name', record.name],
        ['colour', record.color],
        ['created', record.createdAt],
        ['updated', record.updatedAt],
      ]),
    );

  group
    .command('create')
    .description(`create a ${kind}`)
    .argument('<name>', 'the name')
    .option('--color <number>', 'one of six colours', color)
    .action(async (name: string, input: { color?: number }) =>
      show(await calls.create(context.client, { name, ...input })),
    );

  group
    .command('list')
    .description(`list ${kind}s, the newest first`)
    .option('--search <text>', 'only those whose name contains this text')
    .option('--limit <number>', 'the largest number', wholeNumber(1, 1_000_000), 100)
    .option('--all', 'all, whatever the limit')
    .action(async ({ search, limit, all }: { search?: string; limit: number; all?: true }) => {
      const records = await take(calls.list(context.client, search), all ? null : limit);
      const rows = records.map((one) => [one.id, one.name, one.color, one.updatedAt]);
      const text = table(['ID', 'NAME', 'COLOUR', 'UPDATED'], rows, context.io.isTerminal.output);
      await context.show(records, rows.length > 0 ? text : `There are no ${kind}s.`);
    });

  group
    .command('show')
    .description(`show a ${kind}`)
    .argument(`<${kind}>`, reference)
    .action(async (name: string) => show(await find(name)));

  group
    .command('edit')
    .description(`change the name or the colour of a ${kind}`)
    .argument(`<${kind}>`, reference)
    .option('--name <name>', 'the new name')
    .option('--color <number>', 'one of six colours', color)
    .option(
      '--if-updated-at <time>',
      `the updatedAt of the ${kind} as you know it; one that has changed since stays`,
    )
    .action(
      async (
        reference: string,
        { ifUpdatedAt = null, ...input }: { name?: string; color?: number; ifUpdatedAt?: string | null },
      ) => {
        if (Object.keys(input).length === 0) throw usageError('Give --name or --color.');
        const id = await findId(context.client, kind, reference);
        await show(await calls.update(context.client, { id, input, ifUpdatedAt }));
      },
    );

  group
    .command('delete')
    .description(`delete a ${kind}; its links remain`)
    .argument(`<${kind}>`, reference)
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, { yes = false }: { yes?: boolean }) => {
      const { id, name: found } = await find(name);
      await context.confirm(`Delete the ${kind} ${JSON.stringify(found)}?`, yes);
      await calls.remove(context.client, id);
      await context.show({ id, name: found }, `Deleted the ${kind} ${JSON.stringify(found)}.`);
    });
}

export function addSpacesAndTags(program: Command, context: Context): void {
  addRecords(program, context, spaces);
  addRecords(program, context, tags);
}
