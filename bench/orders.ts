// npm run bench -- orders [--links 100000] [--database sqlite|postgresql|URL] [--times 15] [--only TEXT]
// The time of ordered, filtered and searched lists, relative to a plain page of the same links: medians of sequential
// requests. A database that already has links is used unchanged.

import { parseArgs } from 'node:util';
import { migrations } from '../src/db/migrations.ts';
import { requireProvider } from '../src/engine/db/url.ts';
import { fillAtOnce, NEW_SPACE, TAGGED } from './fill.ts';
import { KEY, median, startProgram, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '100000' },
    database: { type: 'string', default: 'sqlite' },
    times: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
  },
});

/** A query as v1's parameters, and as GraphQL's arguments. */
interface Question {
  readonly name: string;
  /** Null if v1 does not have it. */
  readonly rest: string | null;
  readonly args: string;
}

const filtered = (name: string, rest: string | null, filter: string, orderBy?: string): Question => ({
  name,
  rest,
  args: `filter: { ${filter} }${orderBy ? `, orderBy: { field: ${orderBy} }` : ''}`,
});
const questions: readonly Question[] = [
  { name: 'plain', rest: '', args: '' },
  { name: 'by URL', rest: 'sort_by=url', args: 'orderBy: { field: URL }' },
  {
    name: 'by URL, ascending',
    rest: 'sort_by=url&sort=asc',
    args: 'orderBy: { field: URL, direction: ASC }',
  },
  filtered('in a space, by clicks', 'space_id=7&sort_by=clicks', 'spaceId: "7"', 'CLICKS'),
  filtered(
    'in a new space, by clicks',
    `space_id=${NEW_SPACE}&sort_by=clicks`,
    `spaceId: "${NEW_SPACE}"`,
    'CLICKS',
  ),
  filtered('active', 'status=1', 'status: ACTIVE'),
  filtered('expired', 'status=2', 'status: EXPIRED'),
  filtered('disabled', 'status=3', 'status: DISABLED'),
  filtered('of a domain', 'domain_id=2', 'domainId: "2"'),
  ...TAGGED.flatMap((every, index) => [
    filtered(`with a tag of one in ${every}`, `tag_id=${index + 1}`, `tags: { all: ["${index + 1}"] }`),
    filtered(
      `with a tag of one in ${every}, by clicks`,
      `tag_id=${index + 1}&sort_by=clicks`,
      `tags: { all: ["${index + 1}"] }`,
      'CLICKS',
    ),
  ]),
  filtered('any of two tags', null, 'tags: { any: ["2", "3"] }'),
  filtered('all of two tags', null, 'tags: { all: ["2", "3"] }'),
  filtered('none of two tags', null, 'tags: { none: ["1", "3"] }'),
  filtered('search of two characters', 'search=ar', 'search: "ar"'),
  filtered('search of two characters, rare', 'search=zq', 'search: "zq"'),
  filtered('search with 1,000 hits', 'search=marzipan', 'search: "marzipan"'),
  ...Object.entries({
    'a common word': 'museum',
    'a word with 1,000 hits': 'marzipan',
    'a word with few hits': '2d4b9',
    'two words, in title and URL': 'marzipan utm_source=museum',
    'two common words': 'museum hospital',
    'a word, and the name of a space': 'marzipan space',
    'the name of a space': 'space',
    'no hit': 'xylophone',
    'two letters': 'zq',
    'two common letters': 'ar',
  }).map(([name, text]) => filtered(`anywhere: ${name}`, null, `searchBy: ANYWHERE, search: "${text}"`)),
];
const FIELDS = 'id shortUrl url title clicks status space { id name }';

async function timeOf(ask: () => Promise<Response>): Promise<{ took: number; text: string }> {
  const started = performance.now();
  const response = await ask();
  const text = await response.text();
  const took = performance.now() - started;
  if (response.status !== 200 || text.includes('"errors"')) throw new Error(text);
  return { took, text };
}

await withDatabase(values.database, async (url) => {
  if ((await migrations.stateAt(url)).pending.length === migrations.known(requireProvider(url)).length) {
    const started = performance.now();
    await fillAtOnce(url, Number(values.links), KEY);
    console.log(JSON.stringify({ filled: Math.round(performance.now() - started) }));
  }
  const { origin } = await startProgram(url);
  const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' };
  const ways = (question: Question) => {
    const args = [...(question.args ? [question.args] : []), 'first: 10'].join(', ');
    const query = `{ links(${args}) { edges { node { ${FIELDS} } } totalCount } }`;
    const page = query.replace(' totalCount', '');
    const post = (body: string) => fetch(`${origin}/graphql`, { method: 'POST', headers, body });
    return {
      ...(question.rest !== null && {
        v1: () => fetch(`${origin}/api/v1/links?${question.rest}`, { headers }),
      }),
      graphql: () => post(JSON.stringify({ query })),
      'without total': () => post(JSON.stringify({ query: page })),
    };
  };
  const asked = questions.filter(({ name }) => name === 'plain' || name.includes(values.only));
  const times = new Map<string, number[]>();
  const totals = new Map<string, unknown>();
  for (let round = -2; round < Number(values.times); round++)
    for (const question of asked)
      for (const [way, ask] of Object.entries(ways(question))) {
        const { took, text } = await timeOf(ask);
        const name = `${question.name} ${way}`;
        if (round < 0) totals.set(name, /"total(?:Count)?":(\d+)/.exec(text)?.[1]);
        else times.set(name, [...(times.get(name) ?? []), took]);
      }
  for (const way of Object.keys(ways({ name: '', rest: '', args: '' }))) {
    const plain = median(times.get(`plain ${way}`) ?? []);
    for (const { name } of asked.filter(({ name }) => times.has(`${name} ${way}`))) {
      const ms = median(times.get(`${name} ${way}`) ?? []);
      const total = Number(totals.get(`${name} ${way}`) ?? 0);
      console.log(
        JSON.stringify({
          way,
          name,
          ms: Number(ms.toFixed(1)),
          ratio: Number((ms / plain).toFixed(1)),
          total,
        }),
      );
    }
  }
});
