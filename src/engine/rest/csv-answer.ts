import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { Request, Response } from 'express';
import { csvLine } from '../tools/csv-writer.ts';

/** A value for each column. */
export type CsvRow = readonly unknown[];

/** A part of a list's rows, and the position of the next part; null at the end. */
export interface CsvPart {
  readonly rows: readonly CsvRow[];
  readonly next: string | null;
  /** The name of the file, if the first part has it. */
  readonly name?: string;
}

/** A list as one CSV file, read by repeated runs of a document, each from the position where the last one ended. */
export interface Csv<Data, Variables> {
  readonly columns: readonly string[];
  readonly document: TypedDocumentNode<Data, Variables>;
  /** @param from the position of the first row; null for the beginning */
  variables(input: Record<string, unknown>, id: string, from: string | null): Variables;
  /** Null if there is no such list. */
  partOf(data: Data): CsvPart | null;
}

/** The types of answers; with a charset, it is another type for content negotiation. */
const TYPES = ['application/json', 'text/csv'].flatMap((type) => [type, `${type}; charset=utf-8`]);

export function wantsCsv(req: Request): boolean {
  return String(req.accepts(TYPES)).startsWith('text/csv');
}

export interface CsvOptions {
  /** The name of the file; by default that of the path. */
  readonly name?: string;
  /** True if it begins with a byte order mark, by which spreadsheets recognize UTF-8. */
  readonly mark?: boolean;
}

async function* csvText(
  columns: readonly string[],
  first: CsvPart,
  more: (from: string) => Promise<CsvPart | null>,
  mark = false,
): AsyncGenerator<string> {
  yield `${mark ? '\ufeff' : ''}${csvLine(columns)}`;
  for (let part: CsvPart | null = first; part !== null; ) {
    if (part.rows.length > 0) yield part.rows.map(csvLine).join('');
    part = part.next === null ? null : await more(part.next);
  }
}

function toFileName(path: string): string {
  return path
    .split('/')
    .filter(Boolean)
    .join('-')
    .replace(/[^\w-]/g, '');
}

/** Streams a list as one file, at the client's speed. `first` was read before, since no error can be reported after this. */
export async function sendCsv(
  req: Request,
  res: Response,
  columns: readonly string[],
  first: CsvPart,
  more: (from: string) => Promise<CsvPart | null>,
  { name = toFileName(req.path), mark }: CsvOptions = {},
): Promise<void> {
  res.writeHead(200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${first.name ?? name}.csv"`,
  });
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  await pipeline(Readable.from(csvText(columns, first, more, mark)), res);
}
