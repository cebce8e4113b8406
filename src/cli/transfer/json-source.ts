import { JSONParser, TokenType } from '@streamparser/json';
import { flattened } from '../../domain/transfer/columns.ts';
import type { SourceLine } from '../../domain/transfer/entry.ts';
import type { ImportFormat } from '../../domain/transfer/formats.ts';
import { BrokenOff } from '../../domain/transfer/import.ts';
import { MAX_RECORD_LENGTH } from './csv-reader.ts';
import { noExport } from './format-error.ts';

/** How deeply lists and objects may be nested: each level takes memory. Exports have ten at most. */
const MAX_DEPTH = 10_000;

/** The keys of an object that may have lists of records. */
const LISTS = ['data', 'links', 'domains', 'spaces', 'pixels'];

/** Makes the parser keep byte order marks within texts, for which it has no option. */
function keepMarks(parser: JSONParser): void {
  const texts: object = Reflect.get(Reflect.get(parser, 'tokenizer'), 'bufferedString');
  Reflect.set(texts, 'decoder', new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }));
}

export async function* jsonRecords(
  bytes: AsyncIterable<Buffer>,
  isList: boolean,
  format: ImportFormat,
): AsyncGenerator<SourceLine> {
  const paths = isList ? ['$.*'] : LISTS.map((key) => `$.${key}.*`);
  const parser = new JSONParser({ paths, keepStack: false });
  keepMarks(parser);
  let hasList = isList;
  let depth = 0;
  let line = 0;
  let key: unknown;
  const isListed = () => isList || LISTS.some((one) => one === key);
  // The parser gives no list that is empty.
  parser.onToken = ({ token, value }) => {
    if (depth === 1 && token === TokenType.STRING) key = value;
    if (depth === 1 && token === TokenType.LEFT_BRACKET && isListed()) hasList = true;
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth++;
    if (depth > MAX_DEPTH)
      throw new BrokenOff(`The record ${line + 1} is nested more than ${MAX_DEPTH} levels deep`);
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth--;
  };
  const found: unknown[] = [];
  parser.onValue = ({ value }) => void (hasList && found.push(value));
  function* complete(length: number): Generator<SourceLine> {
    const size = Math.ceil(length / Math.max(1, found.length));
    for (const value of found.splice(0)) {
      line++;
      // Any object is a record of unknown values.
      const record = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
      const raw = record && flattened(format, record);
      yield raw === null
        ? { line, size, unreadable: 'is not an object' }
        : { line, size, raw, header: Object.keys(raw), isCsv: false };
    }
  }
  let length = 0;
  let fault: string | null = null;
  /** How many bytes of the current record were read. */
  let size = 0;
  try {
    for await (const chunk of bytes) {
      ({ length } = chunk);
      parser.write(chunk);
      const isWithin = depth > (isList ? 1 : 2) && isListed();
      size = isWithin && found.length === 0 ? size + length : 0;
      yield* complete(length);
      if (size > MAX_RECORD_LENGTH)
        throw new BrokenOff(`The record ${line + 1} has more than ${MAX_RECORD_LENGTH} bytes`);
    }
    if (!parser.isEnded) fault = 'it ends too early';
  } catch (error) {
    if (error instanceof BrokenOff) throw error;
    fault = error instanceof Error ? error.message : String(error);
    // Those before the fault.
    yield* complete(length);
  }
  const names = LISTS.map((one) => `"${one}"`).join(', ');
  if (parser.isEnded && !hasList)
    throw noExport(format, `it needs a list of records, or an object that has one as ${names}`);
  if (fault !== null) throw new BrokenOff(`The file is no JSON after record ${line}: ${fault}`);
}
