/** The limits of one import of the service. */
const MAX_RECORDS = 500;
const MAX_BYTES = 500_000;

/** A part of a file that one import of the service takes. */
export interface Part {
  readonly text: string;
  /** Added to the number of a line of the part, it is that of the file. */
  readonly offset: number;
  readonly records: number;
}

const bytesIn = (text: string): number => Buffer.byteLength(text);
const linesIn = (text: string): number => text.match(/\r\n?|\n/g)?.length ?? 0;

/** Divides CSV into records. A quote opens a cell only at its beginning, and may enclose line breaks. */
function splitCsv(text: string): string[] {
  const records: string[] = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const one = text[at];
    if (one === '"') {
      if (!isQuoted) isQuoted = at === start || /[,;|\t\uFEFF]/.test(text.charAt(at - 1));
      else if (text[at + 1] === '"') at++;
      else isQuoted = false;
    } else if (!isQuoted && (one === '\n' || (one === '\r' && text[at + 1] !== '\n'))) {
      records.push(text.slice(start, at + 1));
      start = at + 1;
    }
  }
  if (start < text.length) records.push(text.slice(start));
  return records;
}

/** Groups records so that each group is within the limits. */
function* group(records: readonly string[], header: string): Generator<string[]> {
  let part: string[] = [];
  let size = bytesIn(header);
  for (const record of records) {
    const more = bytesIn(record) + 1;
    if (part.length > 0 && (part.length === MAX_RECORDS || size + more > MAX_BYTES)) {
      yield part;
      part = [];
      size = bytesIn(header);
    }
    part.push(record);
    size += more;
  }
  if (part.length > 0) yield part;
}

function splitLines(text: string, hasHeader: boolean): Part[] {
  const [first = '', ...rest] = splitCsv(text);
  const header = hasHeader ? first : '';
  let offset = 0;
  return [...group(hasHeader ? rest : [first, ...rest], header)].map((records) => {
    const part = { text: header + records.join(''), offset, records: records.length };
    offset += linesIn(records.join(''));
    return part;
  });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the list of records in JSON, as exports of this service and most others have it; null for another shape. */
function listIn(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return null;
  const { data, shortUrls, redirectRules } = value;
  if (shortUrls !== undefined) return withRules(listIn(shortUrls), redirectRules);
  return Array.isArray(data) ? data : null;
}

/** Returns short URLs of Shlink with the redirect rules that stand beside them in the file. */
function withRules(list: readonly unknown[] | null, rules: unknown): readonly unknown[] | null {
  if (list === null || !Array.isArray(rules)) return list;
  const nameOf = ({ domain, shortCode }: Readonly<Record<string, unknown>>) => `${domain ?? ''}/${shortCode}`;
  const byName = new Map(rules.filter(isObject).map((one) => [nameOf(one), one.redirectRules]));
  return list.map((one) => (isObject(one) ? { redirectRules: byName.get(nameOf(one)), ...one } : one));
}

/**
 * Divides the text of a file into parts that one import takes. A short file stays as it is.
 * @throws Error for a long JSON file whose records are somewhere else
 */
export function splitImport(text: string, isLines: boolean): Part[] {
  const isJson = !isLines && /^\uFEFF?\s*[[{]/.test(text);
  if (!isJson) return splitLines(text, !isLines);
  const whole = { text, offset: 0, records: 0 };
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The service says what is wrong.
    return [whole];
  }
  const list = listIn(value);
  if (list === null) {
    if (bytesIn(text) <= MAX_BYTES) return [whole];
    throw new Error('A JSON file of more than 500 kB must be a list, or an object with the list data.');
  }
  let offset = 0;
  return [
    ...group(
      list.map((record) => JSON.stringify(record)),
      '',
    ),
  ].map((records) => {
    const part = { text: `{"data":[${records.join(',\n')}]}`, offset, records: records.length };
    offset += records.length;
    return part;
  });
}
