import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeFields } from '../../src/engine/rest/form/field.ts';
import { type FormValue, parseForm, parseJson, UnreadableBody } from '../../src/engine/rest/form/form.ts';
import { routes } from '../../src/rest/routes.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';

/** A form as plain data: maps as lists of pairs, to compare their order. */
function plain(value: FormValue | undefined): unknown {
  return value instanceof Map ? Array.from(value, ([key, inner]) => [key, plain(inner)]) : value;
}

const encoded = (value: string) => new URLSearchParams({ x: value }).toString().slice(2);
const bytes = (form: string) => Buffer.from(form).toString('latin1');

describe('a form', () => {
  test.each([
    [
      'a=1&b=2',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['a=1&a=2', [['a', '2']]],
    ['a', [['a', '']]],
    ['&&a=b=c&', [['a', 'b=c']]],
    ['a=+x+%20y%2B+', [['a', 'x  y+']]],
    [
      'a=50%&b=%zz',
      [
        ['a', '50%'],
        ['b', '%zz'],
      ],
    ],
    [
      'c[9][key]=x&c[2][key]=y',
      [
        [
          'c',
          [
            ['9', [['key', 'x']]],
            ['2', [['key', 'y']]],
          ],
        ],
      ],
    ],
    ['c[99999999999999][key]=x', [['c', [['99999999999999', [['key', 'x']]]]]]],
    [
      'p[]=1&p[]=2',
      [
        [
          'p',
          [
            ['0', '1'],
            ['1', '2'],
          ],
        ],
      ],
    ],
    [
      'p[a=1&q]b=2',
      [
        ['p[a', '1'],
        ['q]b', '2'],
      ],
    ],
    [
      '__proto__=x&constructor[prototype]=y',
      [
        ['__proto__', 'x'],
        ['constructor', [['prototype', 'y']]],
      ],
    ],
    ['a=1&a[b]=2', [['a', [['b', '2']]]]],
    ['n%C3%A4me=%E2%82%AC', [['näme', '€']]],
    ['n=ä€🚀', [['n', 'ä€🚀']]],
  ])('parses %s', (form, expected) => {
    expect(plain(parseForm(bytes(form)))).toEqual(expected);
  });

  test('keeps any text, trimmed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        expect(parseForm(`x=${encoded(value)}`).get('x')).toBe(value.trim());
      }),
    );
  });

  test('keeps every pair up to the size limit of a body', () => {
    const form = Array.from({ length: 4_000 }, (_, index) => `c[${index}]=x`).join('&');
    expect(parseForm(form).get('c')).toHaveProperty('size', 4_000);
  });

  test.each([
    ['a large number and empty brackets', `a[${'9'.repeat(50_000)}]=&${'a[]=&'.repeat(2_400)}`],
    ['many large numbers', Array.from({ length: 250 }, (_, i) => `a[${i}${'9'.repeat(380)}]=`).join('&')],
    ['empty brackets', 'a[]=&'.repeat(4_900)],
  ])('with %s takes little time', async (_what, form) => {
    expect(await cpuTimeOf(() => parseForm(form))).toBeLessThan(2_000);
  });

  test.each([
    ['too many values', 'a&'.repeat(5_001)],
    ['half a million values', 'a&'.repeat(500_000)],
    ['too many brackets', `a${'[a]'.repeat(20)}=1`],
    ['brackets without end', `a${'[a]'.repeat(30_000)}=1`],
  ])('with %s is refused as unreadable', async (_what, form) => {
    const refused = () => expect(() => parseForm(form)).toThrow(UnreadableBody);
    expect(await cpuTimeOf(refused)).toBeLessThan(2_000);
  });

  test('of any bytes is read or refused as unreadable', () => {
    const soup = fc.string({ unit: fc.constantFrom(...'ab[]=&%+0123fF\xff \0') });
    fc.assert(
      fc.property(soup, (form) => {
        try {
          parseForm(form);
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableBody);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

test('parses JSON like the form with the same names', () => {
  const json = {
    a: ' x ',
    n: 1,
    t: true,
    f: false,
    z: null,
    list: ['p', { key: 'q' }],
    __proto__: undefined,
  };
  expect(plain(parseJson(Buffer.from(JSON.stringify(json))))).toEqual([
    ['a', 'x'],
    ['n', '1'],
    ['t', true],
    ['f', false],
    ['z', ''],
    [
      'list',
      [
        ['0', 'p'],
        ['1', [['key', 'q']]],
      ],
    ],
  ]);
});

test('reads any JSON, or refuses it as unreadable', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      try {
        parseJson(Buffer.from(json));
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableBody);
      }
    }),
  );
});

test('decodes any form of any operation to valid input, or refuses it with the name of a field', () => {
  const known = [...new Set(routes.flatMap(({ fields }) => Object.keys(fields)))];
  const bracket = fc.oneof(
    fc.constantFrom('[]', '[key]', '[value]', '[0]', '[1]', '[00]', '[__proto__]', '[constructor]', '[', ']'),
    fc.bigInt({ min: -1n }).map((position) => `[${position}]`),
    fc.string().map((inner) => `[${inner}]`),
  );
  const names = fc
    .tuple(fc.constantFrom(...known), fc.array(bracket, { maxLength: 3 }))
    .map(([name, brackets]) => name + brackets.join(''));
  const values = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer().map(String),
    fc.constantFrom('', 'asc', 'id', '10', 'DE', 'iOS', 'en', '2027-01-01', '10:30', 'https://example.com/'),
  );
  const forms = fc.array(fc.tuple(names, values)).map((pairs) => new URLSearchParams(pairs).toString());
  fc.assert(
    fc.property(forms, fc.boolean(), (form, emptyClears) => {
      const sent = parseForm(form);
      for (const { fields, schema } of routes) {
        const { input, refusals } = decodeFields(fields, sent, schema, emptyClears);
        for (const name of refusals.keys()) expect(Object.keys(fields)).toContain(name.split('.')[0]);
        expect(schema.safeParse(input).success || refusals.size > 0).toBe(true);
        expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
      }
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['p[5]=a&p[]=b&p[]=c', { 5: 'a', 6: 'b', 7: 'c' }],
  ['p[]=a&p[0]=b', { 0: 'b' }],
  ['p[999999999]=a&p[]=b', { '999999999': 'a', '1000000000': 'b' }],
  ['p[9007199254740993]=a&p[]=b', { '9007199254740993': 'a', '9007199254740994': 'b' }],
  // Even longer numbers are not positions, and do not count for empty brackets.
  [`p[${'9'.repeat(101)}]=a&p[]=b`, { ['9'.repeat(101)]: 'a', 0: 'b' }],
  ['p[x]=a&p[]=b', { x: 'a', 0: 'b' }],
])('in %s, empty brackets get the next number after the largest', (form, expected) => {
  const list = parseForm(form).get('p');
  expect(list instanceof Map && Object.fromEntries(list)).toEqual(expected);
});

test.each([
  [{ 'country[0][key]': 'DE', 'country[0][value]': 'x' }, 'country[0][key]=DE&country[0][value]=x'],
  [{ 'pixel_ids[]': [1, 2] }, 'pixel_ids[]=1&pixel_ids[]=2'],
  [{ 'pixel_ids[]': 1 }, 'pixel_ids[]=1'],
  [{ 'rotation[][value]': 'x' }, 'rotation[][value]=x'],
  [{ 'rotation[3][value]': 'x', 'rotation[1]': { value: 'y' } }, 'rotation[3][value]=x&rotation[1][value]=y'],
  [{ 'a[b': 1 }, 'a[b=1'],
  [{ 'p[]': ['a', 'b'], 'p[5]': 'c', p: { 7: 'd' } }, 'p[]=a&p[]=b&p[5]=c&p[7]=d'],
  [{ p: ['a', 'b'], 'p[]': 'c' }, 'p[0]=a&p[1]=b&p[]=c'],
  [{ 'c[]': [{ key: 'DE', value: 'x' }, { key: 'AT' }] }, 'c[0][key]=DE&c[0][value]=x&c[1][key]=AT'],
  [{ 'c[1][value]': 'x', c: [{ key: 'AT' }, { key: 'DE' }] }, 'c[1][value]=x&c[0][key]=AT&c[1][key]=DE'],
  [{ c: [{ key: 'DE' }], 'c[0][value]': 'x', 'c[][key]': 'AT' }, 'c[0][key]=DE&c[0][value]=x&c[][key]=AT'],
  [{ 'c[0]': 'x', c: 'y' }, 'c[0]=x&c=y'],
])('parses JSON with bracketed names like a form: %j', (json, form) => {
  expect(parseJson(Buffer.from(JSON.stringify(json)))).toEqual(parseForm(form));
});

test.each([
  ['too many values', { a: Array(5_001).fill(1) }],
  ['too many names', Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [i, 1]))],
  ['brackets without end', { [`a${'[a]'.repeat(30_000)}`]: 1 }],
])('refuses JSON with %s as unreadable', (_what, json) => {
  expect(() => parseJson(Buffer.from(JSON.stringify(json)))).toThrow(UnreadableBody);
});
