import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { kinds, visitValue } from '../../src/db/statistics/value.ts';
import { newDatabase } from '../support/database.ts';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';
import { type VisitOptions, visit } from '../support/visit.ts';

let server: TestServer;
let other: TestServer;
let owner: Caller;
beforeAll(async () => {
  const url = await newDatabase();
  const options = { url, trustProxy: 1 };
  server = await startTestServer(options);
  other = await startTestServer(options);
});
beforeEach(async () => {
  await emptyServer(server);
  owner = await server.caller();
});
afterAll(async () => {
  await server.stop();
  await other.stop();
});

const own = 'https://example.com/own';
const to = (name: string, more: object = {}) => ({ url: `https://example.com/${name}`, name, ...more });

async function create(rules: object[], more: object = {}): Promise<{ id: string; alias: string }> {
  const { createLink } = await owner.data<{ createLink: { id: string; alias: string } }>(
    'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { id alias } ... on ValidationError { message } } }',
    { input: { url: own, rules, ...more } },
  );
  expect(createLink).toHaveProperty('id');
  return createLink;
}

const change = (id: string, rules: object[]) =>
  owner.data(
    'mutation ($id: ID!, $rules: [LinkRuleInput!]) { updateLink(id: $id, input: { rules: $rules }) { __typename } }',
    { id, rules },
  );

async function led(
  alias: string,
  headers: Record<string, string> = {},
  { at = server, ...options }: VisitOptions & { at?: TestServer; query?: string } = {},
) {
  const { status, location } = await visit(at.origin, `/${alias}${options.query ?? ''}`, {
    ...options,
    headers,
  });
  return location?.replace('https://example.com/', '') ?? status;
}

async function variants(id: string): Promise<Record<string, number>> {
  await server.flush();
  await other.flush();
  const { link } = await owner.data<{
    link: { statistics: { top: { rows: { value: string | null; clicks: number }[] } } };
  }>('query ($id: ID!) { link(id: $id) { statistics { top(by: VARIANT) { rows { value clicks } } } } }', {
    id,
  });
  return Object.fromEntries(link.statistics.top.rows.map(({ value, clicks }) => [String(value), clicks]));
}

async function explain(linkId: string, input: object) {
  const { explainRedirect } = await owner.data<{
    explainRedirect: {
      outcome: string;
      destination: string | null;
      steps: { rule: string; applied: boolean; why: string; linkRule: object | null }[];
    };
  }>(
    `query ($input: ExplainRedirectInput!) { explainRedirect(input: $input) { outcome destination
      steps { rule applied why linkRule { ruleId name condition shares { targetId name share } } } } }`,
    { input: { linkId, ...input } },
  );
  return explainRedirect;
}

describe('rules', () => {
  test('lead the visitors that meet all conditions of the first that matches', async () => {
    const { alias } = await create([
      { when: [{ country: { in: ['DE'] } }, { language: { in: ['de', 'fr'] } }], to: [to('german')] },
      { when: [{ query: { name: 'from', in: ['a b'] } }], to: [to('query')] },
      { when: [{ referrer: { in: ['news.example'] } }], to: [to('news')] },
      { when: [{ browser: { in: ['Firefox'] } }, { device: { in: ['DESKTOP'] } }], to: [to('firefox')] },
      {
        when: [{ country: { notIn: ['AT', 'CH', 'DE'] } }, { language: { in: ['en'] } }],
        to: [to('english')],
      },
    ]);
    expect(await led(alias, { 'X-Country': 'DE', 'Accept-Language': 'de' })).toBe('german');
    expect(await led(alias, { 'X-Country': 'DE', 'Accept-Language': 'en, de;q=0.5' })).toBe('own');
    expect(await led(alias, { 'X-Country': 'DE' })).toBe('own');
    expect(await led(alias, {}, { query: '?x&from=a+b&from=c' })).toBe('query?x&from=a+b&from=c');
    expect(await led(alias, {}, { query: '?from=c&from=a%20b' })).toBe('own?from=c&from=a%20b');
    expect(await led(alias, { Referer: 'https://www.News.example/page' })).toBe('news');
    expect(await led(alias, { Referer: 'https://badnews.example/' })).toBe('own');
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    expect(await led(alias, { 'User-Agent': firefox })).toBe('firefox');
    expect(await led(alias, { 'Accept-Language': 'en' })).toBe('english');
    expect(await led(alias, { 'Accept-Language': 'en', 'X-Country': 'AT' })).toBe('own');
  });

  test('see a query that is not forwarded', async () => {
    const { alias } = await create([{ when: [{ query: { name: 'a', exists: true } }], to: [to('a')] }], {
      forwardsQuery: false,
    });
    expect(await led(alias, {}, { query: '?a=1' })).toBe('a');
  });

  test('know hours by the clock of their zone', async () => {
    // At NOON it is noon in UTC.
    const hours = (from: string, until: string) => [{ hours: { from, to: until, timeZone: 'Asia/Tokyo' } }];
    const { alias } = await create([
      { when: hours('20:00', '21:00'), to: [to('before')] },
      { when: hours('21:00', '20:00'), to: [to('evening')] },
    ]);
    expect(server.clock.now.getUTCHours()).toBe(12);
    expect(await led(alias)).toBe('evening');
  });

  test('leave a loop out, and are one where no target is left', async () => {
    const at = (alias: string) => ({ url: `https://elsewhere.example/${alias}` });
    const here = { Host: 'elsewhere.example' };
    const { alias, id } = await create([{ when: [], to: [to('a')] }]);
    const lead = (targets: object[]) => change(id, [{ when: [], to: targets }]);
    // Each network has its own share.
    const shares = async () => {
      const all = new Set<unknown>();
      for (let index = 1; index <= 20; index++)
        all.add(await led(alias, { ...here, 'X-Forwarded-For': `192.0.2.${index}` }));
      return all;
    };
    await lead([{ ...at(alias), weight: 1_000 }, to('open'), to('never', { weight: 0 })]);
    expect(await shares()).toEqual(new Set(['open']));
    expect(await led(alias, { ...here, 'User-Agent': 'curl/8' })).toBe('open');
    await lead([at(alias), to('never', { weight: 0 })]);
    for (const method of ['GET', 'HEAD'] as const) expect(await led(alias, here, { method })).toBe(410);
    expect(await led(alias, { ...here, 'User-Agent': 'curl/8' })).toBe(410);
    expect(await led(alias)).toBe(`https://elsewhere.example/${alias}`);
    await server.flush();
    // Only the visits that led on are counted: 20 to an open target, and one at another host.
    const { link } = await owner.data<{ link: { clicks: number } }>(
      'query ($id: ID!) { link(id: $id) { clicks } }',
      { id },
    );
    expect(link).toEqual({ clicks: 21 });
  });

  test('are ignored and kept by a process of an earlier version, which knows none of their columns', async () => {
    const { alias, id } = await create([{ when: [{ country: { in: ['DE'] } }], to: [to('de')] }], {
      ruleTests: [{ visitor: { country: 'DE' }, expect: { noRule: false } }],
    });
    const { prisma } = server.database;
    const { rules, ruleTests } = await prisma.link.findUniqueOrThrow({ where: { id: Number(id) } });
    const { rules: _, ruleTests: __, id: ___, ...row } = await prisma.link.findFirstOrThrow();
    const columns = Object.keys(row).map((name) => `"${name}"`);
    const copied = columns.map((name) => (name === '"alias"' ? "'theirs'" : name));
    await prisma.$executeRawUnsafe(
      `INSERT INTO "Link" (${columns.join()}) SELECT ${copied.join()} FROM "Link" WHERE "id" = ${id}`,
    );
    const title = columns.map((name) => (name === '"title"' ? `"title" = 'T'` : `${name} = ${name}`));
    await prisma.$executeRawUnsafe(`UPDATE "Link" SET ${title.join()} WHERE "id" = ${id}`);
    expect(await prisma.link.findUnique({ where: { id: Number(id) } })).toMatchObject({
      ...{ title: 'T', rules, ruleTests },
    });
    expect(await led(alias, { 'X-Country': 'DE' })).toBe('de');
    expect(await led('theirs', { 'X-Country': 'DE' })).toBe('own');
  });

  test('lead no program beyond a click limit, and no turn of a rotation is taken where one leads', async () => {
    const rotation = {
      targeting: { type: 'ROTATION', rotation: ['https://example.com/1', 'https://example.com/2'] },
    };
    for (const expiration of [{}, { expiration: { clicks: 100 } }]) {
      const { alias, id } = await create(
        [{ when: [{ query: { name: 'a', exists: true } }], to: [to('a')] }],
        {
          ...rotation,
          ...expiration,
        },
      );
      const all: unknown[] = [];
      for (const query of ['', '?a', '?a', '', '?a', '']) all.push(await led(alias, {}, { query }));
      expect(all).toEqual(['1', 'a?a', 'a?a', '2', 'a?a', '1']);
      await server.flush();
      const { link } = await owner.data<{ link: { clicks: number; statistics: { clicks: number } } }>(
        'query ($id: ID!) { link(id: $id) { clicks statistics { clicks } } }',
        { id },
      );
      expect(link).toEqual({ clicks: 6, statistics: { clicks: 6 } });
      expect(await led(alias, { 'User-Agent': 'curl/8' }, { query: '?a' })).toBe(
        'expiration' in expiration ? 200 : 'a?a',
      );
    }
  });

  test('know where a visitor came from behind the form for the password', async () => {
    const rules = [{ when: [{ referrer: { in: ['news.example'] } }], to: [to('news')] }];
    const { alias } = await create(rules, { password: 'secret' });
    const headers = { Referer: 'https://news.example/x' };
    const { body } = await visit(server.origin, `/${alias}`, { headers });
    const [, token = ''] = /name="referrer" value="([^"]*)"/.exec(body) ?? [];
    expect(token).not.toBe('');
    const post = async (form: Record<string, string>) =>
      (await visit(server.origin, `/${alias}`, { form: { password: 'secret', ...form } })).location;
    expect(await post({ referrer: token })).toBe('https://example.com/news');
    expect(await post({})).toBe(own);
    expect(await post({ referrer: token.replace('news', 'mews') })).toBe(own);
    const wrong = await visit(server.origin, `/${alias}`, { form: { password: 'no', referrer: token } });
    expect(wrong.body).toContain('name="referrer"');
    const { body: plain } = await visit(server.origin, `/${alias}`);
    expect(plain).not.toContain('name="referrer"');
  });
});

describe('splits', () => {
  const split = [
    { name: 'Split', when: [], to: [to('a', { weight: 2 }), to('b'), to('never', { weight: 0 })] },
  ];
  const address = (index: number) => ({ 'X-Forwarded-For': `192.0.2.${index}` });

  test('give a visitor the same target on each process, for the day, and count it', async () => {
    const { alias, id } = await create(split);
    const seen = new Set<unknown>();
    for (let index = 1; index <= 20; index++) {
      const one = await led(alias, address(index));
      expect(await led(alias, address(index), { at: other })).toBe(one);
      expect(await led(alias, address(index), { method: 'HEAD' })).toBe(one);
      expect(await led(alias, { ...address(index), 'Sec-Purpose': 'prefetch' })).toBe(one);
      seen.add(one);
    }
    expect([...seen].sort()).toEqual(['a', 'b']);
    const counted = await variants(id);
    expect(Object.keys(counted).sort()).toEqual(['Split / a', 'Split / b']);
    expect(Object.values(counted).reduce((sum, one) => sum + one, 0)).toBe(40);
    expect(await led(alias, { 'User-Agent': 'curl/8' })).toBe('a');
    await led(alias, { DNT: '1' });
    expect(await variants(id)).toEqual(counted);
  });

  test('take the first 64 bits of an IPv6 address for a visitor', async () => {
    const { alias } = await create(split);
    for (let index = 1; index <= 10; index++) {
      const of = (host: number) => led(alias, { 'X-Forwarded-For': `2001:db8:0:${index}::${host}` });
      expect(await of(2)).toBe(await of(1));
    }
  });

  test('are explained with their shares', async () => {
    const { id } = await create([
      { name: 'Query', when: [{ query: { name: 'a', exists: true } }], to: [to('q')] },
      ...split,
    ]);
    const { destination, steps } = await explain(id, { referrer: 'news.example' });
    expect(destination).toBe('https://example.com/a');
    const own = steps.filter(({ rule }) => rule === 'RULE');
    expect(own).toMatchObject([
      { applied: false, linkRule: { name: 'Query', condition: 0, shares: [] } },
      {
        applied: true,
        linkRule: {
          name: 'Split',
          condition: null,
          shares: [
            { name: 'a', share: 2 / 3 },
            { name: 'b', share: 1 / 3 },
          ],
        },
      },
    ]);
  });

  test('count for a value that finds the links again', async () => {
    const { alias, id } = await create([{ name: 'One', when: [], to: [to('x')] }]);
    await led(alias);
    await server.flush();
    const { viewer } = await owner.data<{
      viewer: {
        account: {
          statistics: { top: { rows: { value: string; variant: { value: string } | null }[] } };
        };
      };
    }>('{ viewer { account { statistics { top(by: VARIANT) { rows { value variant { value } } } } } } }');
    const { rows } = viewer.account.statistics.top;
    expect(rows).toEqual([{ value: `${alias}: One / x`, variant: { value: `${id}.1.2` } }]);
    const found = await owner.data(
      `query ($value: String!) { viewer { account {
        topLinks(by: { dimension: VARIANT, value: $value }) { nodes { link { id } clicks } } } } }`,
      { value: rows[0]?.variant?.value },
    );
    expect(found).toEqual({ viewer: { account: { topLinks: { nodes: [{ link: { id }, clicks: 1 }] } } } });
  });

  test('have at most 200 former targets a day, besides all present ones', async () => {
    const { alias, id } = await create([{ name: 'One', when: [], to: [to('x')] }]);
    const { prisma } = server.database;
    // Two clicks on each of 200 former targets.
    const [day, month] = [20261120, 202611];
    expect(server.clock.now.toISOString()).toMatch(/^2026-11-20/);
    const former = Array.from({ length: 200 }, (_, target) =>
      visitValue(kinds.VARIANT, { variant: `${id}.1.${1_000 + target}` }),
    );
    await prisma.visitValue.createMany({
      data: former.map(({ kind, columns, hash }) => ({ kind, hash, month, ...columns })),
    });
    const variants = async () => prisma.visitValue.findMany({ where: { kind: kinds.VARIANT } });
    const ids = (await variants()).filter(({ variant }) => variant?.startsWith(`${id}.1.1`));
    await prisma.linkDayValue.createMany({
      data: ids.map(({ id: valueId }) => ({ valueId, linkId: Number(id), kind: 5, day, clicks: 2 })),
    });
    // Counted, but not written yet, when its target goes.
    await led(alias);
    await change(id, [{ name: 'Two', when: [], to: [to('y'), to('z')] }]);
    await led(alias, { 'X-Forwarded-For': '192.0.2.1' });
    await led(alias, { 'X-Forwarded-For': '192.0.2.2' });
    await led(alias, { 'X-Forwarded-For': '192.0.2.3' });
    await server.flush();
    const counted = await prisma.linkDayValue.findMany({ where: { linkId: Number(id), kind: 5 } });
    const names = new Map((await variants()).map((value) => [value.id, value.variant]));
    const clicks = new Map(counted.map((value) => [names.get(value.valueId), Number(value.clicks)]));
    for (const { columns } of former) expect(clicks.get(columns.variant)).toBe(2);
    const others = [...clicks].filter(([name]) => !name?.startsWith(`${id}.1.1`));
    expect(others.find(([name]) => name === 'other')).toEqual(['other', 1]);
    const present = others.filter(([name]) => name !== 'other');
    expect(present.reduce((sum, [, some]) => sum + some, 0)).toBe(3);
  });

  test('show present names, and count few former targets', async () => {
    const { alias, id } = await create([{ name: 'One', when: [], to: [to('x')] }]);
    await led(alias);
    await owner.data(
      `mutation ($id: ID!) { updateLink(id: $id, input: { rules: [{ id: 1, name: "Renamed", when: [], to: [{ id: 2, name: "y", url: "https://example.com/y" }] }] }) { __typename } }`,
      { id },
    );
    expect(await variants(id)).toEqual({ 'Renamed / y': 1 });
    await owner.data('mutation ($id: ID!) { updateLink(id: $id, input: { rules: null }) { __typename } }', {
      id,
    });
    expect(await variants(id)).toEqual({ 'Rule 1 / Target 2': 1 });
  });
});
