// npm run bench -- timing [--times 3000] [--database sqlite|postgresql|URL]
// Whether the response time of a refusal reveals what exists: sends pairs of requests that must have the same answer, in random
// order, and tests whether their times differ. Fails for a difference that chance produces once in 30,000 comparisons.

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Database } from '../src/db/database.ts';
import { createKey, generateKey, revokeKey } from '../src/domain/access/api-key.ts';
import { UserPasswords } from '../src/domain/password.ts';
import { fill, KEY, median, startProgram, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: { times: { type: 'string', default: '3000' }, database: { type: 'string', default: 'sqlite' } },
});
const agent = new Agent({ keepAlive: true });
/** The limit in standard deviations. */
const SURE = 4;
/** Number of requests of a pair that do not count. */
const WARM_UP = 200;
const USERS = 500;

interface Question {
  readonly path: string;
  readonly key?: string;
  readonly host?: string;
  /** The posted body, and the network it comes from. */
  readonly body?: object;
  readonly from?: string;
}

/** Two kinds of requests that must have the same answer. */
interface Pair {
  readonly name: string;
  readonly status: number;
  /** Number of requests, if it differs from that of the other pairs. */
  readonly times?: number;
  readonly kinds: readonly [() => Question, () => Question];
}

/** The Mann–Whitney statistic as a normal deviate: 0 if neither sample tends to be larger. */
function deviate(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((time) => ({ time, mine: 1 })), ...b.map((time) => ({ time, mine: 0 }))];
  all.sort((one, other) => one.time - other.time);
  const ranks = all.reduce((sum, { mine }, rank) => sum + mine * (rank + 1), 0);
  const u = ranks - (a.length * (a.length + 1)) / 2;
  const spread = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12);
  return (u - (a.length * b.length) / 2) / spread;
}

await withDatabase(values.database, async (url) => {
  await fill(url, 2_000);
  const database = await Database.open(url);
  const now = new Date();
  const scopes: ['read', 'write'] = ['read', 'write'];
  const keyOf = (account: string, expiresAt: Date | null = null) =>
    createKey(database, { account, scopes, expiresAt }, now);
  const revoked = await keyOf('other');
  await revokeKey(database, String(revoked.id), now);
  const end = now.getTime() + 10_000;
  const expired = await keyOf('other', new Date(end));
  const stranger = await keyOf('stranger');
  await database.prisma.domain.create({ data: { name: 'other.example', createdAt: now, updatedAt: now } });
  // The others stay public; their pages are not requested here.
  await database.prisma.link.updateMany({ where: { id: { lte: 1_000 } }, data: { privacy: 'PRIVATE' } });
  const hash = await new UserPasswords().hash('the right password');
  await database.prisma.user.createMany({
    data: Array.from({ length: USERS }, (_, i) => ({
      ...{ name: 'A user', email: `user${i}@example.com`, emailKey: `user${i}@example.com` },
      ...{ password: hash, createdAt: now },
    })),
  });
  await database.close();
  const { origin } = await startProgram(url, undefined, undefined, { TRUST_PROXY: 'loopback' });

  let number = 0;
  const ofLink = (id: number) => ({ path: `/api/v1/links/${id}?number=${number++}`, key: stranger.key });
  const withKey = (key: string) => ({ path: '/api/v1/spaces', key });
  /** Each from a network of its own, so that none has to wait. */
  const signIn = (name: string) => ({
    path: '/auth/sign-in',
    from: `10.${(number >> 8) % 256}.${number++ % 256}.1`,
    body: { email: `${name}${number % USERS}@example.com`, password: 'a wrong password' },
  });
  const pairs: readonly Pair[] = [
    {
      name: 'a sign-in: unknown email, or wrong password',
      status: 401,
      // A hash takes a tenth of a second.
      times: 200,
      kinds: [() => signIn('nobody'), () => signIn('user')],
    },
    {
      name: 'a key: unknown, or revoked',
      status: 401,
      kinds: [() => withKey(generateKey()), () => withKey(revoked.key)],
    },
    {
      name: 'a key: unknown, or expired',
      status: 401,
      kinds: [() => withKey(generateKey()), () => withKey(expired.key)],
    },
    {
      name: 'a key: unknown, or but for its end right',
      status: 401,
      kinds: [() => withKey(generateKey()), () => withKey(`${KEY.slice(0, -1)}x`)],
    },
    {
      name: "a link: another's, or none",
      status: 404,
      kinds: [() => ofLink(1 + (number % 2_000)), () => ofLink(1e6 + (number % 2_000))],
    },
    {
      name: 'an alias: on another domain, or on none',
      status: 404,
      kinds: [
        () => ({ path: `/a${number++ % 2_000}`, host: 'other.example' }),
        () => ({ path: `/b${number++ % 2_000}`, host: 'other.example' }),
      ],
    },
    {
      name: 'a page of statistics: of a private link, or of none',
      status: 404,
      kinds: [
        () => ({ path: `/a${number++ % 1_000}+`, host: 's.example' }),
        () => ({ path: `/a${number++ % 1_000}x+`, host: 's.example' }),
      ],
    },
    {
      name: 'a page of statistics: of one private link, or of one name',
      status: 404,
      kinds: [() => ({ path: '/a7+', host: 's.example' }), () => ({ path: '/a7x+', host: 's.example' })],
    },
  ];

  const ask = async ({ path, key, host, body, from }: Question, expected: number): Promise<number> => {
    const headers = {
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(host && { Host: host }),
      ...(body && { 'Content-Type': 'application/json', 'X-Forwarded-For': from }),
    };
    const started = performance.now();
    const sent = request(origin + path, { agent, headers, method: body ? 'POST' : 'GET' });
    sent.end(body && JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    const took = performance.now() - started;
    if (response.statusCode !== expected) throw new Error(`${path} was answered ${response.statusCode}`);
    return took;
  };

  // The process caches the key before it expires.
  await ask(withKey(expired.key), 200);
  await setTimeout(end + 100 - Date.now());
  for (const { name, status, kinds, times: often = Number(values.times) } of pairs) {
    const times: [number[], number[]] = [[], []];
    for (let asked = 0; asked < 2 * often + WARM_UP; asked++) {
      const kind = Math.random() < 0.5 ? 0 : 1;
      const took = await ask(kinds[kind](), status);
      if (asked >= WARM_UP) times[kind].push(took);
    }
    const z = deviate(...times);
    const [one, other] = times.map((kind) => Math.round(median(kind) * 1000));
    console.log(JSON.stringify({ name, microseconds: [one, other], deviate: Number(z.toFixed(2)) }));
    if (Math.abs(z) > SURE) process.exitCode = 1;
  }
  agent.destroy();
});
