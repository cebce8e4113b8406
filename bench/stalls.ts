// npm run bench -- stalls [--links 10000] [--documents 100] [--seed 1] [--database sqlite|postgresql|URL]
// How long one key's reads keep others waiting: sends heavy operations within the limits, while another connection asks for
// /livez every few milliseconds. Prints the ten operations with the longest waits, and fails above 250 ms.

import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Database } from '../src/db/database.ts';
import { knownDocuments, randomDocument } from './stalls-documents.ts';
import { fillForStalls } from './stalls-fill.ts';
import { KEY, startProgram, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '10000' },
    documents: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string', default: 'sqlite' },
  },
});
/** The longest wait of others that is accepted, in milliseconds, and how often they ask. */
const MAX_WAIT_MS = 250;
const ASKED_EVERY = 5;

/** Number of operations sent at once in the end. */
const AT_ONCE = 16;

function atOnce<Item>(items: readonly Item[]): Item[][] {
  const starts = Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, group) => group * AT_ONCE);
  return starts.map((start) => items.slice(start, start + AT_ONCE));
}

interface Answer {
  readonly extensions?: { readonly cost?: { readonly cost: number } };
  readonly errors?: readonly { readonly message: string }[];
}

await withDatabase(values.database, async (url) => {
  await fillForStalls(url, Number(values.links));
  const database = await Database.open(url);
  const [space] = await database.prisma.space.findMany({ take: 1, orderBy: { id: 'asc' } });
  await database.close();
  const { origin } = await startProgram(url);
  const ask = async (query: string): Promise<Answer> => {
    const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query, extensions: { cost: true } });
    const response = await fetch(`${origin}/graphql`, { method: 'POST', headers, body });
    return (await response.json()) as Answer; // The shape of a GraphQL answer.
  };
  /** The longest wait for /livez during the work, in milliseconds. */
  const waitedDuring = async (work: Promise<unknown>): Promise<number> => {
    let [longest, ended] = [0, false];
    const done = work.finally(() => {
      ended = true;
    });
    while (!ended) {
      const asked = performance.now();
      await (await fetch(`${origin}/livez`)).arrayBuffer();
      longest = Math.max(longest, performance.now() - asked);
      await setTimeout(ASKED_EVERY);
    }
    await done;
    return longest;
  };
  await ask('{ viewer { account { name } } }');
  const documents = [
    ...knownDocuments(space?.id ?? 1),
    ...Array.from({ length: Number(values.documents) }, (_, index) => ({
      name: `random ${index}`,
      query: randomDocument(Number(values.seed) * 10_000 + index, space?.id ?? 1),
    })),
  ];
  const found = [];
  const groups = [...documents.map((one) => [one]), ...atOnce(documents)];
  for (const group of groups) {
    const started = performance.now();
    const work = Promise.all(group.map(({ query }) => ask(query)));
    const wait = Math.round(await waitedDuring(work));
    const answers = await work;
    const took = Math.round(performance.now() - started);
    const cost = answers.reduce((sum, { extensions }) => sum + (extensions?.cost?.cost ?? 0), 0);
    const refused = answers.flatMap(({ errors }) => errors?.[0]?.message ?? []);
    const [{ name, query } = { name: '', query: '' }] = group;
    const what = group.length > 1 ? `${group.length} at once, from ${name} on` : name;
    found.push({
      name: what,
      wait,
      cost,
      took,
      refused: refused.length,
      query: query.slice(0, 200),
    });
  }
  found.sort((one, other) => other.wait - one.wait);
  for (const one of found.slice(0, 10)) console.log(JSON.stringify(one));
  if ((found[0]?.wait ?? 0) > MAX_WAIT_MS) process.exitCode = 1;
});
