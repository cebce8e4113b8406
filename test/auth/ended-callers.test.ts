import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { OperationTypeNode } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { revokeKey } from '../../src/domain/access/api-key.ts';
import { createToken } from '../../src/domain/access/one-time-token.ts';
import { permissions } from '../../src/domain/access/role.ts';
import { beginSession } from '../../src/domain/access/session.ts';
import { setDisabled } from '../../src/domain/access/user.ts';
import { join, name, sql } from '../../src/engine/db/sql.ts';
import { Prisma } from '../../src/generated/sqlite/client.ts';
import { routes } from '../../src/rest/routes.ts';
import { permissionFor } from '../../src/schema/permission.ts';
import { callsOf, type Mutation, mutations } from '../support/mutations.ts';
import { Person, signedIn } from '../support/person.ts';
import { type Caller, NOON, startTestServer, type TestServer } from '../support/server.ts';

// Each case waits for the poll that tells of the change of another process: that is most of its time.

const DAY = 24 * 60 * 60 * 1000;

let server: TestServer;
/** Another process on the same database. */
let other: TestServer;
let owner: Caller;
let boss: Person;

/** The sender of a case's requests: a member of two accounts by a session, or a key that they made. */
interface Subject {
  readonly person: Person & { readonly userId: number; readonly memberId: number };
  readonly headers: Readonly<Record<string, string>>;
  readonly keyId: string | null;
}

async function subjectOf(kind: 'session' | 'key'): Promise<Subject> {
  const person = await signedIn(server, 1, 'OWNER');
  const data = { accountId: 2, userId: person.userId, role: 'VIEWER', createdAt: NOON };
  await server.database.prisma.membership.create({ data });
  const site = { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-Host': 's.example', 'X-Account': '1' };
  if (kind === 'session') return { person, headers: { ...site, Cookie: person.cookie ?? '' }, keyId: null };
  const expiresAt = new Date(NOON.getTime() + DAY).toISOString();
  const { createApiKey } = await person.data<{ createApiKey: { key: string; apiKey: { id: string } } }>(
    `mutation { createApiKey(input: { name: "x", role: ADMIN, expiresAt: "${expiresAt}" }) {
      ... on CreatedApiKey { key apiKey { id } }
    } }`,
    {},
    { 'X-Account': '1' },
  );
  return { person, headers: { Authorization: `Bearer ${createApiKey.key}` }, keyId: createApiKey.apiKey.id };
}

/** The person's browser, at the other process. */
function elsewhere({ person }: Subject): Person {
  const there = new Person(other);
  there.cookie = person.cookie;
  return there;
}

const byBoss = (call: string) => boss.data(`mutation { ${call} { __typename } }`, {}, { 'X-Account': '1' });

interface Ending {
  readonly of: 'session' | 'key';
  /** True if the caller becomes a viewer. */
  readonly isLowered?: boolean;
  end(subject: Subject): Promise<unknown>;
}

/** Ways in which another process, or the clock, ends a caller. */
const endings: Record<string, Ending> = {
  revoked: { of: 'key', end: ({ keyId }) => revokeKey(other.database, keyId ?? '', NOON) },
  expired: {
    of: 'key',
    async end() {
      server.clock.now = new Date(NOON.getTime() + DAY);
    },
  },
  'signed out': { of: 'session', end: (subject) => elsewhere(subject).auth('sign-out', {}) },
  'with a new password': {
    of: 'session',
    async end({ person: { userId } }) {
      const own = new Person(other);
      const { token } = await beginSession(other.database, { id: userId, password: null }, 'x', NOON);
      own.cookie = `__Host-linkspace=${token}`;
      expect((await own.auth('password', { password: 'a good password' })).status).toBe(204);
    },
  },
  reset: {
    of: 'session',
    async end({ person: { userId } }) {
      const token = await createToken(other.database, 'RESET', { userId }, NOON);
      expect((await new Person(other).auth('reset', { token, password: 'a good password' })).status).toBe(
        200,
      );
    },
  },
  disabled: { of: 'session', end: ({ person }) => setDisabled(other.database, person.userId, NOON) },
  'disabled as the maker of a key': {
    of: 'key',
    end: ({ person }) => setDisabled(other.database, person.userId, NOON),
  },
  lowered: {
    of: 'session',
    isLowered: true,
    end: ({ person }) => byBoss(`updateMember(id: ${person.memberId}, input: { role: VIEWER })`),
  },
  'lowered as the maker of a key': {
    of: 'key',
    isLowered: true,
    end: ({ person }) => byBoss(`updateMember(id: ${person.memberId}, input: { role: VIEWER })`),
  },
  removed: { of: 'session', end: ({ person }) => byBoss(`removeMember(id: ${person.memberId})`) },
};

interface Answer {
  readonly status: number;
  readonly body: string;
}

const answerOf = async (sent: ClientRequest): Promise<Answer> => {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]; // The event's argument.
  return { status: answer.statusCode ?? 0, body: await textOf(answer) };
};

/** Sends the head of a request, which the server begins to answer; its body is sent when `complete` is called. */
async function sendLate(
  { headers }: Subject,
  method: string,
  path: string,
  type: string,
  body: string,
): Promise<{ readonly answer: Promise<Answer>; complete(): void }> {
  const length = Buffer.byteLength(body);
  const sent = httpRequest(`${server.origin}${path}`, {
    ...{ method, agent: false },
    headers: { ...headers, 'Content-Type': type, 'Content-Length': length, Expect: '100-continue' },
  });
  // An early answer may come with the word to go on.
  const answer = answerOf(sent);
  sent.flushHeaders();
  await once(sent, 'continue');
  return { answer, complete: () => sent.end(body) };
}

/** Sends an operation of GraphQL. */
async function send({ headers }: Subject, query: string): Promise<Answer> {
  const sent = await fetch(`${server.origin}/graphql`, {
    ...{ method: 'POST', body: JSON.stringify({ query }) },
    headers: { ...headers, 'Content-Type': 'application/json' },
  });
  return { status: sent.status, body: await sent.text() };
}

/** The role of the caller, or the code of its error. Those that were sent before are authenticated by then. */
async function stateOf(subject: Subject): Promise<string> {
  const { data, errors } = JSON.parse((await send(subject, '{ viewer { role } }')).body);
  return errors?.[0].extensions.code ?? data.viewer.role;
}

/** Tables that background work may write at any time. */
const BACKGROUND = new Set(['DaySalt', 'LogReader', 'RetentionClock']);

/** All rows of all tables. */
async function allRows(): Promise<Record<string, unknown>> {
  const tables = Object.values(Prisma.ModelName).filter((table) => !BACKGROUND.has(table));
  // One statement takes a quarter of the time.
  if (other.database.provider === 'postgresql') {
    const texts = tables.map(
      (table) => sql`(SELECT ${table} AS "name", array_agg("text" ORDER BY "text") AS "rows"
      FROM (SELECT "row"::text AS "text" FROM ${name(table)} AS "row") AS "texts")`,
    );
    const found = await other.database.read<{ name: string; rows: unknown }>(join(texts, ' UNION ALL '));
    return Object.fromEntries(found.map((one) => [one.name, one.rows]));
  }
  const rows = async (table: string) => {
    const found = await other.database.read(sql`SELECT * FROM ${name(table)}`);
    return [
      table,
      found
        .map((row) =>
          JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
        )
        .sort(),
    ];
  };
  return Object.fromEntries(await Promise.all(tables.map(rows)));
}

/** The tables that are not as they were. */
async function changedSince(rows: Record<string, unknown>): Promise<string[]> {
  const now = Object.entries(await allRows());
  return now.flatMap(([table, found]) =>
    JSON.stringify(found) === JSON.stringify(rows[table]) ? [] : table,
  );
}

/** The errors of an answer by GraphQL, without the places in a document. */
const refusalsIn = ({ body }: Answer): { message: string; code: string }[] =>
  (JSON.parse(body).errors ?? []).map(
    ({ message, extensions }: { message: string; extensions: { code: string } }) => ({
      message,
      code: extensions.code,
    }),
  );

/** True if a mutation was done, by its part of an answer. */
const isDone = (result: unknown): boolean =>
  [result]
    .flat()
    .every(
      (one) =>
        one !== null &&
        typeof one === 'object' &&
        '__typename' in one &&
        !/Error$/.test(String(one.__typename)),
    );

/** Mutations that were sent, and wait for what holds them up. */
interface Waiting {
  /** The sent documents. */
  readonly documents: ReadonlyMap<Mutation, string>;
  /** Lets them go on; gives their answers. */
  release(): Promise<ReadonlyMap<Mutation, Answer>>;
}

const answersOf = async (sent: ReadonlyMap<Mutation, Promise<Answer>>) =>
  new Map(await Promise.all([...sent].map(async ([one, answer]) => [one, await answer] as const)));

/** The domain whose record is looked up slowly, and is not there. */
let slowDomain: number | undefined;

/** Where mutations wait after they were authenticated. */
const places: Record<string, (subject: Subject, made: ReadonlyMap<Mutation, string>) => Promise<Waiting>> = {
  async 'with a late body'(subject, made) {
    const documents = new Map([...made].map(([one, call]) => [one, `mutation { x: ${call} }`]));
    const late = (query: string) =>
      sendLate(subject, 'POST', '/graphql', 'application/json', JSON.stringify({ query }));
    const sent = new Map(
      await Promise.all([...documents].map(async ([one, query]) => [one, await late(query)] as const)),
    );
    return {
      documents,
      release() {
        for (const { complete } of sent.values()) complete();
        return answersOf(new Map([...sent].map(([one, { answer }]) => [one, answer])));
      },
    };
  },
  async 'behind a slow field'(subject, made) {
    const answered = Promise.withResolvers<string[]>();
    server.dns.set('_linkspace.slow.example', answered.promise);
    slowDomain ??= await owner.domain('slow.example');
    const id = slowDomain;
    const documents = new Map(
      [...made].map(([one, call]) => [
        one,
        `mutation { v: verifyDomain(id: ${id}) { __typename } x: ${call} }`,
      ]),
    );
    const before = server.asked.length;
    const sent = new Map([...documents].map(([one, query]) => [one, send(subject, query)]));
    // What the caller may not do is refused before.
    const refused = { all: false };
    void answersOf(sent).then(() => (refused.all = true));
    await expect.poll(() => refused.all || server.asked.length > before, { interval: 20 }).toBe(true);
    return {
      documents,
      release() {
        answered.resolve([]);
        return answersOf(sent);
      },
    };
  },
};

const isForViewers = (mutation: Mutation) =>
  permissions[permissionFor(OperationTypeNode.MUTATION, mutation.name)].role === 'VIEWER';

/** The mutations that a living caller can do. */
const possible = { session: new Set<Mutation>(), key: new Set<Mutation>() };

/** New calls of mutations by a caller. */
async function newCalls({ person }: Subject, which: Iterable<Mutation>): Promise<Map<Mutation, string>> {
  const callOf = callsOf(server, 1, owner, person.userId);
  const made = new Map<Mutation, string>();
  for (const one of which) made.set(one, await callOf(one));
  return made;
}

/** The calls of mutations, until one of them is done: their records stay as they are. */
const kept = new Map<Mutation, string>();

async function callsFor(subject: Subject, which: readonly Mutation[]): Promise<Map<Mutation, string>> {
  const isOwn = ({ name }: Mutation) => name.includes('Session');
  const missing = which.filter((one) => isOwn(one) || !kept.has(one));
  for (const [one, call] of await newCalls(subject, missing)) kept.set(one, call);
  return new Map(which.map((one) => [one, kept.get(one) ?? '']));
}

/** Deletes all webhooks. Their jobs may have locked some of the rows in another order: PostgreSQL then ends one of both. */
async function deleteWebhooks(): Promise<void> {
  const { prisma } = server.database;
  const remove = async () => {
    await prisma.webhookDelivery.deleteMany();
    await prisma.webhook.deleteMany();
  };
  for (let attempt = 0; attempt < 10; attempt++) {
    const isDone = await remove().then(
      () => true,
      () => false,
    );
    if (isDone) return;
  }
  await remove();
}

beforeAll(async () => {
  server = await startTestServer({ background: true, verifiesDomains: true, rateLimit: 0 });
  other = await startTestServer({ background: true, url: server.databaseUrl });
  owner = await server.caller('own');
  await server.caller('second');
  boss = await signedIn(other, 1, 'OWNER');
});
afterEach(() => {
  server.clock.now = NOON;
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

describe.each(Object.keys(places))('%s', (place) => {
  test.each(['session', 'key'] as const)('a living %s does each mutation that it may do', async (kind) => {
    const subject = await subjectOf(kind);
    const wait = places[place];
    for (const mutation of mutations) {
      // One by one: some end others.
      const waiting = await wait?.(subject, await newCalls(subject, [mutation]));
      const [[, answer] = []] = [...((await waiting?.release()) ?? [])];
      const { data } = JSON.parse(answer?.body ?? '{}');
      if (isDone(data?.x)) possible[kind].add(mutation);
      else expect(possible.session.has(mutation) ? [] : [mutation.name, answer?.body]).toEqual([]);
    }
    // An account may have only 20, and a job deletes the deliveries that are left.
    await deleteWebhooks();
    kept.clear();
  });

  test.each(Object.entries(endings))(
    'a caller who is %s does nothing, and is told why',
    async (_what, { of, end, isLowered = false }) => {
      const subject = await subjectOf(of);
      // A viewer may still do what viewers may; behind the slow field, the operation needs more.
      const refused = [...possible[of]].filter(
        (mutation) => !isLowered || place === 'behind a slow field' || !isForViewers(mutation),
      );
      const made = await callsFor(subject, refused);
      const before = await stateOf(subject);
      const waiting = await places[place]?.(subject, made);
      if (waiting === undefined) throw new Error('nothing was sent');
      // Whatever was sent before is authenticated when this is answered.
      expect(await stateOf(subject)).toBe(before);
      await end(subject);
      await expect.poll(() => stateOf(subject), { interval: 100 }).not.toBe(before);
      const rows = await allRows();
      const answers = await waiting.release();
      expect(await changedSince(rows)).toEqual([]);
      const told = [];
      let fresh: ReturnType<typeof refusalsIn> | null = null;
      for (const [mutation, answer] of answers) {
        // What needs more than a viewer is said of each; all else is the same for all.
        if (fresh === null || isLowered)
          fresh = refusalsIn(await send(subject, waiting.documents.get(mutation) ?? ''));
        told.push([mutation.name, refusalsIn(answer), fresh]);
      }
      expect(told).toEqual(told.map(([name, , fresh]) => [name, fresh, fresh]));
      expect(told.filter(([, , fresh]) => fresh?.length !== 1)).toEqual([]);
    },
  );
});

test.each(Object.entries(places))(
  'a sign-in that is too long ago by then makes no key %s',
  async (_where, wait) => {
    const subject = await subjectOf('session');
    const create = mutations.filter(({ name }) => name === 'createApiKey');
    const waiting = await wait(subject, await newCalls(subject, create));
    await stateOf(subject);
    const keys = await server.database.prisma.apiKey.count();
    server.clock.now = new Date(NOON.getTime() + 15 * 60_000 + 1);
    const [[, answer] = []] = [...(await waiting.release())];
    expect(answer && refusalsIn(answer)).toEqual([
      { message: 'Sign in again: this needs a sign-in of the last 15 minutes.', code: 'FORBIDDEN' },
    ]);
    expect(await server.database.prisma.apiKey.count()).toBe(keys);
  },
);

const writes = routes.flatMap(({ methods, path }) =>
  methods.filter((method) => method !== 'GET').map((method) => ({ method, path })),
);

test.each(Object.entries(endings).filter(([, { of }]) => of === 'key'))(
  'a key that is %s while bodies are on their way does nothing by v1',
  async (_what, { end }) => {
    const paths: string[] = [];
    for (const { path } of writes) {
      const id = path.startsWith('/links') ? (await owner.link()).id : await owner.space('Space');
      paths.push(`/api/v1${path.replace(':id', String(id))}`);
    }
    const form = 'url=https%3A%2F%2Fexample.com%2F&name=Name&title=Title';
    const late = (subject: Subject) =>
      Promise.all(
        writes.map(({ method }, index) =>
          sendLate(subject, method, paths[index] ?? '', 'application/x-www-form-urlencoded', form),
        ),
      );
    const [subject, living] = [await subjectOf('key'), await subjectOf('key')];
    const waiting = await late(subject);
    const before = await stateOf(subject);
    await end(subject);
    await expect.poll(() => stateOf(subject), { interval: 100 }).not.toBe(before);
    const rows = await allRows();
    const completed = (all: typeof waiting) =>
      Promise.all(
        all.map(({ answer, complete }) => {
          complete();
          return answer;
        }),
      );
    const answers = await completed(waiting);
    expect(await changedSince(rows)).toEqual([]);
    expect(answers).toEqual(await completed(await late(subject)));
    expect(answers.filter(({ status }) => status !== 401 && status !== 403)).toEqual([]);
    server.clock.now = NOON;
    for (const one of await late(living)) expect((await completed([one]))[0]?.status).not.toBe(401);
    expect(await changedSince(rows)).not.toEqual([]);
  },
);

describe.each(Object.entries(endings).filter(([, { of, isLowered }]) => of === 'session' && !isLowered))(
  'a session that is %s while the body of a request is on its way',
  (what, { end }) => {
    const about = what === 'removed' ? ['download'] : ['profile', 'password', 'email', 'confirm', 'download'];
    test(`does nothing by ${about.map((path) => `/auth/${path}`).join(', ')}`, async () => {
      const subject = await subjectOf('session');
      const body = JSON.stringify({
        kind: 'links',
        name: 'New',
        password: 'a good password',
        email: 'n@x.example',
      });
      const late = () =>
        Promise.all(
          about.map((path) => sendLate(subject, 'POST', `/auth/${path}`, 'application/json', body)),
        );
      const waiting = await late();
      const before = await stateOf(subject);
      await end(subject);
      await expect.poll(() => stateOf(subject), { interval: 100 }).not.toBe(before);
      const rows = await allRows();
      for (const { complete } of waiting) complete();
      const statuses = (await Promise.all(waiting.map(({ answer }) => answer))).map(({ status }) => status);
      expect(statuses).toEqual(about.map(() => (what === 'removed' ? 403 : 401)));
      expect(await changedSince(rows)).toEqual([]);
    });
  },
);

describe('with an Idempotency-Key, a caller whose key is revoked', () => {
  const keyed = async (key: string): Promise<Subject> => {
    const { headers, ...subject } = await subjectOf('key');
    return { ...subject, headers: { ...headers, 'Idempotency-Key': key } };
  };
  const create = 'createSpace(input: { name: "Kept" }) { __typename }';
  const ended = async (subject: Subject) => {
    const before = await stateOf(subject);
    await endings.revoked?.end(subject);
    await expect.poll(() => stateOf(subject), { interval: 100 }).not.toBe(before);
  };

  test('does nothing, and nothing is kept for its key', async () => {
    const subject = await keyed('ended');
    const [mutation] = mutations.filter(({ name }) => name === 'createSpace');
    const waiting =
      mutation && (await places['behind a slow field']?.(subject, new Map([[mutation, create]])));
    if (waiting === undefined) throw new Error('nothing was sent');
    await ended(subject);
    const rows = await allRows();
    const [[, answer] = []] = [...(await waiting.release())];
    expect(answer?.status).toBe(401);
    expect(await changedSince(rows)).toEqual([]);
  });

  test('gets no answer that is kept', async () => {
    const subject = await keyed('kept');
    const query = `mutation { ${create} }`;
    const first = await send(subject, query);
    const late = () => sendLate(subject, 'POST', '/graphql', 'application/json', JSON.stringify({ query }));
    const [replayed, waiting] = [await late(), await late()];
    replayed.complete();
    expect(await replayed.answer).toEqual(first);
    await ended(subject);
    waiting.complete();
    expect((await waiting.answer).status).toBe(401);
  });
});
