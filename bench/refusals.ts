// npm run bench -- refusals [--every 1] [--kinds header,argument] [--match TEXT] [--database sqlite|postgresql|URL]
// What a request costs that is as long as any that is read, or slightly longer: for each header, argument, field, name of a
// field, path and body, the processor time of the most expensive one against `{ __typename }`. Fails above 100 ms with a key,
// and above five times a normal request without one: the same request without its query and body if that is answered, too, such
// as a page of statistics. Passwords that are hashed are listed apart.

import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Database } from '../src/db/database.ts';
import { beginSession } from '../src/domain/access/session.ts';
import { allCases, type Case, NORMAL } from './refusals-cases.ts';
import { fill, KEY, median, startProgram, type Target, withDatabase } from './target.ts';

const { values } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    kinds: { type: 'string' },
    match: { type: 'string', default: '' },
    database: { type: 'string', default: 'sqlite' },
  },
});

/** Limits of a refusal: milliseconds with a key, and multiples of a normal request without one. */
const MAX_MS = 100;
const MAX_TIMES = 5;
/** Number of the most expensive cases to measure again, and number of repetitions. */
const AGAIN = 100;
const TIMES = 5;
/** Longer than any request takes. */
const TIMEOUT = 10_000;

/** The processor time of a process and its threads so far, in milliseconds. */
function cpuOf({ child }: Target): number {
  const folder = `/proc/${child.pid}/task`;
  const times = readdirSync(folder).map((task) =>
    Number(readFileSync(`${folder}/${task}/schedstat`, 'utf8').split(' ', 1)[0]),
  );
  return times.reduce((sum, one) => sum + one, 0) / 1e6;
}

type Sent = Pick<Case, 'path' | 'method' | 'headers' | 'body'>;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** The status of the answer; 0 if there is none. */
function send(origin: string, { path, method, headers, body = '' }: Sent): Promise<number> {
  return new Promise((resolve) => {
    try {
      const sent = request(`${origin}/`, {
        agent,
        method,
        path: path.replaceAll(/[^!-~]/g, encodeURIComponent),
        headers,
      });
      sent.on('response', (response) =>
        response.resume().on('close', () => resolve(response.statusCode ?? 0)),
      );
      sent.on('error', () => resolve(0)).setTimeout(TIMEOUT, () => sent.destroy());
      if (body !== '') sent.setHeader('content-length', Buffer.byteLength(body));
      sent.end(body);
    } catch {
      // Node does not send it either.
      resolve(0);
    }
  });
}

interface Cost {
  readonly one: Case;
  readonly ms: number;
  readonly status: number;
  /** The processor time of the request that it is compared with, in milliseconds; that of `{ __typename }` if absent. */
  readonly normal?: number;
}

/** The request without its query, and with an empty body. */
const withoutLong = ({ body, ...one }: Case): Case => ({
  ...one,
  path: one.path.replace(/\?.*/, ''),
  ...(body === undefined ? {} : { body: '{}' }),
});

const isWanted = ({ kind, name }: Case, index: number) =>
  index % Number(values.every) === 0 &&
  (values.kinds === undefined || values.kinds.split(',').includes(kind)) &&
  name.includes(values.match);

/** A password that a case gives may be hashed, which takes long on purpose. */
const mayHash = ({ name, path, body = '' }: Case) =>
  /password/i.test(name + path) ||
  /^\/auth\/(sign-in|accept|reset)$/.test(path) ||
  /assword:? *[$"]/.test(body);

function row({ one, ms, status, normal: ownNormal }: Cost, usual: number): string {
  const short = one.name.length > 70 ? `${one.name.slice(0, 69)}…` : one.name;
  const times = (ms / (ownNormal ?? usual)).toFixed(1);
  return `| ${one.kind} | ${short.replaceAll('|', '\\|')} | ${one.isKnown ? 'key' : '–'} | ${status} | ${ms.toFixed(2)} | ${times} |`;
}

function print(title: string, costs: readonly Cost[], normal: number): void {
  console.log(
    `\n${title}\n\n| kind | what is long | | status | ms | × |\n| --- | --- | --- | ---: | ---: | ---: |`,
  );
  for (const cost of costs) console.log(row(cost, normal));
}

/** The most expensive one of each thing that is long, whatever its length and characters. */
function worst(costs: readonly Cost[]): Cost[] {
  const named = Map.groupBy(
    costs,
    ({ one }) => `${one.kind} ${one.name.replace(/[ [][\d.]+\]?\)?$/, '')} ${one.isKnown}`,
  );
  const most = Array.from(named.values(), (all) =>
    all.reduce((max, next) => (next.ms > max.ms ? next : max)),
  );
  return most.sort((one, other) => other.ms - one.ms);
}

await withDatabase(values.database, async (url) => {
  await fill(url, 1_000);
  const database = await Database.open(url);
  const account = await database.prisma.account.findFirstOrThrow();
  const email = 'a@example.com';
  const now = new Date();
  const user = await database.prisma.user.create({
    data: { name: 'A', email, emailKey: email, createdAt: now },
  });
  await database.prisma.membership.create({
    data: { accountId: account.id, userId: user.id, role: 'OWNER', createdAt: now },
  });
  const { token } = await beginSession(database, user, 'a browser', now);
  await database.prisma.link.updateMany({ where: { alias: 'a2' }, data: { privacy: 'PUBLIC' } });
  await database.close();
  const target = await startProgram(url, undefined, '.', { TRUST_PROXY: 'loopback' });
  let sent = 0;
  /** The request as its sender has it: others come from other networks, so that no limit for one refuses them. */
  const asSent = ({ isKnown, ...one }: Case): Sent => {
    const network = `10.${(++sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`;
    const isAuth = one.path.startsWith('/auth');
    const own: Record<string, string> = isAuth
      ? { cookie: `__Host-linkspace=${token}` }
      : { authorization: `Bearer ${KEY}` };
    const page = { 'x-forwarded-host': 's.example', 'x-forwarded-for': network };
    const ofPage: Record<string, string> = isAuth ? { 'sec-fetch-site': 'same-origin' } : {};
    return { ...one, headers: { ...page, ...ofPage, ...(isKnown ? own : {}), ...one.headers } };
  };
  const measure = async (one: Case, times = 1): Promise<Cost> => {
    const before = cpuOf(target);
    let status = 0;
    for (let i = 0; i < times; i++) status = await send(target.origin, asSent(one));
    // What it does after the answer.
    if (times === 1) await setTimeout(0);
    return { one, status, ms: (cpuOf(target) - before) / times };
  };
  const normalCase: Case = { kind: 'body', name: '{ __typename }', ...NORMAL, isKnown: true };
  const normalNow = async () => {
    const all: number[] = [];
    for (let i = 0; i < 9; i++) all.push((await measure(normalCase, 50)).ms);
    return median(all);
  };
  await measure(normalCase, 500);
  const usual = await normalNow();
  console.log(`{ __typename } with a key: ${usual.toFixed(2)} ms of the processor`);
  const costs: Cost[] = [];
  let index = 0;
  for (const one of allCases()) if (isWanted(one, index++)) costs.push(await measure(one));
  const [hashing, others] = [
    costs.filter(({ one }) => mayHash(one)),
    costs.filter(({ one }) => !mayHash(one)),
  ];
  // A single measurement has what else happened meanwhile.
  const again = async (found: readonly Cost[]): Promise<Cost[]> => {
    const repeated: Cost[] = [];
    for (const { one, ms } of worst(found).slice(0, AGAIN)) {
      const all: Cost[] = [];
      for (let i = 0; i < TIMES; i++) all.push(await measure(one, ms > 20 ? 1 : 10));
      const middle = all.toSorted((a, b) => a.ms - b.ms)[TIMES >> 1];
      if (!middle) continue;
      const isAnswered = !middle.one.isKnown && middle.status > 0 && middle.status < 400;
      const short = isAnswered ? await measure(withoutLong(one), 10) : null;
      const normal = short && short.status < 400 && short.ms > usual ? short.ms : undefined;
      repeated.push({ ...middle, ...(normal === undefined ? {} : { normal }) });
    }
    return repeated.sort((one, other) => other.ms - one.ms);
  };
  const known = await again(others.filter(({ one }) => one.isKnown));
  const strangers = await again(others.filter(({ one }) => !one.isKnown));
  const hashed = await again(hashing);
  const after = await normalNow();
  console.log(`${costs.length} requests; { __typename } afterwards: ${after.toFixed(2)} ms`);
  print('With a key or a session', known.slice(0, 60), after);
  print('Without', strangers.slice(0, 60), after);
  print('With passwords, which may be hashed', hashed.slice(0, 20), after);
  const isDear = ({ ms, normal }: Cost) => ms > MAX_TIMES * (normal ?? after);
  if ((known[0]?.ms ?? 0) > MAX_MS || strangers.some(isDear)) process.exitCode = 1;
});
