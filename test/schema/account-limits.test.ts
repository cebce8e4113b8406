import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessRetention } from '../../src/db/ended-access.ts';
import { MAX_KEYS } from '../../src/domain/access/api-key.ts';
import { MAX_INVITATIONS } from '../../src/domain/access/invitation.ts';
import { MAX_PIXELS } from '../../src/domain/pixel.ts';
import { MAX_DOMAINS } from '../../src/domain/short-domain/domain.ts';
import { MAX_SPACES } from '../../src/domain/space.ts';
import type { Mail } from '../../src/engine/outgoing/mail.ts';
import { type Person, signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

const DAY = 86_400_000;

let server: TestServer;
let owner: Caller;
let person: Person;
let accountId: number;
const mails: Mail[] = [];
beforeAll(async () => {
  server = await startTestServer({ sendMail: (mail) => void mails.push(mail) });
  owner = await server.caller();
  ({ accountId } = await server.database.prisma.apiKey.findFirstOrThrow());
  person = await signedIn(server, accountId, 'OWNER');
});
afterAll(() => server.stop());

const refused = '... on ValidationError { fields { path rule messages } }';
const times = () => ({ createdAt: server.clock.now, updatedAt: server.clock.now });
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
const full = (path: string, rule: string, message: string) => ({
  fields: [{ path: [path], rule, messages: [message] }],
});

type Made = Record<string, { fields?: unknown }>;

/** Sends a mutation three times at once; gives the refusals of the two that have no room. */
async function thrice(send: (number: number) => Promise<Made>): Promise<unknown[]> {
  const made = await Promise.all([1, 2, 3].map(send));
  return made.flatMap((one) => Object.values(one)).filter((one) => one.fields !== undefined);
}

describe('an account has at most', () => {
  test('10,000 spaces, from all ways', async () => {
    const { prisma } = server.database;
    const color = 1;
    const data = numbers(MAX_SPACES - 1).map((name) => ({
      accountId,
      name,
      nameKey: name,
      color,
      ...times(),
    }));
    await server.database.transaction((tx) => tx.insertMany('Space', data));
    const tried = '"url","alias","space"\nhttps://example.com/,dry1,New 1\nhttps://example.com/,dry2,New 2';
    const importing = async (text: string, dryRun: boolean) => {
      const query = `mutation($text: String!, $dryRun: Boolean) { importLinks(text: $text, format: CSV, dryRun: $dryRun) {
        results { status fields { path rule } } } }`;
      type Answer = { importLinks: { results: { status: string; fields: object[] }[] } };
      return (await owner.data<Answer>(query, { text, dryRun })).importLinks.results;
    };
    const last = { status: 'REFUSED', fields: [{ path: ['space', 'name'], rule: 'SPACES_OF_ACCOUNT' }] };
    expect(await importing(tried, true)).toEqual([{ status: 'CREATED', fields: [] }, last]);
    const create = (number: number) =>
      owner.data<Made>(`mutation { createSpace(input: { name: "More ${number}" }) { ${refused} } }`);
    const message = 'cannot be added: an account may have at most 10000 spaces';
    expect(await thrice(create)).toEqual(Array(2).fill(full('name', 'SPACES_OF_ACCOUNT', message)));
    expect(await prisma.space.count({ where: { accountId } })).toBe(MAX_SPACES);
    const { status, body } = await owner.rest('POST', '/spaces', { name: 'By v1' });
    const inV1 = `The name field ${message}.`;
    expect([status, body]).toEqual([422, { message: inV1, errors: { name: [inV1] }, status: 422 }]);
    expect(await importing(tried, false)).toEqual([last, last]);
    const stranger = await server.caller('stranger');
    expect(await stranger.space('Of another account')).toBeGreaterThan(0);
  });

  test('1,000 pixels, and more that exist stay', async () => {
    const { prisma } = server.database;
    const pixel = { accountId, type: 'BING', value: '1', ...times() };
    await prisma.pixel.createMany({ data: numbers(MAX_PIXELS - 1).map((name) => ({ ...pixel, name })) });
    const create = (number: number) =>
      owner.data<Made>(
        `mutation { createPixel(input: { name: "More ${number}", type: BING, value: "2" }) { ${refused} } }`,
      );
    const message = 'cannot be added: an account may have at most 1000 pixels';
    expect(await thrice(create)).toEqual(Array(2).fill(full('name', 'PIXELS_OF_ACCOUNT', message)));
    const { id } = await prisma.pixel.create({ data: { ...pixel, name: 'From earlier' } });
    expect(
      await owner.data(`mutation { updatePixel(id: ${id}, input: { name: "X" }) { ... on Pixel { name } } }`),
    ).toEqual({
      updatePixel: { name: 'X' },
    });
  });

  test('1,000 keys, also ended ones, until these are deleted after 90 days', async () => {
    const { prisma } = server.database;
    const begin = server.clock.now;
    const own = await prisma.apiKey.count({ where: { accountId } });
    const ends = [{ revokedAt: begin }, { expiresAt: begin }, {}];
    const key = { accountId, prefix: 'ls_', scopes: '', role: 'VIEWER', createdAt: begin };
    await prisma.apiKey.createMany({
      data: numbers(MAX_KEYS - own - 1).map((hash, index) => ({ ...key, hash, ...ends[index % 3] })),
    });
    const create = () =>
      person.data<Made>(`mutation { createApiKey(input: { name: "K", role: VIEWER }) { ${refused} } }`);
    const message = 'cannot be added: an account may have at most 1000 keys';
    expect(await thrice(create)).toEqual(Array(2).fill(full('name', 'KEYS_OF_ACCOUNT', message)));
    // The history names one of them.
    const named = await prisma.apiKey.findFirstOrThrow({ where: { revokedAt: { not: null } } });
    const change = {
      tx: 1n,
      accountId,
      at: begin,
      action: 'CREATED',
      kind: 'SPACE',
      recordId: 1,
      fields: '[]',
    };
    await prisma.change.create({ data: { ...change, keyId: named.id } });
    const job = accessRetention(server.database, () => server.clock.now, pino({ level: 'silent' }));
    const ended = () =>
      prisma.apiKey.count({ where: { OR: [{ revokedAt: { not: null } }, { expiresAt: { not: null } }] } });
    const before = await ended();
    server.clock.now = new Date(begin.getTime() + 90 * DAY - 1);
    await job.deleteOld();
    expect(await ended()).toBe(before);
    server.clock.now = new Date(begin.getTime() + 90 * DAY);
    await job.deleteOld();
    expect(await prisma.apiKey.findMany({ where: { expiresAt: { not: null } } })).toEqual([]);
    expect(
      (await prisma.apiKey.findMany({ where: { revokedAt: { not: null } } })).map(({ id }) => id),
    ).toEqual([named.id]);
    const again = await signedIn(server, accountId, 'OWNER');
    const { createApiKey } = await again.data<Made>(
      `mutation { createApiKey(input: { name: "K", role: VIEWER }) { ${refused} } }`,
    );
    expect(createApiKey).toEqual({});
    server.clock.now = begin;
  });

  test('1,000 invitations, also ended ones, until these are deleted after 90 days', async () => {
    const { prisma } = server.database;
    const begin = server.clock.now;
    const invitation = { accountId, role: 'VIEWER', createdAt: begin, expiresAt: begin };
    await prisma.invitation.createMany({
      data: numbers(MAX_INVITATIONS - 1).map((hash) => ({
        ...invitation,
        hash,
        email: hash,
        emailKey: hash,
      })),
    });
    const invite = (email: string) =>
      person.data<Made>(
        `mutation { inviteMember(input: { email: "${email}", role: VIEWER }) { ${refused} } }`,
      );
    const message = 'cannot be invited: an account may have at most 1000 invitations';
    expect(await thrice((number) => invite(`more-${number}@example.com`))).toEqual(
      Array(2).fill(full('email', 'INVITATIONS_OF_ACCOUNT', message)),
    );
    const { email } = await prisma.invitation.findFirstOrThrow({ where: { email: { startsWith: 'more' } } });
    // In place of the earlier one.
    expect(await invite(email)).toEqual({ inviteMember: {} });
    const job = accessRetention(server.database, () => server.clock.now, pino({ level: 'silent' }));
    server.clock.now = new Date(begin.getTime() + 90 * DAY);
    await job.deleteOld();
    expect((await prisma.invitation.findMany()).map((one) => one.email)).toEqual([email]);
    server.clock.now = begin;
  });

  test('10,000 domains, also added at once', async () => {
    const { prisma } = server.database;
    const data = numbers(MAX_DOMAINS - 1).map((one) => ({
      ...{
        accountId,
        name: `${one}.example`,
        hostKey: `${one}.example`,
        verifiedAt: server.clock.now,
        ...times(),
      },
    }));
    await server.database.transaction((tx) => tx.insertMany('Domain', data));
    const create = (number: number) =>
      owner.data<Made>(`mutation { createDomain(input: { name: "more-${number}.example" }) { ${refused} } }`);
    expect(await thrice(create)).toHaveLength(2);
    expect(await prisma.domain.count({ where: { accountId } })).toBe(MAX_DOMAINS);
  });
});

test('an account sends 100 invitations an hour by mail, and other mails go on', async () => {
  const inviter = await signedIn(server, accountId, 'OWNER');
  await server.database.prisma.signInGuesses.deleteMany();
  mails.length = 0;
  const invite = (index: number) =>
    inviter.data(
      `mutation { inviteMember(input: { email: "mailed-${index}@example.com", role: VIEWER }) { ... on Invitation { url } } }`,
    );
  for (let index = 0; index < 102; index++)
    // The person gets the link in another way.
    expect(await invite(index)).toEqual({ inviteMember: { url: expect.any(String) } });
  expect(mails).toHaveLength(100);
  // What was not sent does not use up the mails of the address.
  const guesses = await server.database.prisma.signInGuesses.count();
  expect(guesses).toBe(101);
  expect((await inviter.auth('email', { email: 'other@example.com' })).status).toBe(202);
  expect(mails).toHaveLength(101);
  server.clock.now = new Date(server.clock.now.getTime() + 3_600_000);
  await invite(103);
  expect(mails).toHaveLength(102);
});
