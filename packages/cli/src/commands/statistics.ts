import type { Command } from 'commander';
import { choice, enumValue, wholeNumber } from '../arguments.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT } from '../errors.ts';
import { pairs, table } from '../output.ts';
import { findLink, REFERENCE } from './links.ts';

const INTERVALS = ['HOUR', 'DAY', 'MONTH'] as const;
const DIMENSIONS = ['COUNTRY', 'REFERRER', 'BROWSER', 'OS', 'DEVICE', 'LANGUAGE', 'DESTINATION'] as const;

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly interval?: string;
  readonly by: string;
  readonly top: number;
}

async function showStatistics(
  context: Context,
  reference: string | undefined,
  options: Options,
): Promise<void> {
  const { client, io } = context;
  const { from = null, to = null, interval, top } = options;
  const by = enumValue(DIMENSIONS, options.by);
  const variables = { from, to, by, first: top, interval: enumValue(INTERVALS, interval ?? 'day') };
  const calls = { signal: io.signal };
  const statistics =
    reference === undefined
      ? await client.accountStatistics(variables, calls)
      : await client.linkStatistics({ id: (await findLink(context, reference)).id, ...variables }, calls);
  if (statistics === null)
    throw new CliError(`There is no link ${JSON.stringify(reference)}.`, EXIT.notFound);
  const sums = pairs([
    ['period', `${statistics.from} to ${statistics.to}`],
    ['clicks', statistics.clicks],
    ['visitors', statistics.visitors],
    ['bots', statistics.bots],
  ]);
  const { rows, others } = statistics.top;
  const values = rows.map(({ value, clicks }) => [value, clicks]);
  const points = statistics.series.map(({ start, clicks, visitors, bots }) => [
    start,
    clicks,
    visitors,
    bots,
  ]);
  const isTerminal = io.isTerminal.output;
  await context.show(
    statistics,
    [
      sums,
      ...(rows.length > 0
        ? [table([by, 'CLICKS'], others > 0 ? [...values, ['others', others]] : values, isTerminal)]
        : []),
      ...(interval === undefined
        ? []
        : [table([interval.toUpperCase(), 'CLICKS', 'VISITORS', 'BOTS'], points, isTerminal)]),
    ].join('\n\n'),
  );
}

export function addStatistics(program: Command, context: Context): void {
  program
    .command('stats')
    .description('show the clicks of a link, or of the whole account')
    .argument('[link]', REFERENCE)
    .option('--from <date>', 'the first day, such as 2026-11-01')
    .option('--to <date>', 'the last day')
    .addOption(choice('--interval <interval>', 'also show the clicks of each hour, day or month', INTERVALS))
    .addOption(choice('--by <dimension>', 'what to divide the clicks by', DIMENSIONS).default('country'))
    .option('--top <number>', 'the number of values', wholeNumber(1, 100), 10)
    .action((reference: string | undefined, options: Options) => showStatistics(context, reference, options));
}
