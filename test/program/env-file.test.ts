import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-env-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The output of an npm command in a folder with a file `.env`. */
function said(
  env: Record<string, string>,
  file: string | Buffer = 'DATABASE_URL=file:./from-the-file.db\n',
): string {
  writeFileSync(join(folder, '.env'), file);
  const { PATH = '' } = process.env;
  const args = [resolve('scripts/run.mjs'), 'cli/keys', 'list'];
  return spawnSync(process.execPath, args, { cwd: folder, env: { PATH, ...env }, encoding: 'utf8' }).stderr;
}

test('a command reads .env', () => {
  expect(said({})).toContain('There is no file ./from-the-file.db');
});

test('the environment takes precedence over .env', () => {
  expect(said({ DATABASE_URL: 'file:./from-outside.db' })).toContain('There is no file ./from-outside.db');
});

test('the environment takes precedence over a secret in a file, or in the place of one, in .env', () => {
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'file:./from-the-secret.db');
  expect(said({ DATABASE_URL: 'file:./from-outside.db' }, `DATABASE_URL_FILE=${secret}\n`)).toContain(
    'There is no file ./from-outside.db',
  );
  expect(said({ DATABASE_URL_FILE: secret })).toContain('There is no file ./from-the-secret.db');
  // Which one is meant cannot be known.
  expect(said({}, `DATABASE_URL=file:./x.db\nDATABASE_URL_FILE=${secret}\n`)).toContain('it may be unset');
});

const LINES = 'PORT=first\r\nRATE_LIMIT=second\r\n';
const wide = Buffer.from(LINES, 'utf16le');

test.each([
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${LINES}`)],
  ['UTF-16 as Windows writes it', Buffer.concat([Buffer.from([0xff, 0xfe]), wide])],
  ['UTF-16 in the other order', Buffer.concat([Buffer.from([0xff, 0xfe]), wide]).swap16()],
  ['UTF-16 without a mark', wide],
  ['UTF-16 in the other order without a mark', Buffer.from(wide).swap16()],
  ['files with marks that were joined', Buffer.from(`\ufeff# A comment\n\ufeff${LINES}`)],
  ['lines of an old Mac', Buffer.from(LINES.replaceAll('\n', ''))],
])('.env may be %s', (_name, file) => {
  const [first, second] = said({}, file).split('\n');
  expect([first, second]).toEqual([
    'PORT is "first"; it may be a whole number from 0 to 65535.',
    'RATE_LIMIT is "second"; it may be a whole number from 0 to 1000000000.',
  ]);
});

test('says which value in .env ends at a # that may be part of it', () => {
  const told = (name: string) =>
    `${name} in .env ends before its #: put the value in quotes if the # is part of it.\n`;
  const url = 'DATABASE_URL=file:./a#b.db\n';
  expect(said({}, url)).toMatch(new RegExp(`^${told('DATABASE_URL')}(Building…\n)?There is no file \\./a: `));
  expect(said({}, `export OIDC_CLIENT_SECRET = s3cr#t\r\n${url}`)).toContain(told('OIDC_CLIENT_SECRET'));
  const plain = [
    ...['PORT=3000 # comment', '#HOST=a#b', 'OIDC_NAME="a#b"', "EXTRA='a#b'", 'LOG_LEVEL=#x', 'BASE_URL='],
    ...['DATABASE_URL="file:./a#b.db"', 'NOTE="', 'see a#b', '"'],
  ];
  expect(said({}, plain.join('\n'))).toMatch(/^(Building…\n)?There is no file \.\/a#b\.db/);
  expect(said({ DATABASE_URL: 'file:./outside.db' }, url)).toMatch(
    /^(Building…\n)?There is no file \.\/outside\.db/,
  );
});

test('says which lines of .env have no effect', () => {
  const told = (line: number) => `Line ${line} of .env has no effect: it may be NAME=value.\n`;
  for (const line of [
    'set DATABASE_URL=file:./x.db',
    'DATABASE_URL: file:./x.db',
    '$env:DATABASE_URL = "file:./x.db"',
    '\u00a0DATABASE_URL=file:./x.db',
    'DATABASE_URL',
    '// DATABASE_URL=file:./x.db',
  ])
    expect(said({}, `# Settings\n\n${line}\nDATABASE_URL=file:./y.db\n`)).toMatch(
      new RegExp(`^${told(3)}(.*\\n)?There is no file \\./y\\.db: `),
    );
  const plain = [
    '  export A=1',
    'B =',
    '#C',
    '  # D',
    "E='",
    'of several lines',
    "'",
    'DATABASE_URL=file:./y.db',
  ];
  expect(said({}, plain.join('\r\n'))).toMatch(/^There is no file \.\/y\.db: /);
});

test.each([
  ['A="x\nB="y"\nexport C=z', 'A in .env has B in it: close its quote in its own line.'],
  ["A='x\n  B = y\nexport C='z'", 'A in .env has B, C in it: close its quote in its own line.'],
  ['A=`x\nB=`y', 'A in .env has B in it: close its quote in its own line.'],
  ['A="x\nB=y', 'A in .env begins with a quote that is not closed.'],
  ['A="x"y z', 'A in .env ends at its second quote: put a value with quotes in other ones.'],
  ["export A = 'x'y'", 'A in .env ends at its second quote: put a value with quotes in other ones.'],
])('says what a quote of a value in .env does to others: %j', (lines, told) => {
  const text = `DATABASE_URL=file:./y.db\n${lines}\n`;
  expect(said({}, text)).toMatch(new RegExp(`^${told}\\n(Building…\\n)?There is no file \\./y\\.db: `));
  expect(said({ A: 'outside' }, text)).not.toContain(told);
});

test('says nothing of quotes that are as they should be', () => {
  const plain = [
    ...[
      'A="x"',
      "B='x' # it's a comment",
      'C="x"# "',
      'D="\\n=y"',
      "E='",
      'of several lines',
      "'",
      "F=Bob's",
    ],
    ...['G=""', '# don\'t "', 'H=\'a"b"c\'', 'DATABASE_URL=file:./y.db'],
  ];
  expect(said({}, plain.join('\n'))).toMatch(/^(Building…\n)?There is no file \.\/y\.db: /);
});

test('names a value in .env that is not UTF-8', () => {
  const file = Buffer.from('# Gr\xfc\xdfe\nDATABASE_URL=file:./b\xfcro.db\n', 'latin1');
  expect(said({}, file)).toBe('DATABASE_URL in .env has bytes that are not UTF-8: save the file in UTF-8.\n');
  expect(said({ DATABASE_URL: 'file:./outside.db' }, file)).toContain('There is no file ./outside.db');
});

test('the file of a secret may be in UTF-16, or have a byte order mark', () => {
  const secret = join(folder, 'secret');
  const url = 'file:./from-the-secret.db\r\n';
  for (const bytes of [
    Buffer.from(`\ufeff${url}`),
    Buffer.from(`\ufeff${url}`, 'utf16le'),
    Buffer.from(url, 'utf16le'),
  ]) {
    writeFileSync(secret, bytes);
    expect(said({ DATABASE_URL_FILE: secret }, '')).toContain('There is no file ./from-the-secret.db');
  }
  writeFileSync(secret, Buffer.from('file:./b\xfcro.db', 'latin1'));
  expect(said({ DATABASE_URL_FILE: secret }, '')).toContain('(not in UTF-8)');
});
