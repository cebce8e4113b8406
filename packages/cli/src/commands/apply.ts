import type { Command } from 'commander';
import { execute, exitCodeFor } from '../apply/execute.ts';
import { parseLinkFile } from '../apply/file.ts';
import { makePlan, type Plan, type PlannedChange } from '../apply/plan.ts';
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

const count = ({ changes }: Plan, action: PlannedChange['action']): number =>
  changes.filter((change) => change.action === action).length;

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
    .action(async (file: string, options: { dryRun?: true; allowDelete: number }) => {
      const { dryRun = false, allowDelete } = options;
      const links = parseLinkFile(await readText(context, file, LONGEST_FILE), file);
      const plan = await makePlan(context, links);
      const deleted = count(plan, 'delete');
      const isTooMany = deleted > allowDelete;
      const shown = {
        name: links.name,
        dryRun,
        changes: plan.changes.map(asValue),
        unchanged: plan.unchanged,
      };
      const steps = plan.changes.map(describeChange);
      const tooMany = () =>
        new CliError(
          `${file} would delete ${counted(deleted, 'link')}, with their clicks. Allow it with --allow-delete ${deleted}.`,
          EXIT.refused,
        );

      if (dryRun || isTooMany) {
        const sums = `${count(plan, 'create')} to create, ${count(plan, 'update')} to change, ${deleted} to delete, ${plan.unchanged} unchanged.`;
        await context.show(shown, [...steps, sums].join('\n'));
        if (isTooMany) throw tooMany();
        if (plan.changes.length > 0) context.exitCode = EXIT.wouldChange;
        return;
      }
      const { done, refused } = await execute(context, plan);
      const sums = `Created ${done.create}, changed ${done.update}, deleted ${done.delete}, unchanged ${plan.unchanged}.`;
      await context.show({ ...shown, done, refused }, [...steps, sums].join('\n'));
      for (const { key, message } of refused) context.note(`lsp: ${key}: ${plain(message)}`);
      context.exitCode = exitCodeFor(refused);
    });
}
