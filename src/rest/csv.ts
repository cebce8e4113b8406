import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { Request, Response } from 'express';

/** A value for each column. */
export type CsvRow = readonly unknown[];

/** Some rows of a list, and where the next ones begin; null after the last ones. */
export interface CsvPart {
  readonly rows: readonly CsvRow[];
  readonly next: string | null;
}

/** How a list is given as one CSV file: by a document that is run again and again, each time from where it ended. */
export interface Csv<Data, Variables> {
  readonly columns: readonly string[];
  readonly document: TypedDocumentNode<Data, Variables>;
  /** @param from where the rows begin; null for the first ones */
  variables(input: Record<string, unknown>, id: string, from: string | null): Variables;
  /** Null where there is no such list. */
  partOf(data: Data): CsvPart | null;
}

/** A list whose types of data and variables only its own functions need to know. */
export type AnyCsv = Csv<unknown, unknown>;

/** Declares one; the types of data and variables come from its document. */
export function csv<Data, Variables>(declaration: Csv<Data, Variables>): AnyCsv {
  // Its functions meet only what its own document takes and gives.
  return declaration as unknown as AnyCsv;
}

/** Whether the client prefers CSV. */
export function wantsCsv(req: Request): boolean {
  return req.accepts(['application/json', 'text/csv']) === 'text/csv';
}

/**
 * A cell as RFC 4180 has it. Spreadsheets run what begins like a formula, whoever wrote it: an apostrophe before it makes it text.
 */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function lines(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

async function* textOf(
  columns: readonly string[],
  first: CsvPart,
  more: (from: string) => Promise<CsvPart | null>,
): AsyncGenerator<string> {
  yield lines([columns]);
  for (let part: CsvPart | null = first; part !== null; ) {
    if (part.rows.length > 0) yield lines(part.rows);
    part = part.next === null ? null : await more(part.next);
  }
}

/** Sends a list as one file, as fast as the client takes it. `first` is there already: from now on no error can be told. */
export async function sendCsv(
  req: Request,
  res: Response,
  columns: readonly string[],
  first: CsvPart,
  more: (from: string) => Promise<CsvPart | null>,
): Promise<void> {
  const name = req.path
    .split('/')
    .filter(Boolean)
    .join('-')
    .replace(/[^\w-]/g, '');
  res.writeHead(200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
  });
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  await pipeline(Readable.from(textOf(columns, first, more)), res);
}
