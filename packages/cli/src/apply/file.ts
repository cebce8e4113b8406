import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { CliError, EXIT } from '../errors.ts';
import { type FileLink, linkFields, type Reader } from './fields.ts';

/** A link of a file. */
export interface Entry {
  readonly key: string;
  /** The line of the key, from 1. */
  readonly line: number;
  /** The lines of the fields. */
  readonly lines: ReadonlyMap<string, number>;
  readonly link: FileLink;
}

/** Fields that have other names in inputs of the service. */
const NAMES: Readonly<Record<string, string>> = { domainId: 'domain', spaceId: 'space', tagIds: 'tags' };

/** Returns the line of a field of the file or of the input; that of the link if the file does not have it. */
export function lineOf({ line, lines }: Pick<Entry, 'line' | 'lines'>, field: string | undefined): number {
  return lines.get(NAMES[field ?? ''] ?? field ?? '') ?? line;
}

/** A file of links. */
export interface LinkFile {
  readonly file: string;
  readonly name: string;
  readonly entries: readonly Entry[];
}

const NAME = /^[a-z0-9-]{1,40}$/;
const KEY = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;
/** The most errors that are told of one file. */
const MAX_TOLD = 20;

/** Errors of a file with their lines. */
export class FileErrors {
  readonly #file: string;
  readonly #found: { readonly line: number; readonly message: string }[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  add(line: number, message: string): void {
    this.#found.push({ line, message });
  }

  /** @throws CliError if there are errors: a line for each */
  throwIfAny(): void {
    if (this.#found.length === 0) return;
    const told = this.#found
      .toSorted((one, other) => one.line - other.line)
      .slice(0, MAX_TOLD)
      .map(({ line, message }) => `${this.#file}:${line}: ${message}.`);
    const more = this.#found.length - told.length;
    throw new CliError([...told, ...(more > 0 ? [`${more} more errors.`] : [])].join('\n'), EXIT.refused);
  }
}

/** Returns the beginning of the external ids of a file's links. */
export function externalIdPrefix(name: string): string {
  return `lsp:${name}/`;
}

/** Errors of the parser that its own words do not explain. */
const SYNTAX_ERRORS: Readonly<Record<string, (key: string | undefined) => string | undefined>> = {
  DUPLICATE_KEY: (key) => key && `the key ${key} is there twice`,
  MULTIPLE_DOCS: () => 'a second document begins here; a file is one document, so use two files',
  RESOURCE_EXHAUSTION: () => 'the file is nested too deeply',
};

/** Reads a file of links. @throws CliError with the lines of all errors */
export function parseLinkFile(text: string, file: string): LinkFile {
  const lineCounter = new LineCounter();
  const errors = new FileErrors(file);
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: true, merge: false });
  const lineAt = (offset: number) => Math.max(1, lineCounter.linePos(offset).line);
  for (const { pos, message, code } of [...document.errors, ...document.warnings]) {
    const key = /^[\w./-]+/.exec(text.slice(pos[0], pos[0] + 300))?.[0];
    errors.add(lineAt(pos[0]), SYNTAX_ERRORS[code]?.(key) ?? message.replace(/\.$/, ''));
  }
  errors.throwIfAny();

  const reader: Reader = {
    resolve: (node) => (isNode(node) ? ('resolve' in node ? (node.resolve(document) ?? null) : node) : null),
    refuse(node, message) {
      errors.add(lineAt((isNode(node) && node.range?.[0]) || 0), message);
    },
  };
  const top = document.contents;
  let name = '';
  const entries: Entry[] = [];
  if (!isMap(top)) reader.refuse(top, 'the file must be an object with name and links');
  else {
    for (const { key, value } of top.items) {
      const field = isScalar(key) ? key.value : undefined;
      const node = reader.resolve(value);
      if (field === 'name') {
        name = isScalar(node) && typeof node.value === 'string' ? node.value : '';
        if (!NAME.test(name)) reader.refuse(value ?? key, 'name must be 1 to 40 of a to z, 0 to 9 and -');
      } else if (field === 'links') {
        // A file whose end is lost would delete all its links.
        if (isScalar(node) ? node.value === null : node === null)
          reader.refuse(value ?? key, 'links has no value; write links: [] if the file is to have no link');
        else if (isSeq(node) && node.items.length === 0) continue;
        else if (!isMap(node))
          reader.refuse(value ?? key, 'links must be an object with a key for each link');
        else entries.push(...node.items.flatMap(({ key, value }) => readEntry(reader, key, value, lineAt)));
      } else reader.refuse(key, `${String(field)} is no field; these are: name, links`);
    }
    for (const field of ['name', 'links']) if (!top.has(field)) reader.refuse(top, `${field} is missing`);
  }
  errors.throwIfAny();
  return { file, name, entries };
}

function readEntry(
  reader: Reader,
  node: unknown,
  value: unknown,
  lineAt: (offset: number) => number,
): Entry[] {
  const key = isScalar(node) ? node.value : undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    const isNumber = typeof key === 'number';
    reader.refuse(
      node,
      `a key must be 1 to 200 letters, digits, ".", "_", "-" and "/"${isNumber ? ': put it in quotes' : ''}`,
    );
    return [];
  }
  const link = linkFields(reader, value ?? node, key);
  if (link === undefined) return [];
  const line = (one: unknown) => lineAt((isNode(one) && one.range?.[0]) || 0);
  const fields = reader.resolve(value);
  const items = isMap(fields) ? fields.items : [];
  const lines = new Map(items.map(({ key }) => [isScalar(key) ? String(key.value) : '', line(key)]));
  return [{ key, line: line(node), lines, link }];
}
