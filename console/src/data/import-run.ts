import type { OperationResult } from 'urql';
import {
  CheckLinksDocument,
  type CheckLinksQuery,
  ChoicesDocument,
  type CreateLinkInput,
  CreateLinksDocument,
  CreateSpaceDocument,
  SpacesNamedDocument,
} from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { showFault } from './actions.ts';
import { inBatches, inTime, type Progress } from './batches.ts';
import { announce } from './bus.ts';
import { Fault, faultOf } from './faults.ts';
import { type ImportRow, type Known, linkOfRow, WrongCell } from './import.ts';
import { refusalText } from './refusals.ts';
import type { Session } from './session.ts';
import { write } from './write.ts';

/** What messages about new links from lines are about. */
export const IMPORT = 'import';

/** A line, and what is wrong with it, or its new link. */
export interface RowResult {
  readonly row: ImportRow;
  readonly input: CreateLinkInput | null;
  readonly error: string | null;
  /** The field that is wrong, if it is one of the link. */
  readonly field?: string | undefined;
  readonly shortUrl: string | null;
}

export interface RunOptions {
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** Looks up what the lines name. */
export async function knownIn({ client }: Session, rows: readonly ImportRow[]): Promise<Known> {
  const { data, error } = await client
    .query(ChoicesDocument, {}, { requestPolicy: 'network-only' })
    .toPromise();
  if (error) throw faultOf(error);
  const spaces = new Map(data?.spaces.nodes.map(({ id, name }) => [name, id]));
  const named = new Set(
    rows.map(({ cells }) => cells.space ?? '').filter((name) => name !== '' && !spaces.has(name)),
  );
  for (const search of data?.spaces.pageInfo.hasNextPage ? named : []) {
    const found = await client.query(SpacesNamedDocument, { search }).toPromise();
    for (const { id, name } of found.data?.spaces.nodes ?? []) spaces.set(name, id);
  }
  return {
    spaces,
    domains: new Map(data?.domains.nodes.map(({ id, name }) => [name, id])),
    pixels: new Map(data?.pixels.nodes.map(({ id, type, value }) => [`${type} ${value}`, id])),
  };
}

/** The names of spaces that do not exist yet. */
export function missingSpaces(rows: readonly ImportRow[], { spaces }: Known): string[] {
  return [...new Set(rows.map(({ cells }) => cells.space ?? ''))].filter(
    (name) => name !== '' && !spaces.has(name),
  );
}

/** Makes the spaces that do not exist yet. */
async function makeSpaces(session: Session, names: readonly string[], known: Known): Promise<Known> {
  const spaces = new Map(known.spaces);
  for (const [index, name] of names.entries()) {
    const input = { name, color: (index % 6) + 1 };
    const { createSpace: result } = await write(session, CreateSpaceDocument, { input });
    if (result.__typename === 'Space') spaces.set(name, result.id);
  }
  if (names.length > 0) announce([{ kind: 'SPACE', recordId: null, action: null }]);
  return { ...known, spaces };
}

function resultOf(row: ImportRow, known: Known, spaceId: string): RowResult {
  try {
    return { row, input: linkOfRow(row, known, spaceId), error: null, shortUrl: null };
  } catch (error) {
    if (!(error instanceof WrongCell)) throw error;
    return { row, input: null, error: error.message, shortUrl: null };
  }
}

/** What is wrong with each line; nothing is written. */
export async function checkRows(
  { client }: Session,
  rows: readonly ImportRow[],
  known: Known,
  spaceId: string,
  options: RunOptions,
): Promise<RowResult[]> {
  // Spaces that will be made count as there.
  const placeholders = missingSpaces(rows, known);
  const spaces = new Map([...known.spaces, ...placeholders.map((name) => [name, ''] as const)]);
  const read = rows.map((row) => resultOf(row, { ...known, spaces }, spaceId));
  const check = async (batch: readonly RowResult[]): Promise<RowResult[]> => {
    const inputs = batch.flatMap(({ input }) => input ?? []);
    if (inputs.length === 0) return [...batch];
    const { data, error }: OperationResult<CheckLinksQuery> = await client
      .query(CheckLinksDocument, { inputs }, { requestPolicy: 'network-only' })
      .toPromise();
    if (error) throw faultOf(error);
    const answers = (data?.checkLinks ?? []).values();
    return batch.map((one) => {
      const wrong = one.input === null ? null : answers.next().value;
      return wrong ? { ...one, error: refusalText(wrong), field: wrong.fields[0]?.path[0] } : one;
    });
  };
  return inBatches(read, check, options);
}

/** Creates the links of the lines, a hundred in a request. If that is stopped or fails, the other lines say so. */
export async function createRows(
  session: Session,
  rows: readonly ImportRow[],
  known: Known,
  spaceId: string,
  options: RunOptions,
): Promise<RowResult[]> {
  const all = await makeSpaces(session, missingSpaces(rows, known), known);
  const read = rows.map((row) => resultOf(row, all, spaceId));
  const create = async (batch: readonly RowResult[]): Promise<RowResult[]> => {
    const inputs = batch.flatMap(({ input }) => input ?? []);
    if (inputs.length === 0) return [...batch];
    const { createLinks } = await write(session, CreateLinksDocument, { inputs });
    if (createLinks.length !== inputs.length) throw new Fault('refused', '');
    const answers = inTime(createLinks);
    const sent = batch.filter(({ input }) => input !== null);
    const results = new Map(
      answers.map((made, index) => [
        sent[index],
        made.__typename === 'Link' ? { shortUrl: made.shortUrl } : { error: refusalText(made) },
      ]),
    );
    const isDone = (one: RowResult) => one.input === null || results.has(one);
    const end = batch.findIndex((one) => !isDone(one));
    return batch.slice(0, end === -1 ? batch.length : end).map((one) => ({ ...one, ...results.get(one) }));
  };
  const done: RowResult[] = [];
  try {
    await inBatches(
      read,
      async (batch) => {
        const results = await create(batch);
        done.push(...results);
        return results;
      },
      options,
    );
  } catch (fault) {
    showFault(fault, IMPORT);
  }
  announce([{ kind: 'LINK', recordId: null, action: null }]);
  return [
    ...done,
    ...read.slice(done.length).map((one) => ({ ...one, error: one.error ?? texts.many.notMade })),
  ];
}
