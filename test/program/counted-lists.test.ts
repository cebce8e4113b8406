import { afterEach, describe, expect, test, vi } from 'vitest';
import { columnsFor, readRecord } from '../../src/domain/transfer/file-record.ts';
import { type ImportFormat, type ImportRecord, importFormats } from '../../src/domain/transfer/formats.ts';
import { parseRecord } from '../../src/domain/transfer/values.ts';
import { parseForm, parseJson, UnreadableBody } from '../../src/engine/rest/form/form.ts';
import { refusalIn } from '../../src/engine/rules/refusal.ts';

afterEach(() => vi.restoreAllMocks());

const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

/** A list that counts how many of its items are read. */
function counted(items: readonly unknown[]): { readonly list: unknown[]; reads(): number } {
  let reads = 0;
  const list = new Proxy([...items], {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
      return Reflect.get(target, key, receiver);
    },
  });
  return { list, reads: () => reads };
}

/** The messages for the fields of a record. */
function messagesOf(record: ImportRecord, format: ImportFormat = 'csv'): string[] {
  const { error } = parseRecord(record, importFormats[format]);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${refusalIn(message).message}`);
}

/** The calls during the work that parse a long text, or split it up into many. */
function longCallsDuring(work: () => unknown): number {
  const isLong = (value: unknown) =>
    (typeof value === 'string' || value instanceof String) && value.length > 1_000;
  const parse = vi.spyOn(JSON, 'parse');
  const split = vi.spyOn(String.prototype, 'split');
  work();
  const found = [
    ...parse.mock.calls.map(([text]) => isLong(text)),
    ...split.mock.results.map(({ value }) => value.length > 1_000),
  ];
  vi.restoreAllMocks();
  return found.filter(Boolean).length;
}

const TARGET = { country: 'DE', url: 'https://example.com/' };
const PIXEL = { name: 'a', type: 'META', value: '1' };
const lists: [keyof ImportRecord & string, unknown, number, string][] = [
  ['tags', 'summer', 50, 'tags would give the link N tags; it may have at most 50'],
  ['tags', { name: 'summer' }, 50, 'tags would give the link N tags; it may have at most 50'],
  ['pixels', PIXEL, 50, 'pixels may have at most 50 entries'],
  ['countries', TARGET, 250, 'countries may have at most 250 entries'],
  [
    'platforms',
    { platform: 'IOS', url: 'https://example.com/' },
    250,
    'platforms may have at most 250 entries',
  ],
  [
    'languages',
    { language: 'de', url: 'https://example.com/' },
    250,
    'languages may have at most 250 entries',
  ],
  ['rotation', 'https://example.com/', 250, 'rotation may have at most 250 entries'],
];

describe('a list of an imported record', () => {
  test.each(lists)('%s of %j in JSON is refused before its items are read', (field, item, max, message) => {
    expect(messagesOf({ [field]: many(max, item) })).toEqual([]);
    const { list, reads } = counted(many(260_000, item));
    const messages = messagesOf({ [field]: list });
    expect(messages).toEqual([message.replace('N', '260000')]);
    expect(reads()).toBeLessThanOrEqual(max + 1);
  });

  test.each(lists)('%s of %j in a cell is refused before it is parsed', (field, item, max, message) => {
    expect(messagesOf({ [field]: JSON.stringify(many(max, item)) })).toEqual([]);
    const cell = ` ${JSON.stringify(many(20_000, item))}`;
    const told = [message.replace('N', '20000')];
    expect(longCallsDuring(() => expect(messagesOf({ [field]: cell })).toEqual(told))).toBe(0);
    // Brackets and commas in texts and in items separate nothing.
    const own =
      typeof item === 'string' ? `${item}?[{,"\\` : { ...Object(item), more: [1, [2, 3], '],[,"\\'] };
    expect(messagesOf({ [field]: JSON.stringify(many(max, own)) })).toEqual([]);
  });

  test('tags with something between them are not split up beyond their limit', () => {
    expect(messagesOf({ tags: many(50, 'a').join(' , ') })).toEqual([]);
    const cell = 'a;'.repeat(130_000);
    expect(longCallsDuring(() => expect(messagesOf({ tags: cell })).toHaveLength(1))).toBe(0);
    expect(messagesOf({ tags: cell })).toEqual([
      'tags would give the link 130001 tags; it may have at most 50',
    ]);
    expect(messagesOf({ tags: `a${','.repeat(260_000)}b` })).toEqual([]);
  });

  test('targets by country in an object are counted', () => {
    const urls = (count: number) =>
      Object.fromEntries(many(count, 'https://example.com/').map((url, index) => [`C${index}`, url]));
    expect(messagesOf({ country_urls: urls(250) }, 'dub')).toEqual([]);
    const message = 'country_urls may have at most 250 entries';
    expect(messagesOf({ country_urls: urls(251) }, 'dub')).toEqual([message]);
    const cell = JSON.stringify(urls(20_000));
    expect(longCallsDuring(() => expect(messagesOf({ country_urls: cell }, 'dub')).toEqual([message]))).toBe(
      0,
    );
  });

  test('short URLs are counted as the record is read', () => {
    const columns = columnsFor('bitly', ['link', 'long_url', 'custom_bitlinks']);
    const { list, reads } = counted(many(260_000, 'https://bit.ly/a'));
    const { fields } = readRecord(
      columns,
      { link: 'bit.ly/b', long_url: 'a.example', custom_bitlinks: list },
      false,
    );
    expect(messagesOf(fields, 'bitly')).toEqual([expect.stringContaining('must be at most 100 short URLs')]);
    expect(reads()).toBeLessThan(300);
    for (const cell of [
      'https://bit.ly/a,'.repeat(20_000),
      JSON.stringify(many(20_000, 'https://bit.ly/a')),
    ]) {
      const calls = longCallsDuring(() => {
        const record = readRecord(columns, { long_url: 'a.example', custom_bitlinks: cell }, true);
        expect(messagesOf(record.fields, 'bitly')).toEqual([
          expect.stringContaining('must be at most 100 short URLs'),
        ]);
      });
      expect(calls).toBe(0);
    }
  });

  test('a value is compared with those of further columns once, however many they are', () => {
    const title = 'x'.repeat(10_000);
    const names = many(500, 'title').map((name, index) => name + ' '.repeat(index));
    const stringify = vi.spyOn(JSON, 'stringify');
    const raw = Object.fromEntries(names.map((name) => [name, name === 'title' ? title : 'y']));
    expect(readRecord(columnsFor('csv', names), raw, false).unused).toHaveLength(499);
    expect(stringify.mock.calls.filter(([value]) => value === title)).toHaveLength(1);
  });
});

describe('a name of v1 with brackets', () => {
  const deep = new UnreadableBody('The body is nested too deeply.');
  const names: [string, string][] = [
    ['far too many', `a${'[b]'.repeat(100_000)}`],
    ['unclosed ones', `a${'['.repeat(300_000)}`],
    ['closing ones', `a${']'.repeat(300_000)}`],
    ['empty ones', `a${'[]'.repeat(100_000)}`],
    ['one too many', `a${'[b]'.repeat(20)}`],
  ];

  test.each(names)('is refused before it is parsed: %s', (_what, name) => {
    const parsed = vi.spyOn(String.prototype, 'matchAll');
    expect(() => parseForm(`${encodeURIComponent(name)}=x`)).toThrow(deep);
    expect(() => parseForm(`${name}=x`)).toThrow(deep);
    expect(() => parseJson(Buffer.from(JSON.stringify({ [name]: 'x' })))).toThrow(deep);
    expect(parsed).not.toHaveBeenCalled();
  });

  test('has as many levels as before', () => {
    expect(parseForm(`a${'[b]'.repeat(19)}=x`).size).toBe(1);
    expect([...parseForm('a[b=x').keys()]).toEqual(['a[b']);
  });
});
