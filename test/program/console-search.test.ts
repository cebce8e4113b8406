import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  aliasFirst,
  parseState,
  searchedAlias,
  searchedShortUrls,
  toFilter,
  toQuery,
} from '../../console/src/views/links/links-state.ts';

const domains = [
  { id: '1', name: 's.example' },
  { id: '2', name: 'go.example' },
];
const filterFor = (query: string) => toFilter(parseState(query), domains);

describe('the search of links in the console', () => {
  test.each([
    ['spring sale', { search: 'spring sale', searchBy: 'ANYWHERE' }],
    ['1 2 3 4 5 6 7 8 9', { search: '1 2 3 4 5 6 7 8', searchBy: 'ANYWHERE' }],
    ['https://S.example/Ali+', { search: 'Ali', searchBy: 'ALIAS', domainId: '1' }],
    ['go.example/ali?utm_source=mail', { search: 'ali', searchBy: 'ALIAS', domainId: '2' }],
    ['s.example/spring/sale', { search: 'spring/sale', searchBy: 'ALIAS', domainId: '1' }],
    ['s.example/l%C3%A4den+', { search: 'läden', searchBy: 'ALIAS', domainId: '1' }],
    ['/❤️/läden', { search: '❤/läden', searchBy: 'ALIAS' }],
    ['s.example/', { domainId: '1' }],
    ['/ali', { search: 'ali', searchBy: 'ALIAS' }],
    ['/', { search: '/', searchBy: 'ANYWHERE' }],
    ['other.example/ali', { search: 'other.example/ali', searchBy: 'ANYWHERE' }],
  ])('of “%s” is one filter', (search, filter) => {
    expect(filterFor(`search=${encodeURIComponent(search)}`)).toEqual(filter);
  });

  test('keeps to the domain that is chosen', () => {
    expect(filterFor('search=s.example/ali&domain=2')).toEqual({
      ...{ search: 's.example/ali', searchBy: 'ANYWHERE', domainId: '2' },
    });
  });

  test('has tags and how they count in the address', () => {
    expect(filterFor('tags=3,5,3&tagged=none')).toEqual({ tags: { none: ['3', '5'] } });
    expect(toQuery(parseState('tags=3,5&tagged=none'))).toBe('?tags=3%2C5&tagged=none');
    expect(filterFor('tags=3&tagged=some')).toEqual({ tags: { any: ['3'] } });
  });
});

describe('the time of creation', () => {
  afterEach(() => vi.useRealTimers());
  const local = (day: string) => new Date(`${day}T00:00`).toISOString();
  test.each([
    ['since=this-month', { createdFrom: local('2026-12-01') }],
    [
      'since=last-month&until=last-month',
      { createdFrom: local('2026-11-01'), createdUntil: local('2026-12-01') },
    ],
    [
      'since=2026-11-01&until=2026-11-30',
      { createdFrom: local('2026-11-01'), createdUntil: local('2026-12-01') },
    ],
    ['since=next-month', {}],
  ])('%s is that of the present day', (query, filter) => {
    vi.setSystemTime(new Date('2026-11-10T12:00'));
    const saved = toQuery(parseState(query));
    vi.setSystemTime(new Date('2026-12-10T12:00'));
    expect(filterFor(saved)).toEqual(filter);
  });
});

describe('the alias that is searched', () => {
  test.each([
    ['search=sale', 'sale'],
    ['search=%20Sale_1-x%20', 'Sale_1-x'],
    ['search=sale&in=alias', 'sale'],
    ['search=s.example/sale?a=b', 'sale'],
    ['search=/sale', 'sale'],
    ['search=spring%20sale', null],
    ['search=sale&in=url', null],
    ['search=', null],
    ['', null],
  ])('of %s is %s', (query, alias) => {
    expect(searchedAlias(parseState(query))).toBe(alias);
  });

  test.each([
    ['search=sale', ['s.example/sale', 'go.example/sale']],
    ['search=/sale', ['s.example/sale', 'go.example/sale']],
    ['search=sale&domain=2', ['go.example/sale']],
    ['search=go.example/sale', ['go.example/sale']],
    ['search=other.example/sale', ['other.example/sale']],
    ['search=sale&after=x', []],
    ['search=spring%20sale', []],
  ])('of %s is looked up at %j', (query, urls) => {
    expect(searchedShortUrls(parseState(query), domains)).toEqual(urls);
  });

  test('is looked up on a few domains only', () => {
    const many = Array.from({ length: 9 }, (_, id) => ({ id: String(id), name: `h${id}.example` }));
    expect(searchedShortUrls(parseState('search=sale'), many)).toHaveLength(5);
  });

  const row = (id: string, alias: string, more: object = {}) => ({
    ...{ id, alias, status: 'ACTIVE' as const, domain: { id: '1' }, createdAt: '2026-11-20T12:00:00Z' },
    ...{ space: { id: '4', name: 'Launch', color: 1 }, tags: [{ id: '3', name: 'a', color: 1 }], ...more },
  });
  const ids = (query: string, more: object = {}) => {
    const page = [row('1', 'sales'), row('2', 'SALE'), row('3', 'sale', more)];
    return aliasFirst(page, [row('9', 'sale', more), row('3', 'sale', more)], parseState(query)).map(
      ({ id }) => id,
    );
  };
  test.each([
    ['search=sale', ['9', '3', '2', '1']],
    ['search=sale&status=active&space=4&domain=1&tags=3', ['9', '3', '2', '1']],
    ['search=sale&since=2026-11-19&until=2026-11-21', ['9', '3', '2', '1']],
    ['search=sale&tags=3,5', ['9', '3', '2', '1']],
    // What a filter leaves out is only shown where the service finds it.
    ['search=sale&status=disabled', ['2', '3', '1']],
    ['search=sale&space=none', ['2', '3', '1']],
    ['search=sale&domain=2', ['2', '3', '1']],
    ['search=sale&tags=3,5&tagged=all', ['2', '3', '1']],
    ['search=sale&tags=3&tagged=none', ['2', '3', '1']],
    ['search=sale&pixel=1', ['2', '3', '1']],
    ['search=sale&since=2026-11-22', ['2', '3', '1']],
    ['search=sale&until=2026-11-18', ['2', '3', '1']],
    // Times, the last one excluded: those of an import.
    ['search=sale&since=2026-11-20T12:00:00.000Z&until=2026-11-20T12:00:00.001Z', ['9', '3', '2', '1']],
    ['search=sale&since=2026-11-20T12:00:00.001Z', ['2', '3', '1']],
    ['search=sale&until=2026-11-20T12:00:00.000Z', ['2', '3', '1']],
    ['search=sale&after=x', ['1', '2', '3']],
    ['search=spring%20sale', ['1', '2', '3']],
  ])('comes first: %s', (query, order) => {
    expect(ids(query)).toEqual(order);
  });

  test('is not another one that was read before', () => {
    expect(
      aliasFirst([row('1', 'other')], [row('9', 'sale')], parseState('search=other')).map(({ id }) => id),
    ).toEqual(['1']);
  });
});
