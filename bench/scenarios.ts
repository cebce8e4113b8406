import { KEY } from './target.ts';

/** A request that is sent repeatedly. */
export interface Request {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly body?: string;
  readonly type?: string;
  /** True if each request differs, so that no cached answer fits. */
  readonly anew?: boolean;
}

/**
 * The baselines: a minimal server (see baseline.ts), the program with another request, the program with a database of 1,000
 * links, PostGraphile, if its folder is given, or an earlier version, if its checkout is given.
 */
export type Baseline = 'map' | 'prisma' | 'floor' | 'itself' | 'small' | 'postgraphile' | 'before';

export interface Scenario {
  readonly name: string;
  readonly program: Request | ((origin: string) => Promise<Request>);
  readonly baseline: Baseline;
  readonly against: Request;
  /** The minimum ratio, or null. */
  readonly least: number | null;
}

const graphql = (query: string): Request => ({
  path: '/graphql',
  method: 'POST',
  type: 'application/json',
  body: JSON.stringify({ query }),
});
const anew = (request: Request): Request => ({ ...request, anew: true });
const list: Request = { path: '/api/v1/links' };
const store: Request = {
  path: '/api/v1/links',
  method: 'POST',
  type: 'application/x-www-form-urlencoded',
  body: 'url=https://example.com/some/longer/path',
};
const wanted = 'id title alias url clicks createdAt space { id name color }';
const both = `${wanted} domain { id name }`;
const edges = (count: number, after = '', fields = wanted) =>
  graphql(`{ links(first: ${count}${after && `, after: "${after}"`}) { edges { node { ${fields} } } } }`);

/** The 1,000th page of ten, by its cursor, or the last page. */
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
  return anew(edges(10, after));
}

/** The fields of a link for PostGraphile, with its names of the tables. */
const wantedThere =
  'rowId title alias url linkCounterByLinkId { clicks } createdAt spaceBySpaceId { rowId name color }';
const bothThere = `${wantedThere} domainByDomainId { rowId name }`;
const edgesThere = (count: number, fields = wantedThere) =>
  graphql(`{ allLinks(first: ${count}, orderBy: ROW_ID_DESC) { edges { node { ${fields} } } } }`);

/** A read and its baseline, with different requests each time. */
function read(
  name: string,
  program: Request,
  baseline: Baseline,
  against: Request,
  least: number | null,
): Scenario {
  return { name, program: anew(program), baseline, against: anew(against), least };
}

const one = graphql(`{ link(id: "500") { ${wanted} } }`);

/** Reads of links, against a server with the same reads. */
function reads(baseline: 'prisma' | 'floor', least: number | null): Scenario[] {
  return [
    read('REST show', { path: '/api/v1/links/500' }, baseline, { path: '/links/500' }, least),
    read('REST list of 10', list, baseline, { path: '/links' }, least),
    read('GraphQL list of 10', edges(10), baseline, { path: '/links' }, null),
    read('GraphQL list of 100', edges(100), baseline, { path: '/links?per_page=100' }, null),
    read('GraphQL one', one, baseline, { path: '/links/500' }, null),
  ];
}

/** The program against itself with another request, with different requests each time. */
function itself(name: string, program: Scenario['program'], against: Request, least: number): Scenario {
  const asked = typeof program === 'function' ? program : anew(program);
  return { name, program: asked, baseline: 'itself', against: anew(against), least };
}

const change: Request = {
  path: '/api/v1/links/500',
  method: 'PATCH',
  body: 'title=Title __NUMBER__',
  type: 'application/x-www-form-urlencoded',
};

/** The program against an earlier version of itself. */
function versions(): Scenario[] {
  const requests: Record<string, Request> = {
    redirect: { path: '/a7' },
    'REST show': anew({ path: '/api/v1/links/500' }),
    'REST list of 10': anew(list),
    'REST store': store,
    'REST update': anew(change),
    'GraphQL list of 10': anew(edges(10)),
    'GraphQL list of 100': anew(edges(100)),
    'GraphQL list of 100, both relations': anew(edges(100, '', both)),
    'GraphQL one': anew(one),
  };
  return Object.entries(requests).map(([name, request]) => ({
    name,
    program: request,
    baseline: 'before',
    against: request,
    least: null,
  }));
}

/** Every scenario, in the order in which they are measured. */
export const scenarios: readonly Scenario[] = [
  { name: 'redirect', program: { path: '/a7' }, baseline: 'map', against: { path: '/a7' }, least: 0.4 },
  ...reads('prisma', 0.7),
  ...reads('floor', null),
  { name: 'REST store', program: store, baseline: 'prisma', against: store, least: 0.7 },
  { name: 'REST list of 10', program: anew(list), baseline: 'small', against: anew(list), least: 1 / 1.3 },
  itself('REST search of a title', { path: '/api/v1/links?search=number%20777' }, list, 1 / 5),
  itself('GraphQL page 1,000', deepPage, edges(10), 1 / 1.5),
  read('GraphQL list of 10', edges(10), 'postgraphile', edgesThere(10), 1),
  read('GraphQL list of 100', edges(100), 'postgraphile', edgesThere(100), 1),
  read(
    'GraphQL list of 100, both relations',
    edges(100, '', both),
    'postgraphile',
    edgesThere(100, bothThere),
    1,
  ),
  read('GraphQL one', one, 'postgraphile', graphql(`{ linkByRowId(rowId: 500) { ${wantedThere} } }`), 1),
  ...versions(),
];
