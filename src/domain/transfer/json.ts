import { JSONParser, TokenType } from '@streamparser/json';
import { MAX_CELLS, MAX_RECORD_LENGTH, noExport } from './csv.ts';
import { flattened } from './file-record.ts';
import { type Format, type ImportFormat, importFormats } from './formats.ts';
import { BrokenOff, type SourceLine } from './import.ts';
import { keepMarks } from './private.ts';
import { readShlinkFile, withRules } from './shlink-file.ts';

/** Maximum depth of nested lists and objects; each level takes memory. Exports have at most ten. */
const MAX_DEPTH = 10_000;

/** The keys of an object that may have lists of records, in every format. */
const LISTS = ['data', 'links', 'domains', 'spaces', 'pixels'];

/** Maximum depth of lists of records within a file. */
const MAX_LIST_DEPTH = 3;

/** @param open starts to read the text */
export async function* jsonRecords(
  open: () => AsyncIterable<Buffer>,
  isList: boolean,
  format: ImportFormat,
): AsyncGenerator<SourceLine> {
  const { lists: more = [], objects = [] }: Format = importFormats[format];
  const shlink = format === 'shlink' && !isList ? await readShlinkFile(open) : null;
  const lists = isList ? [''] : [...LISTS, ...(shlink?.isList ? ['shortUrls'] : more)];
  const paths = [...new Set([...lists, ...objects])].map((path) => `$.${path === '' ? '' : `${path}.`}*`);
  const parser = new JSONParser({ paths, keepStack: false });
  keepMarks(parser);
  let hasList = false;
  /** The depth within a list of records; 0 outside of one. */
  let within = 0;
  let depth = 0;
  let line = 0;
  /** The latest text at each depth, which is the key of a list or an object that begins there. */
  const keys: unknown[] = [];
  const isListed = (token: TokenType) =>
    (token === TokenType.LEFT_BRACKET ? lists : objects).includes(keys.slice(1, depth + 1).join('.'));
  // The parser gives no list that is empty.
  parser.onToken = ({ token, value }) => {
    if (token === TokenType.STRING && depth < MAX_LIST_DEPTH) keys[depth] = value;
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
      const begins = within === 0 && depth < MAX_LIST_DEPTH && isListed(token);
      depth++;
      if (begins) {
        hasList = true;
        within = depth;
      }
    }
    if (depth > MAX_DEPTH)
      throw new BrokenOff(`The record ${line + 1} is nested more than ${MAX_DEPTH} levels deep`);
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) {
      if (depth === within) within = 0;
      depth--;
    }
  };
  const found: unknown[] = [];
  parser.onValue = ({ value }) => void (within > 0 && found.push(value));
  function* complete(length: number): Generator<SourceLine> {
    const size = Math.ceil(length / Math.max(1, found.length));
    for (const value of found.splice(0)) {
      line++;
      // Any object is a record of unknown values.
      const record = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
      const raw = record && flattened(format, shlink ? withRules(record, shlink.rules) : record);
      const header = Object.keys(raw ?? {});
      if (raw === null) yield { line, size, unreadable: 'is not an object' };
      else if (header.length > MAX_CELLS)
        yield { line, size, unreadable: `has more than ${MAX_CELLS} values` };
      else yield { line, size, raw, header, isCsv: false };
    }
  }
  let length = 0;
  let fault: string | null = null;
  /** Bytes of the current record that were read. */
  let size = 0;
  try {
    for await (const chunk of open()) {
      ({ length } = chunk);
      parser.write(chunk);
      size = within > 0 && depth > within && found.length === 0 ? size + length : 0;
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
  const names = lists.map((one) => `"${one}"`).join(', ');
  if (parser.isEnded && !hasList)
    throw noExport(format, `it needs a list of records, or an object that has one as ${names}`);
  if (fault !== null) throw new BrokenOff(`The file is no JSON after record ${line}: ${fault}`);
}
