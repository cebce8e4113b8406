// npm run bench -- soak [--minutes 60] [--rate 60] [--database sqlite|postgresql|URL] [--links 2000]
// A mix of everything that clients and visitors do, at a limited rate for a long time. Prints the state each minute, and
// fails if an answer was not the expected one, or if the memory grew after the first ten minutes.
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fill, KEY, median, memoryOf, startProgram, type Target, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '60' },
    database: { type: 'string', default: 'sqlite' },
    // So few that all of them are cached within the first minutes, and later growth does not come from caches.
    links: { type: 'string', default: '2000' },
  },
});
const links = Number(values.links);

/** The maximum ratio of the memory in the last minutes to that after the first ten. */
const GROWTH = 1.1;
const WARM = 10;
const CLIENTS = 8;

type Ask = (path: string, init?: RequestInit) => Promise<{ status: number; body: string }>;

let number = 0;

/** A whole number from 0 to below the given one; deterministic, so that all runs are equal. */
function some(below: number): number {
  number += 7_919;
  return number % below;
}

const form = (fields: Record<string, string>, method = 'POST'): RequestInit => ({
  method,
  body: new URLSearchParams(fields),
});
const graphql = (query: string, variables: object = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ query, variables }),
});

/** Why a request had no answer: undici's message only says that it failed. */
function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null;
  const code = cause && 'code' in cause ? ` (${cause.code})` : '';
  return cause ? `${error}: ${cause.message}${code}` : String(error);
}

/** Creates, changes and deletes a link over v1. */
async function life(ask: Ask): Promise<number[]> {
  const made = await ask('/api/v1/links', form({ url: 'https://example.com/soak', title: `Soak ${number}` }));
  const { id, alias } = JSON.parse(made.body).data;
  const path = `/api/v1/links/${id}`;
  const changed = await ask(path, form({ title: 'Changed', space_id: '1' }, 'PATCH'));
  const visited = await ask(`/${alias}`);
  const deleted = await ask(path, { method: 'DELETE' });
  return [made, changed, visited, deleted].map(({ status }) => status);
}

const fields = 'id title alias clicks status space { id name } pixels { name }';

interface Action {
  readonly name: string;
  /** The expected statuses. */
  readonly expected: readonly number[];
  /** Its weight among all actions. */
  readonly often: number;
  run(ask: Ask): Promise<number[]>;
}

/** An action with a single request. */
function one(name: string, status: number, often: number, request: () => Parameters<Ask>): Action {
  return { name, expected: [status], often, run: async (ask) => [(await ask(...request())).status] };
}

const list = `{ links(first: 50) { totalCount edges { node { ${fields} } } } }`;
const byId = `query ($id: ID!) { link(id: $id) { ${fields} } }`;
const actions: readonly Action[] = [
  one('visit', 302, 30, () => [`/a${some(links)}`]),
  one('visit of nothing', 404, 3, () => [`/none-${some(1e6)}`]),
  one('show', 200, 10, () => [`/api/v1/links/${1 + some(links)}`]),
  one('list', 200, 6, () => [`/api/v1/links?page=${1 + some(50)}`]),
  one('search', 200, 2, () => [`/api/v1/links?search=number%20${some(links)}`]),
  one('wrong input', 422, 2, () => ['/api/v1/links', form({ url: 'nowhere' })]),
  one('wrong body', 400, 1, () => ['/graphql', { ...graphql(''), body: '{' }]),
  one('wrong key', 401, 2, () => ['/api/v1/spaces', { headers: { Authorization: 'Bearer x' } }]),
  one('GraphQL list', 200, 6, () => ['/graphql', graphql(list)]),
  one('GraphQL one', 200, 10, () => ['/graphql', graphql(byId, { id: 1 + some(links) })]),
  one('new query', 200, 2, () => ['/graphql', graphql(`{ n${some(1e9)}: viewer { account { name } } }`)]),
  { name: 'life of a link', expected: [201, 200, 302, 200], often: 4, run: life },
];
const turns = actions.flatMap((action) => Array.from({ length: action.often }, () => action));

const wrong = new Map<string, number>();
let asked = 0;

async function client({ origin }: Target, until: number): Promise<void> {
  const ask: Ask = async (path, init = {}) => {
    asked++;
    const headers = { Authorization: `Bearer ${KEY}`, 'User-Agent': 'Mozilla/5.0', ...init.headers };
    const response = await fetch(origin + path, { redirect: 'manual', ...init, headers });
    return { status: response.status, body: await response.text() };
  };
  while (performance.now() < until) {
    const action = turns[some(turns.length)];
    if (!action) throw new Error('there is nothing to do');
    const before = asked;
    const started = performance.now();
    const got = await action.run(ask).catch(reason);
    if (String(got) !== String(action.expected)) {
      const what = `${action.name}: ${got}`;
      wrong.set(what, (wrong.get(what) ?? 0) + 1);
    }
    const pace = ((asked - before) * CLIENTS * 1000) / Number(values.rate);
    await setTimeout(Math.max(0, started + pace - performance.now()));
  }
}

await withDatabase(values.database, async (url) => {
  await fill(url, links);
  const program = await startProgram(url);
  const memory: number[] = [];
  const minutes = Number(values.minutes);
  const until = performance.now() + minutes * 60_000;
  const clients = Promise.all(Array.from({ length: CLIENTS }, () => client(program, until)));
  for (let minute = 1; minute <= minutes; minute++) {
    const samples: number[] = [];
    for (let sample = 0; sample < 12; sample++) {
      await setTimeout(5_000);
      samples.push(memoryOf(program));
    }
    memory.push(median(samples));
    console.log(JSON.stringify({ minute, asked, memory: memory.at(-1), wrong: Object.fromEntries(wrong) }));
  }
  await clients;
  const early = median(memory.slice(WARM, WARM + 5));
  const late = median(memory.slice(-5));
  const grown = minutes > WARM + 5 && late > early * GROWTH;
  console.log(JSON.stringify({ minutes, asked, early, late, grown, wrong: Object.fromEntries(wrong) }));
  if (grown || wrong.size > 0) process.exitCode = 1;
});
