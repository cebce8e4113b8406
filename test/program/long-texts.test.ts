import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { aliasInput } from '../../src/domain/link/alias.ts';
import { createLinkInput } from '../../src/domain/link/fields.ts';
import { createNamedInput } from '../../src/domain/name-and-color.ts';
import { passwordInput, triedPassword } from '../../src/domain/password.ts';
import { searchInput } from '../../src/engine/lists/pagination.ts';
import { fieldErrors, nameSchema, textSchema, timestamp, trimPasted } from '../../src/engine/rules/input.ts';
import { webAddress } from '../../src/engine/rules/url.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';

afterEach(() => vi.restoreAllMocks());

const x = (length: number) => 'x'.repeat(length);

/** The messages for a text. */
function messagesFor(schema: z.ZodType, text: string, object = z.object({ field: schema })): string[] {
  const { error } = object.safeParse({ field: text });
  return error ? (fieldErrors(error)[0]?.messages ?? []) : [];
}

/** Counts the steps of the work that read a whole text. */
function readsOf(work: () => unknown): number {
  const spies = [
    ...(
      ['trim', 'normalize', 'isWellFormed', 'includes', 'replace', 'replaceAll', 'match', 'split'] as const
    ).map((name) => vi.spyOn(String.prototype, name)),
    vi.spyOn(RegExp.prototype, 'test'),
    vi.spyOn(RegExp.prototype, 'exec'),
  ];
  work();
  const isLong = (text: unknown) => (typeof text === 'string' || text instanceof String) && text.length > 900;
  const reads = spies.flatMap(({ mock }) =>
    mock.contexts.map((context, index) => isLong(context) || isLong(mock.calls[index]?.[0])),
  );
  vi.restoreAllMocks();
  return reads.filter(Boolean).length;
}

test.each<[string, z.ZodType, number, string]>([
  ['a name', createNamedInput.shape.name, 255, 'must have 1 to 255 characters, not N'],
  ['a name of a person', nameSchema(100), 100, 'must have 1 to 100 characters, not N'],
  ['a title', createLinkInput.shape.title, 255, 'may have at most 255 characters, not N'],
  ['an alias', aliasInput, 255, 'must have 1 to 255 characters, not N'],
  ['an address', webAddress, 2_048, 'must have 1 to 2048 characters, not N'],
  ['a search', searchInput, 2_048, 'may have at most 2048 characters, not N'],
  ['a password', passwordInput, 128, 'must have 1 to 128 characters, not N'],
  ['a password to try', triedPassword, 128, 'may have at most 128 characters, not N'],
  [
    'a time',
    timestamp,
    250,
    'must be a moment in ISO 8601 with its offset from UTC, such as 2027-01-01T00:00Z',
  ],
])('refuses %s at once beyond four times its limit and 1,000 characters', (_what, schema, max, message) => {
  const longest = Math.max(4 * max, 1_000);
  const field = z.object({ field: schema });
  field.safeParse({ field: 'x' }); // Prepares zod's own code, which is long.
  for (const text of [
    x(longest + 1),
    ' '.repeat(longest + 1),
    '\u200b'.repeat(20_000),
    `${' '.repeat(longest)}ab`,
  ]) {
    let messages: string[] = [];
    expect(readsOf(() => (messages = messagesFor(schema, text, field)))).toBe(0);
    expect(messages).toEqual([message.replace('N', String(text.length))]);
  }
  // A shorter one is trimmed first.
  const spaces = ' '.repeat(longest - 'https://example.com'.length);
  expect(messagesFor(schema, `https://example.com${spaces}`)).not.toContainEqual(
    expect.stringContaining(`not ${longest}`),
  );
});

test('counts an emoji as one character, however long the text is', () => {
  expect(messagesFor(textSchema(1, 300), '😀'.repeat(300))).toEqual([]);
  expect(messagesFor(textSchema(1, 300), '😀'.repeat(301))).toEqual([
    'must have 1 to 300 characters, not 301',
  ]);
  expect(messagesFor(textSchema(0, 300), `${'😀'.repeat(299)}\ud83d`)).toEqual([
    'may not contain null characters or broken surrogate pairs',
  ]);
});

test.each<[string, z.ZodType, string]>([
  ['an address', webAddress, `  https://example.com/${x(1_900)}\u200b `],
  ['a refused address', webAddress, `  https://exa mple.com/${x(1_900)}\u200b `],
  ['a search', searchInput, ` ${x(1_500)} `],
  ['a title that is too long', createLinkInput.shape.title, ` ${x(1_010)} `],
])('reads %s of more than 1,000 characters once, however often it is parsed', (_what, schema, text) => {
  let reads = 0;
  const parse = () => (reads = readsOf(() => schema.safeParse(text)));
  parse();
  expect(reads).toBeGreaterThan(0);
  const first = JSON.stringify(schema.safeParse(text));
  parse();
  // Whether it can be stored is known to the engine.
  expect(reads).toBeLessThanOrEqual(2);
  expect(JSON.stringify(schema.safeParse(text))).toBe(first);
});

test('trims what is copied with an address in little time', async () => {
  const texts = Array.from({ length: 500 }, (_, index) => `${index}${'\u200b '.repeat(4_000)}`);
  for (const text of texts.slice(0, 3)) trimPasted(text);
  expect(trimPasted(`\u00a0\ufeff\t a \u2028\u202e`)).toBe('a');
  expect(await cpuTimeOf(() => texts.map(trimPasted))).toBeLessThan(500);
});
