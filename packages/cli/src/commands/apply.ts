import type { Command } from 'commander';
import type { PlannedChange } from '../apply/changes.ts';
import { Overtaken } from '../apply/check.ts';
import { execute, exitCodeFor, type Outcome } from '../apply/execute.ts';
import { type LinkFile, parseLinkFile } from '../apply/file.ts';
import { makePlan, type Plan } from '../apply/plan.ts';
import { asText } from '../apply/text.ts';
import { readText, wholeNumber } from '../arguments.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT } from '../errors.ts';
import { plain } from '../io.ts';
import { counted } from '../output.ts';

const LONGEST_FILE = 10_000_000;
/** The number of links that one run deletes without being asked to. */
const MAX_DELETED = 10;

/** Returns a change in lines, with a mark of what is done. */
function describeChange(change: PlannedChange, isRefused = false): string {
  const { key, action } = change;
  const mark = isRefused ? '!' : { create: '+', update: '~', delete: '-' }[action];
  if (action === 'create') return `${mark} ${key}  ${plain(change.input.url)}`;
  const { shortUrl, clicks } = change.link;
  if (action === 'delete') return `${mark} ${plain(key)}  ${plain(shortUrl)}, ${counted(clicks, 'click')}`;
  const fields = change.differences.map(
    ({ field, from, to }) => `    ${field}: ${asText(field, from)} → ${asText(field, to)}`,
  );
  return [`${mark} ${key}  ${plain(shortUrl)}`, ...fields].join('\n');
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

/** Returns what a run has done, in the order of its changes, and the sums. */
function describeOutcome(
  { made, refused, kept }: Omit<Outcome, 'isOvertaken'>,
  planned: readonly PlannedChange[],
  unchanged: number,
): string {
  const steps = planned
    .filter((change) => !kept.includes(change))
    .map((change) =>
      describeChange(
        change,
        refused.some((one) => one.change === change),
      ),
    );
  const sums = [
    `Created ${count(made, 'create')}, changed ${count(made, 'update')}, deleted ${count(made, 'delete')}`,
    `unchanged ${unchanged}`,
    ...(refused.length > 0 ? [`refused ${refused.length}`] : []),
  ];
  return [...steps, `${sums.join(', ')}.`].join('\n');
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
    const steps = all.map((change) => describeChange(change));
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
    const { made, refused, kept, isOvertaken } = await execute(context, changes);
    before.push(...made);
    if (isOvertaken && isFirst) continue;
    const done = {
      create: count(before, 'create'),
      update: count(before, 'update'),
      delete: count(before, 'delete'),
    };
    const told = refused.map(({ change, ...others }) => ({ key: change.key, ...others }));
    const text = describeOutcome({ made: before, refused, kept }, all, unchanged);
    await context.show({ ...shown, done, refused: told }, text);
    for (const { key, line, message } of told)
      context.note(`lsp: ${line === null ? '' : `${file}:${line}: `}${plain(key)}: ${plain(message)}`);
    if (kept.length > 0)
      context.note(
        `lsp: ${counted(kept.length, 'link')} ${kept.length === 1 ? 'was' : 'were'} not deleted, since changes were refused: ${kept.map(({ key }) => plain(key)).join(', ')}.`,
      );
    context.exitCode = exitCodeFor(refused);
    return;
  }
}

export function addApply(program: Command, context: Context): void {
  program
    .command('apply')
    .description('make the links of a YAML file, change them, and delete those that are no longer in it')
    .argument('<file>', 'the file; - is standard input')
    .option(
      '--dry-run',
      'have the service check the file, print what would change, and exit with 2 if something would',
    )
    .option(
      '--allow-delete <number>',
      `the largest number of links to delete`,
      wholeNumber(0, 1_000_000),
      MAX_DELETED,
    )
    .action((file: string, options: Options) => applyFile(context, file, options));
}
