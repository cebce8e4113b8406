/** One kind of request, as it is sent again and again. */
export interface Request {
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: string;
  readonly type?: string;
}

/**
 * What the program is measured against: a bare server (see baseline.ts), itself with another request, or itself with a
 * database of 1,000 links.
 */
export type Baseline = 'map' | 'prisma' | 'floor' | 'itself' | 'small';

export interface Scenario {
  readonly name: string;
  readonly program: Request | ((origin: string) => Promise<Request>);
  readonly baseline: Baseline;
  readonly against: Request;
  /** What the ratio is held to, or null. */
  readonly least: number | null;
}

export const KEY = 'the-key-of-the-benchmark-0123456789';

const graphql = (query: string): Request => ({
  path: '/graphql',
  method: 'POST',
  type: 'application/json',
  body: JSON.stringify({ query }),
});
const list: Request = { path: '/api/v1/links' };
const store: Request = {
  path: '/api/v1/links',
  method: 'POST',
  type: 'application/x-www-form-urlencoded',
  body: 'url=https://example.com/some/longer/path',
};
const wanted = 'id title alias url clicks createdAt space { id name color }';
const edges = (count: number, after = '') =>
  graphql(`{ links(first: ${count}${after && `, after: "${after}"`}) { edges { node { ${wanted} } } } }`);

/** The 1,000th page of ten, by its cursor, or the last there is. */
async function deepPage(origin: string): Promise<Request> {
  let after = '';
  for (let page = 0; page < 100; page++) {
    const query = `{ links(first: 100${after && `, after: "${after}"`}) { pageInfo { endCursor hasNextPage } } }`;
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { data } = (await response.json()) as {
      data: { links: { pageInfo: { endCursor: string; hasNextPage: boolean } } };
    };
    if (!data.links.pageInfo.hasNextPage) break;
    after = data.links.pageInfo.endCursor;
  }
  return edges(10, after);
}

/** Reads of links, by a server that makes the same ones. */
function reads(baseline: 'prisma' | 'floor', least: number | null): Scenario[] {
  const against = (path: string): Pick<Scenario, 'baseline' | 'against'> => ({ baseline, against: { path } });
  const one = graphql(`{ link(id: "500") { ${wanted} } }`);
  return [
    { name: 'REST show', program: { path: '/api/v1/links/500' }, ...against('/links/500'), least },
    { name: 'REST list of 10', program: list, ...against('/links'), least },
    { name: 'GraphQL list of 10', program: edges(10), ...against('/links'), least: null },
    { name: 'GraphQL list of 100', program: edges(100), ...against('/links?per_page=100'), least: null },
    { name: 'GraphQL one', program: one, ...against('/links/500'), least: null },
  ];
}

/** Every scenario, in the order in which they are measured. */
export const scenarios: readonly Scenario[] = [
  { name: 'redirect', program: { path: '/a7' }, baseline: 'map', against: { path: '/a7' }, least: 0.4 },
  ...reads('prisma', 0.7),
  ...reads('floor', null),
  { name: 'REST store', program: store, baseline: 'prisma', against: store, least: 0.7 },
  { name: 'REST list of 10', program: list, baseline: 'small', against: list, least: 1 / 1.3 },
  {
    name: 'REST search of a title',
    program: { path: '/api/v1/links?search=number%20777' },
    baseline: 'itself',
    against: list,
    least: 1 / 5,
  },
  { name: 'GraphQL page 1,000', program: deepPage, baseline: 'itself', against: edges(10), least: 1 / 1.5 },
];
