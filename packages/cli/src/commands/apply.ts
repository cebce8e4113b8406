import type { Command } from 'commander';
import { execute, exitCodeFor } from '../apply/execute.ts';
import { type LinkFile, parseLinkFile } from '../apply/file.ts';
import { makePlan, Overtaken, type Plan, type PlannedChange } from '../apply/plan.ts';
import { readText, wholeNumber } from '../arguments.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT } from '../errors.ts';
import { plain } from '../io.ts';
import { counted } from '../output.ts';

const LONGEST_FILE = 10_000_000;
/** The number of links that one run deletes without being asked to. */
const MAX_DELETED = 10;

const asText = (value: unknown): string =>
  plain(typeof value === 'string' ? value : JSON.stringify(value) || 'null');

function describeChange(change: PlannedChange): string {
  if (change.action === 'create') return `+ ${change.key}  ${plain(change.input.url)}`;
  if (change.action === 'delete')
    return `- ${plain(change.key)}  ${plain(change.link.shortUrl)}, ${counted(change.link.clicks, 'click')}`;
  const fields = change.differences.map(
    ({ field, from, to }) => `    ${field}: ${asText(from)} → ${asText(to)}`,
  );
  return [`~ ${change.key}  ${plain(change.link.shortUrl)}`, ...fields].join('\n');
}

function asValue(change: PlannedChange): object {
  const { key, action } = change;
  if (action === 'create') return { key, action, input: change.input };
  const { id, shortUrl } = change.link;
  return { key, action, id, shortUrl, ...(action === 'update' && { fields: change.differences }) };
}

const count = (changes: readonly PlannedChange[], action: PlannedChange['action']): number =>
  changes.filter((change) => change.action === action).length;

interface Options {
  readonly dryRun?: true;
  readonly allowDelete: number;
}

/** Plans, once more if another run of the file has created links meanwhile. */
async function plan(context: Context, links: LinkFile): Promise<Plan> {
  try {
    return await makePlan(context, links);
  } catch (error) {
    if (error instanceof Overtaken) return makePlan(context, links);
    throw error;
  }
}

async function applyFile(context: Context, file: string, options: Options): Promise<void> {
  const { dryRun = false, allowDelete } = options;
  const links = parseLinkFile(await readText(context, file, LONGEST_FILE), file);
  /** The changes of a first run that another run has overtaken. */
  const before: PlannedChange[] = [];
  for (let isFirst = true; ; isFirst = false) {
    const { changes, unchanged: same } = await plan(context, links);
    const unchanged = same - before.filter(({ action }) => action !== 'delete').length;
    const deleted = count(changes, 'delete');
    const isTooMany = deleted > allowDelete;
    const all = [...before, ...changes];
    const shown = { name: links.name, dryRun, changes: all.map(asValue), unchanged };
    const steps = all.map(describeChange);
    if (dryRun || isTooMany) {
      const sums = `${count(all, 'create')} to create, ${count(all, 'update')} to change, ${count(all, 'delete')} to delete, ${unchanged} unchanged.`;
      await context.show(shown, [...steps, sums].join('\n'));
      if (isTooMany)
        throw new CliError(
          `${file} would delete ${counted(deleted, 'link')}, with their clicks. Allow it with --allow-delete ${deleted}.`,
          EXIT.refused,
        );
      if (changes.length > 0) context.exitCode = EXIT.wouldChange;
      return;
    }
    const { made, refused, isOvertaken } = await execute(context, changes);
    before.push(...made);
    if (isOvertaken && isFirst) continue;
    const done = {
      create: count(before, 'create'),
      update: count(before, 'update'),
      delete: count(before, 'delete'),
    };
    const sums = `Created ${done.create}, changed ${done.update}, deleted ${done.delete}, unchanged ${unchanged}.`;
    await context.show({ ...shown, done, refused }, [...steps, sums].join('\n'));
    for (const { key, message } of refused) context.note(`lsp: ${key}: ${plain(message)}`);
    context.exitCode = exitCodeFor(refused);
    return;
  }
}

export function addApply(program: Command, context: Context): void {
  program
    .command('apply')
    .description('make the links of a YAML file, change them, and delete those that are no longer in it')
    .argument('<file>', 'the file; - is standard input')
    .option('--dry-run', 'print what would change, and exit with 2 if something would')
    .option(
      '--allow-delete <number>',
      `the largest number of links to delete`,
      wholeNumber(0, 1_000_000),
      MAX_DELETED,
    )
    .action((file: string, options: Options) => applyFile(context, file, options));
}
