import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const FOLDERS = ['src', 'console/src', 'packages', 'scripts', 'bench', 'test', 'web'];
const BEGIN = '/**';
const pattern = /\/\*\*[\s*]*((?:What|Who|Whether|How|When|The same)\b.*)/g;

/** Finds doc comments that begin with a question or refer to another comment; returns each with its line. */
function indirectComments(text: string): string[] {
  return Array.from(text.matchAll(pattern), ({ 1: words, index }) => {
    const line = text.slice(0, index).split('\n').length;
    return `${line}: ${words}`;
  });
}

test('the search finds such comments on one line or several', () => {
  const wrong = [
    'What it is. */',
    'Whether it ends */',
    'The same, later. */',
    '\n * How long it takes.\n */',
  ];
  const right = ['Whoever asks. */', 'True if it ends. */', 'Whatever it is. */', '\n * It says how.\n */'];
  const comments = [...wrong, ...right].map((comment) => `  ${BEGIN} ${comment}\n`);
  expect(indirectComments(comments.join(''))).toEqual([
    '1: What it is. */',
    '2: Whether it ends */',
    '3: The same, later. */',
    '4: How long it takes.',
  ]);
  expect(indirectComments(right.map((comment) => `${BEGIN}${comment}`).join('\n'))).toEqual([]);
});

test('a doc comment begins with what a thing is or does', () => {
  const found = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(
        (path) =>
          /\.(?:[cm]?[jt]s|tsx)$/.test(path) && !/(?:^|[\\/])(?:generated|node_modules)[\\/]/.test(path),
      )
      .flatMap((path) =>
        indirectComments(readFileSync(join(folder, path), 'utf8')).map((one) => `${folder}/${path}:${one}`),
      ),
  );
  expect(found).toEqual([]);
});
