import {
  type ImportFormat,
  ImportLinksDocument,
  type ImportLinksMutation,
  type ImportLinksMutationVariables,
} from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { inDigits } from '../words/format.ts';
import { showFault } from './actions.ts';
import { inBatches, inTime, type Progress } from './batches.ts';
import { announceKinds } from './bus.ts';
import { Fault, toFault } from './faults.ts';
import { type CutText, joined, type TextRecord, textIn } from './import.ts';
import { refusalText } from './refusals.ts';
import type { Session } from './session.ts';
import { write } from './write.ts';

/** The subject of messages about an import. */
export const IMPORT = 'import';

export type Result = ImportLinksMutation['importLinks']['results'][number];

/** The largest file, in bytes. */
const MAX_FILE = 20_000_000;

/** Reads the lines of a file, or the reason why it has none. */
export async function linesIn(file: File): Promise<{ text: string; isGuessed: boolean } | { wrong: string }> {
  const t = texts.many;
  if (file.size > MAX_FILE) return { wrong: t.tooLarge };
  const read = await textIn(file);
  if (read === null) return { wrong: t.workbook };
  return read.text.trim() === '' ? { wrong: t.nothing } : read;
}

/** The outcome of a record. */
export interface Outcome {
  readonly record: TextRecord;
  /** One for each of its links. */
  readonly results: readonly Result[];
  /** The error; null if there is none. */
  readonly error: string | null;
}

interface RunOptions {
  readonly spaceId: string;
  readonly dryRun: boolean;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** The most characters of a slice: in UTF-8, they may have three times as many bytes. */
const MAX_SLICE = 150_000;

/** The records that fit into one slice; at least one. */
function fitting(records: readonly TextRecord[]): readonly TextRecord[] {
  let length = 0;
  const end = records.findIndex(({ text }, index) => {
    length += text.length;
    return index > 0 && length > MAX_SLICE;
  });
  return end === -1 ? records : records.slice(0, end);
}

/** @param lineOf the line of the record whose link has an alias */
function formatErrors(results: readonly Result[], lineOf: (alias: string | null) => string): string | null {
  const wrong = results.filter(({ status }) => status === 'REFUSED');
  // A record that cannot be read has no field.
  const describeResult = ({ fields, reason, alias }: Result) =>
    fields.every(({ path }) => path.length > 0)
      ? // The service counts the lines of the slice.
        refusalText({
          fields: fields.map((one) => ({ ...one, values: [{ name: 'line', value: lineOf(alias) }] })),
        })
      : texts.many.unreadable(reason ?? '');
  return wrong.length === 0 ? null : [...new Set(wrong.map(describeResult))].join(' ');
}

/** The answer to a slice. A dry run needs no key: it may be sent twice. */
async function sent(session: Session, variables: ImportLinksMutationVariables): Promise<ImportLinksMutation> {
  if (!variables.dryRun) return write(session, ImportLinksDocument, variables);
  const { data, error } = await session.client.mutation(ImportLinksDocument, variables).toPromise();
  if (data !== undefined && error === undefined) return data;
  throw error ? toFault(error) : new Fault('away', '', 1);
}

/** Sends the records to the service, in slices. If that is stopped or fails, the answer ends there. */
export async function importRecords(
  session: Session,
  cut: CutText,
  records: readonly TextRecord[],
  { spaceId, dryRun, ...options }: RunOptions,
): Promise<{ outcomes: readonly Outcome[]; unusedColumns: readonly string[] }> {
  const outcomes: Outcome[] = [];
  const unusedColumns = new Set<string>();
  const send = async (batch: readonly TextRecord[]): Promise<readonly Outcome[]> => {
    const slice = fitting(batch);
    const { text, lines } = joined(cut, slice);
    const { defaultPrivacy: privacy } = session.viewer.account;
    const variables = { text, format: cut.format, dryRun, spaceId: spaceId || null, privacy };
    const { importLinks } = await sent(session, variables);
    for (const column of importLinks.unusedColumns) unusedColumns.add(column);
    const answers = inTime(importLinks.results);
    const done = slice.map((record, index) => ({
      record,
      results: answers.filter(({ line }) => line === lines[index]),
    }));
    // A record that the service sees as empty has no result.
    const isWhole = answers.length === importLinks.results.length;
    const end = isWhole ? done.length : done.findIndex(({ results }) => results.length === 0);
    const findLine = (alias: string | null) => {
      const has = (one: Result) => one.alias === alias && one.status !== 'REFUSED';
      return inDigits(done.find(({ results }) => results.some(has))?.record.line ?? 0);
    };
    return done.slice(0, end).map((one) => ({ ...one, error: formatErrors(one.results, findLine) }));
  };
  const sendLess = async (batch: readonly TextRecord[]): Promise<readonly Outcome[]> => {
    try {
      const done = await send(batch);
      outcomes.push(...done);
      return done;
    } catch (fault) {
      // A smaller slice may be within the limit.
      if (batch.length > 1 && fault instanceof Fault && TOO_MUCH.test(fault.message)) return [];
      throw fault;
    }
  };
  try {
    await inBatches(records, sendLess, options);
  } catch (fault) {
    if (dryRun) throw fault;
    showFault(fault, IMPORT);
  }
  if (!dryRun) announceKinds('LINK', 'SPACE', 'PIXEL', 'DOMAIN');
  return { outcomes, unusedColumns: [...unusedColumns] };
}

/** Makes the links of the wanted records; returns the outcomes of all checked ones. */
export async function makeWanted(
  session: Session,
  { cut, outcomes }: { readonly cut: CutText; readonly outcomes: readonly Outcome[] },
  isWanted: (one: Outcome) => boolean,
  options: Omit<RunOptions, 'dryRun'>,
): Promise<readonly Outcome[]> {
  const wanted = new Set(outcomes.filter(isWanted));
  const records = [...wanted].map(({ record }) => record);
  const done = await importRecords(session, cut, records, { ...options, dryRun: false });
  const made = new Map(done.outcomes.map((one) => [one.record, one]));
  const unmade = { results: [], error: texts.many.notMade };
  return outcomes.map((one) => made.get(one.record) ?? (wanted.has(one) ? { ...one, ...unmade } : one));
}

const TOO_MUCH = /^text may have at most/;

/** The formats, in the order of the choice. */
export const formats: readonly ImportFormat[] = [
  ...(['LINES', 'CSV', 'BITLY', 'DUB', 'KUTT', 'REBRANDLY', 'SHLINK', 'YOURLS'] as const),
];
