import { describe, expect, test } from 'vitest';
import { loadRuleWords } from '../../console/src/data/late-rule-words.ts';
import { type ChangedValue, idsIn, nameIn, showValue } from '../../console/src/data/values.ts';
import { splitChanged } from '../../console/src/words/difference.ts';

describe('the part of an address that changed', () => {
  const split = (before: string, after: string) =>
    splitChanged(before, after).map((parts) => parts.join('|'));

  test.each([
    ['https://a.example/spring?x=1', 'https://a.example/summer?x=1', 'spring', 'summer'],
    ['https://a.example/', 'https://a.example/new', '', 'new'],
    ['https://a.example/?a=1&b=2', 'https://a.example/?a=1&b=3', '2', '3'],
    ['https://a.example/x/x', 'https://a.example/x', 'x/x', 'x'],
    ['http://a.example/', 'https://a.example/', 'http', 'https'],
    ['https://a.example/ü-1', 'https://a.example/ä-1', 'ü', 'ä'],
  ])('of %s and %s is whole words', (before, after, was, is) => {
    const [one, other] = splitChanged(before, after);
    expect([one[1], other[1]]).toEqual([was, is]);
    expect([one.join(''), other.join('')]).toEqual([before, after]);
    expect([one[0], one[2]]).toEqual([other[0], other[2]]);
  });

  test('of equal addresses is nothing', () =>
    expect(split('https://a.example/', 'https://a.example/')[0]).toMatch(/\|\|/));
});

describe('values of changes in words', () => {
  const kept = { before: null, after: null, isSecret: false, isCut: false, isKept: true };
  const nameOf = (kind: string, id: string) => `${kind} ${id}`;
  const link = { kind: 'LINK', action: 'UPDATED' } as const;
  const told = (value: Partial<ChangedValue> & { name: string }) =>
    showValue(link, { ...kept, ...value }, nameOf).rows.map(({ name, was, is }) => [name, was, is]);

  test('name records, and tell each target that differs', () => {
    expect(told({ name: 'tags', before: '["1","2"]', after: '["2"]' })).toEqual([
      ['Tags', 'TAG 1, TAG 2', 'TAG 2'],
    ]);
    const lists = { countries: [], platforms: [], rotation: [] };
    const german = { language: 'de', url: 'https://de.example/' };
    const before = JSON.stringify({ type: 'LANGUAGE', ...lists, languages: [german] });
    const french = { language: 'fr', url: 'https://fr.example/' };
    const after = JSON.stringify({ type: 'LANGUAGE', ...lists, languages: [german, french] });
    expect(told({ name: 'targeting', before, after })).toEqual([['French', null, 'https://fr.example/']]);
  });

  test('tell each rule that differs, and their order, by destinations until their words are there', async () => {
    const to = [{ id: 3, name: 'T', url: 'https://example.com/', weight: 1 }];
    const [one, other] = [
      { id: 1, name: 'One', when: [{ country: { notIn: ['DE'] } }], to },
      { id: 2, name: 'Other', when: [], to },
    ];
    const before = JSON.stringify({ next: 4, rules: [one] });
    const after = JSON.stringify({ next: 4, rules: [other, one] });
    const order = ['Rules', 'One', 'Other, One'];
    const rules = { name: 'rules', before, after };
    expect(told(rules)).toEqual([order, ['Other', null, 'https://example.com/']]);
    await loadRuleWords();
    expect(told(rules)).toEqual([order, ['Other', null, 'Everybody → https://example.com/']]);
    const narrower = JSON.stringify({ next: 4, rules: [{ ...one, when: [{ country: { in: ['DE'] } }] }] });
    expect(told({ ...rules, after: narrower })).toEqual([
      ['One', 'Country: not Germany → https://example.com/', 'Country: Germany → https://example.com/'],
    ]);
  });

  test('show no secret, and no whole of what is cut', () => {
    expect(showValue(link, { ...kept, name: 'password', isSecret: true }, nameOf)).toMatchObject({
      unshown: 'secret',
      rows: [],
    });
    const cut = { ...kept, name: 'url', before: '"https://a.exam', after: null, isCut: true };
    expect(showValue(link, cut, nameOf)).toMatchObject({
      unshown: 'cut',
      rows: [{ was: 'https://a.exam…', is: null }],
    });
    expect(showValue(link, { ...cut, name: 'targeting', before: '{"type":' }, nameOf).rows).toEqual([]);
    expect(showValue(link, { ...kept, name: 'targeting', isKept: false }, nameOf).unshown).toBe('lost');
  });

  test('of a text that is no JSON, or of an unknown field, are no failure', () => {
    expect(told({ name: 'title', before: '{', after: '"New"' })).toEqual([['Title', null, 'New']]);
    expect(told({ name: 'weather', before: null, after: '[{"a":1}]' })).toEqual([
      ['Weather', null, '[{"a":1}]'],
    ]);
    expect(told({ name: 'rules', before: null, after: '[{"a":1}]' })).toEqual([]);
    expect(told({ name: 'targeting', before: '[]', after: '{"type":"NEW","countries":[null]}' })).toEqual([]);
  });

  test('tell which records they need, and how a deleted one was called', () => {
    const values = [
      { ...kept, name: 'alias', before: '"sale"' },
      { ...kept, name: 'domain', before: '"3"' },
    ];
    expect(idsIn(values)).toEqual([{ kind: 'DOMAIN', id: '3' }]);
    expect(nameIn({ kind: 'LINK', action: 'DELETED', values }, nameOf)).toBe('DOMAIN 3/sale');
    expect(nameIn({ kind: 'LINK', action: 'UPDATED', values }, nameOf)).toBeNull();
  });
});
