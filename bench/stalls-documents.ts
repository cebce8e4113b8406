/** Repeats a field under different names. */
function repeated(times: number, field: (index: number) => string): string {
  return `{ ${Array.from({ length: times }, (_, index) => `a${index}: ${field(index)}`).join(' ')} }`;
}

const SINCE = 'updatedSince: "2020-01-01T00:00:00Z"';
const TEN_YEARS = 'statistics(from: "2016-12-01", to: "2026-11-01")';
const byUrl = (filter: string, page: number) =>
  `linkPage(page: ${page}, filter: { ${filter} }, orderBy: { field: URL }) { items { id } }`;

interface Document {
  readonly name: string;
  readonly query: string;
}

/** Operations that once stopped the process for seconds, and fewer of their fields. */
export function knownDocuments(space: number): Document[] {
  const inEach = (times: readonly number[], name: string, field: (index: number) => string) =>
    times.map((count) => ({ name: `${count} ${name}`, query: repeated(count, field) }));
  return [
    ...inEach([10, 40, 190], 'last pages by URL', (i) => byUrl(`${SINCE}, status: ACTIVE`, 990 - (i % 5))),
    ...inEach(
      [10, 40, 190],
      'totals',
      () => `links(first: 1, filter: { status: EXPIRED, ${SINCE} }) { totalCount }`,
    ),
    ...inEach(
      [1, 5, 25],
      'row pages of 33 links',
      () => `links(last: 33) { nodes { ${TEN_YEARS} { rowPage(of: DAYS) { items { value } } } } }`,
    ),
    ...inEach(
      [1, 10, 48],
      'searches',
      (i) =>
        `links(first: 1, filter: { search: "zz${i} example.com/some/longer", searchBy: URL }) { nodes { id } }`,
    ),
    ...inEach(
      [1, 10, 48],
      'short searches',
      (i) =>
        `links(first: 1, filter: { search: "${String.fromCharCode(97 + (i % 26))}~", searchBy: URL }) { nodes { id } }`,
    ),
    ...inEach(
      [1, 5, 25],
      'reports of a space',
      () => `space(id: ${space}) { ${TEN_YEARS} { clicks series { clicks } top(by: COUNTRY) { others } } }`,
    ),
    ...inEach(
      [1, 5, 25],
      'reports of the account',
      () => `viewer { account { ${TEN_YEARS} { clicks series { clicks } top(by: COUNTRY) { others } } } }`,
    ),
    { name: 'long links', query: '{ links(first: 100) { nodes { id url title pixels { id } } } }' },
  ];
}

/** A number below `most`, the next of a sequence. */
type Random = (most: number) => number;

function randomOf(seed: number): Random {
  let state = Math.imul(seed, 2_654_435_761);
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random(items.length)] as Item; // The number is below the length.
}

function filterOf(random: Random, space: number): string {
  const all = [
    'status: ACTIVE',
    'status: EXPIRED',
    SINCE,
    'pixelId: 1',
    `spaceId: ${space}`,
    'withoutSpace: true',
    'search: "some/longer", searchBy: URL',
    'search: "e~", searchBy: URL',
    'search: "title number 7"',
    'search: "a9", searchBy: ALIAS',
  ];
  const chosen = new Set(Array.from({ length: random(4) }, () => pick(random, all)));
  const searches = [...chosen].filter((one) => one.startsWith('search'));
  for (const one of searches.slice(1)) chosen.delete(one);
  if (chosen.has('status: ACTIVE')) chosen.delete('status: EXPIRED');
  return [...chosen].join(', ');
}

/** An operation of one heavy field, repeated: often near the limit of the cost, or above. */
export function randomDocument(seed: number, space: number): string {
  const random = randomOf(seed);
  const filter = `filter: { ${filterOf(random, space)} }`;
  const order = `orderBy: { field: ${pick(random, ['ID', 'URL', 'TITLE', 'ALIAS', 'CLICKS', 'UPDATED_AT'])}, direction: ${pick(random, ['ASC', 'DESC'])} }`;
  const days = `statistics(from: "${2016 + random(10)}-12-01", to: "2026-11-01")`;
  const report = pick(random, [
    'clicks',
    'series(interval: DAY) { clicks }',
    'series(interval: MONTH) { start visitors }',
    'top(by: BROWSER, first: 100) { rows { value } }',
    'rowPage(of: DAYS, perPage: 10000) { items { value clicks } }',
    'rowPage(of: COUNTRY) { total }',
    'rowPage(of: DAYS, page: 9) { total }',
  ]);
  const fields = pick(random, [
    () =>
      `linkPage(page: ${1 + random(1_000)}, perPage: ${pick(random, [10, 25, 100])}, ${filter}, ${order}) { total items { id url } }`,
    () =>
      `links(${pick(random, ['first', 'last'])}: ${1 + random(100)}, ${filter}, ${order}) { totalCount nodes { url title } pageInfo { hasNextPage hasPreviousPage } }`,
    () =>
      `spaces(first: ${1 + random(50)}) { nodes { links(first: 5, ${filter}, ${order}) { totalCount nodes { url } } } }`,
    () => `links(last: ${1 + random(33)}) { nodes { ${days} { ${report} } } }`,
    () => `spaces(first: ${1 + random(20)}) { nodes { ${days} { ${report} } } }`,
    () => `viewer { account { ${days} { ${report} } } }`,
  ])();
  return repeated(1 + random(pick(random, [4, 20, 150])), () => fields);
}
