// A mix of requests of clients and visitors: mostly visits, some reads, few writes.
import type { Request } from './scenarios.ts';
import { SPACES } from './seed.ts';

/** One kind of random requests. */
export interface Kind {
  readonly name: string;
  /** Its percentage of the requests. */
  readonly often: number;
  draw(): Request;
}

/** Deterministic pseudo-random numbers from 0 to below 1. */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Random ranks from 0 to below the given number, by Zipf's law. */
function zipf(ranks: number, random: () => number): () => number {
  const sums = new Float64Array(ranks);
  let sum = 0;
  for (let rank = 0; rank < ranks; rank++) {
    sum += 1 / (rank + 1);
    sums[rank] = sum;
  }
  return () => {
    const wanted = random() * sum;
    let [low, high] = [0, ranks - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

const node = 'id title alias url clicks createdAt space { id name color }';
const queries = {
  one: `query One($id: ID!) { link(id: $id) { ${node} } }`,
  list: `query List($first: Int, $orderBy: LinkOrder, $filter: LinkFilter) {
    links(first: $first, orderBy: $orderBy, filter: $filter) { edges { node { ${node} } } pageInfo { endCursor hasNextPage } } }`,
  create: 'mutation Create($input: CreateLinkInput!) { createLink(input: $input) { __typename } }',
  update:
    'mutation Update($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { __typename } }',
};

/**
 * The kinds of request, for a database with that number of links: 80 percent visits, by Zipf's law; 15 reads, each of them
 * new; 4 new links; 1 change.
 */
export function liveMix(links: number): Kind[] {
  const random = randomNumbers();
  const rank = zipf(links, random);
  const some = (below: number) => Math.floor(random() * below);
  // Neighbouring ranks are not neighbours in the database: the step is coprime to most numbers of links.
  const popular = () => (rank() * 7_919) % links;
  const graphql = (query: string, variables: object): Request => {
    const body = JSON.stringify({ query, variables });
    return { path: '/graphql', method: 'POST', type: 'application/json', body, anew: true };
  };
  const list = (first: number, field: string, filter: object = {}) => {
    const direction = some(2) ? 'ASC' : 'DESC';
    return graphql(queries.list, { first, orderBy: { field, direction }, filter });
  };
  const v1 = (path: string): Request => ({ path: `/api/v1/links${path}`, anew: true });
  const form = (method: 'POST' | 'PATCH', path: string, fields: Record<string, string>): Request => {
    const body = new URLSearchParams(fields).toString();
    return { path: `/api/v1/links${path}`, method, type: 'application/x-www-form-urlencoded', body };
  };
  const url = () => `https://example.com/some/new/path/${some(1e9)}`;
  const title = () => `Title number ${some(1e9)} of a link`;
  const words = () => `number ${some(links)}`;
  const space = () => String(1 + some(SPACES));
  const id = () => String(1 + some(links));
  return [
    { name: 'visit', often: 80, draw: () => ({ path: `/a${popular()}` }) },
    { name: 'GraphQL one', often: 2.5, draw: () => graphql(queries.one, { id: id() }) },
    { name: 'GraphQL list', often: 2, draw: () => list(10 + some(41), 'ID') },
    { name: 'GraphQL by clicks', often: 1, draw: () => list(10, 'CLICKS') },
    { name: 'GraphQL by title', often: 1, draw: () => list(10, 'TITLE') },
    { name: 'GraphQL of a space', often: 1, draw: () => list(10, 'ID', { spaceId: space() }) },
    { name: 'GraphQL search', often: 1, draw: () => list(10, 'ID', { search: words() }) },
    { name: 'v1 one', often: 2.5, draw: () => v1(`/${id()}`) },
    { name: 'v1 list', often: 1, draw: () => v1(`?page=${1 + some(50)}`) },
    { name: 'v1 by alias', often: 1, draw: () => v1(`?sort_by=alias&page=${1 + some(5)}`) },
    { name: 'v1 of a space', often: 1, draw: () => v1(`?space_id=${space()}`) },
    { name: 'v1 search', often: 1, draw: () => v1(`?search=${encodeURIComponent(words())}`) },
    { name: 'v1 create', often: 2, draw: () => form('POST', '', { url: url(), title: title() }) },
    { name: 'GraphQL create', often: 2, draw: () => graphql(queries.create, { input: { url: url() } }) },
    {
      name: 'v1 update',
      often: 0.5,
      draw: () => form('PATCH', `/${1 + popular()}`, { url: url(), title: title() }),
    },
    {
      name: 'GraphQL update',
      often: 0.5,
      draw: () => graphql(queries.update, { id: String(1 + popular()), input: { title: title() } }),
    },
  ];
}

/** Draws random requests of all kinds, by their percentages. */
export function drawFrom(kinds: readonly Kind[]): () => Request {
  const random = randomNumbers();
  const all = kinds.reduce((sum, { often }) => sum + often, 0);
  return () => {
    let left = random() * all;
    const drawn = kinds.find(({ often }) => {
      left -= often;
      return left < 0;
    });
    return (drawn ?? kinds[0] ?? { draw: (): Request => ({ path: '/' }) }).draw();
  };
}
