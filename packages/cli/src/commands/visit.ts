import type { Command } from 'commander';
import { choice, enumValue, wholeNumber } from '../arguments.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT } from '../errors.ts';
import { writeWhole } from '../files.ts';
import { findLink, REFERENCE } from './links.ts';

const CORRECTIONS = ['L', 'M', 'Q', 'H'] as const;

interface QrOptions {
  readonly file?: string;
  readonly size: number;
  readonly margin: number;
  readonly errorCorrection: string;
}

export function addQrAndOpen(program: Command, context: Context): void {
  program
    .command('qr')
    .description('print the short URL of a link as a QR code, an SVG image')
    .argument('<link>', REFERENCE)
    .option('--file <file>', 'write it to this file')
    .option('--size <pixels>', 'its width and height', wholeNumber(1, 100_000), 256)
    .option('--margin <modules>', 'the white space around it', wholeNumber(0, 1_000), 4)
    .addOption(
      choice('--error-correction <level>', 'how much of it may be damaged', CORRECTIONS).default('m'),
    )
    .action(async (reference: string, { file, size, margin, errorCorrection }: QrOptions) => {
      const { id, shortUrl } = await findLink(context, reference);
      const level = enumValue(CORRECTIONS, errorCorrection);
      const svg = await context.client.linkQrCode({ id, size, margin, errorCorrection: level });
      if (svg === null) throw new CliError(`There is no link ${JSON.stringify(reference)}.`, EXIT.notFound);
      if (file === undefined) return context.show({ id, shortUrl, svg }, svg);
      await writeWhole(file, [svg]);
      await context.show({ id, shortUrl, file }, `Wrote ${file}.`);
    });

  program
    .command('open')
    .description('print the short URL of a link, and open it in the browser')
    .argument('<link>', REFERENCE)
    .option('--print', 'only print it')
    .action(async (reference: string, { print = false }: { print?: boolean }) => {
      const { id, shortUrl } = await findLink(context, reference);
      await context.show({ id, shortUrl }, shortUrl);
      // The browser must not get an address of another kind, whoever runs the service.
      if (!print && /^https?:$/.test(new URL(shortUrl).protocol))
        await context.io.openUrl(new URL(shortUrl).href);
    });
}
