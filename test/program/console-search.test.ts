import { describe, expect, test } from 'vitest';
import { filterOf, queryOf, stateOf } from '../../console/src/views/links/links-state.ts';

const domains = [
  { id: '1', name: 's.example' },
  { id: '2', name: 'go.example' },
];
const filterFor = (query: string) => filterOf(stateOf(query), domains);

describe('the search of links in the console', () => {
  test.each([
    ['spring sale', { search: 'spring sale', searchBy: 'ANYWHERE' }],
    ['1 2 3 4 5 6 7 8 9', { search: '1 2 3 4 5 6 7 8', searchBy: 'ANYWHERE' }],
    ['https://S.example/Ali+', { search: 'Ali', searchBy: 'ALIAS', domainId: '1' }],
    ['go.example/ali?utm_source=mail', { search: 'ali', searchBy: 'ALIAS', domainId: '2' }],
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
    expect(queryOf(stateOf('tags=3,5&tagged=none'))).toBe('?tags=3%2C5&tagged=none');
    expect(filterFor('tags=3&tagged=some')).toEqual({ tags: { any: ['3'] } });
  });
});
