import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The project's guides. */
export const guides: readonly string[] = [
  'README.md',
  ...['docs', 'docs/adr', 'examples'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => join(folder, name)),
  ),
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
];

/** A block of code in a guide. */
export interface Block {
  readonly file: string;
  /** Its file and line: docs/x.md:12. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
  /** The file that it shows as a whole, by the comment before it; null for none. */
  readonly shows: string | null;
}

const FENCE = /^( *)(```+|~~~+)(.*)\n([\s\S]*?)^\1\2 *$/gm;

/** The fenced blocks of a guide, in order. */
export function blocksOf(file: string): Block[] {
  const guide = readFileSync(file, 'utf8');
  return [...guide.matchAll(FENCE)].map(({ 3: info = '', 4: text = '', index }) => ({
    file,
    place: `${file}:${guide.slice(0, index).split('\n').length}`,
    language: info.trim(),
    text,
    shows: /<!-- file (\S+) -->\n$/.exec(guide.slice(0, index))?.[1] ?? null,
  }));
}

export const allBlocks: readonly Block[] = guides.flatMap(blocksOf);

/** The text of a guide without its blocks. */
export function proseOf(file: string): string {
  return readFileSync(file, 'utf8').replace(FENCE, (block) => '\n'.repeat(block.split('\n').length - 1));
}

/** The code spans in the prose of a guide. */
export function codeSpansOf(file: string): string[] {
  return [...proseOf(file).matchAll(/(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g)].map(({ 2: code = '' }) =>
    code.replace(/\s+/g, ' ').trim(),
  );
}

/** The commands of a shell block: continued lines are joined, comments left out. */
export function commandsOf({ text }: Block): string[] {
  return text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}
