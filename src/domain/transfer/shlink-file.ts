import { JSONParser } from '@streamparser/json';
import { keepMarks } from './private.ts';

// A file with the short URLs of Shlink and their redirect rules beside them, as the script in docs/moving.md makes it. The
// rules may follow the short URLs, so they are read first.

/** The rules of short URLs, by their domains and short codes. */
export type RulesByLink = ReadonlyMap<string, unknown>;

/** Parts of a file of Shlink that an answer of its API does not have. */
export interface ShlinkFile {
  /** True if its short URLs are a list, and no page of the API. */
  readonly isList: boolean;
  readonly rules: RulesByLink;
}

const NOTHING: ShlinkFile = { isList: false, rules: new Map() };
const RULES = '"redirectRules"';
const LIST = /"shortUrls"\s*:\s*\[/;
/** Number of characters of the previous piece that are searched again. */
const OVERLAP = 100;

/** The name of a short URL, as rules are found by it. */
function nameOf(domain: unknown, shortCode: unknown): string {
  return `${domain ?? ''}/${shortCode}`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Reads the rules beside the short URLs of a file. The file is only searched if it has none. */
export async function readShlinkFile(open: () => AsyncIterable<Buffer>): Promise<ShlinkFile> {
  let [tail, hasRules, isList] = ['', false, false];
  for await (const bytes of open()) {
    const text = tail + bytes.toString('latin1');
    hasRules ||= text.includes(RULES);
    isList ||= LIST.test(text);
    tail = text.slice(-OVERLAP);
  }
  return hasRules || isList ? { isList, rules: hasRules ? await readRules(open()) : NOTHING.rules } : NOTHING;
}

async function readRules(bytes: AsyncIterable<Buffer>): Promise<RulesByLink> {
  const parser = new JSONParser({ paths: ['$.redirectRules.*'], keepStack: false });
  keepMarks(parser);
  const found = new Map<string, unknown>();
  parser.onValue = ({ value }) => {
    if (isObject(value)) found.set(nameOf(value.domain, value.shortCode), value.redirectRules);
  };
  try {
    for await (const piece of bytes) parser.write(piece);
  } catch {
    // Whoever reads the short URLs reports the fault.
  }
  return found;
}

/** Adds its rules to a short URL that has none. */
export function withRules(record: Record<string, unknown>, rules: RulesByLink): Record<string, unknown> {
  const found = rules.get(nameOf(record.domain, record.shortCode));
  return found === undefined || record.redirectRules !== undefined
    ? record
    : { ...record, redirectRules: found };
}
