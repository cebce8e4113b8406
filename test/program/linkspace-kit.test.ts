import { expect, onTestFinished, test } from 'vitest';
import { type Linkspace, type LinkspaceOptions, startLinkspace } from '../../src/testing/linkspace.ts';

/** A service that stops with the test, also if it fails. */
async function start(options?: LinkspaceOptions): Promise<Linkspace> {
  const linkspace = await startLinkspace(options);
  onTestFinished(() => linkspace.close());
  return linkspace;
}

async function graphql<Data>(
  { url, key: own }: Linkspace,
  query: string,
  key: string = `${own}`,
): Promise<Data> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

const create = async (linkspace: Linkspace, input: string, key?: string) =>
  (
    await graphql<{ createLink: { id: string; shortUrl: string; alias: string } }>(
      linkspace,
      `mutation { createLink(input: { url: "https://example.com/", ${input} }) { ... on Link { id shortUrl alias } } }`,
      key,
    )
  ).createLink;

test('the key is a text that makes further keys', async () => {
  const linkspace = await start();
  const { key } = linkspace;
  expect(`${key}`).toMatch(/^ls_[\w-]{20,}$/);
  expect([String(key), Reflect.get(key, 'length')]).toEqual([`${key}`, `${key}`.length]);
  expect(JSON.stringify({ key })).toBe(`{"key":"${key}"}`);
  expect(new Headers({ Authorization: `${key}` }).get('Authorization')).toBe(`${key}`);
  const reader = await linkspace.key({ scopes: ['read'], expiresAt: new Date('2026-11-20T13:00:00Z') });
  const scopes = '{ viewer { key { scopes } } }';
  expect(await graphql(linkspace, scopes)).toEqual({ viewer: { key: { scopes: ['READ', 'WRITE'] } } });
  expect(await graphql(linkspace, scopes, reader)).toEqual({ viewer: { key: { scopes: ['READ'] } } });
  linkspace.advance(60 * 60 * 1000);
  await expect(graphql(linkspace, scopes, reader)).rejects.toThrow('UNAUTHENTICATED');
});

test('accounts and people are apart, and a person can sign in with a password', async () => {
  const linkspace = await start();
  const other = await linkspace.account('other');
  expect(await linkspace.account('other')).toMatchObject({ name: 'other', id: other.id });
  await create(linkspace, 'alias: "mine"');
  expect(await graphql(linkspace, '{ links { totalCount } }', `${other.key}`)).toEqual({
    links: { totalCount: 0 },
  });
  const password = 'correct horse battery';
  const person = await linkspace.person({ name: 'Ada', email: 'ada@example.com', role: 'VIEWER', password });
  const viewer = '{ viewer { role user { name email } } links { totalCount } }';
  const seen = { viewer: { role: 'VIEWER', user: { name: 'Ada', email: 'ada@example.com' } } };
  expect(await person.data(viewer)).toEqual({ ...seen, links: { totalCount: 1 } });
  await other.person({ email: 'ada@example.com', role: 'ADMIN' });
  const { status, body } = await person.auth('sign-in', { email: 'ada@example.com', password });
  expect([status, body]).toEqual([200, expect.anything()]);
  expect(await graphql(linkspace, '{ account: viewer { account { name } } }')).toEqual({
    account: { account: { name: 'default' } },
  });
});

test('chance, DNS, the country of visitors and mails are arguments', async () => {
  const records = new Map<string, string[]>();
  const sent: string[] = [];
  const linkspace = await start({
    random: () => 0,
    resolveTxt: (name) => records.get(name) ?? [],
    country: 'AT',
    sendMail: ({ to }) => sent.push(to),
  });
  const { createDomain: domain } = await graphql<{
    createDomain: { id: string; verification: { name: string; value: string } };
  }>(
    linkspace,
    'mutation { createDomain(input: { name: "go.example" }) { ... on Domain { id verification { name value } } } }',
  );
  const target =
    'targeting: { type: COUNTRY, countries: [{ country: "AT", url: "https://example.com/at" }] }';
  const link = await create(linkspace, `domainId: "${domain.id}", ${target}`);
  expect(link).toMatchObject({ alias: 'bbbbbb', shortUrl: 'http://go.example/bbbbbb' });
  expect((await linkspace.visit(link.shortUrl)).status).toBe(404);
  records.set(domain.verification.name, [domain.verification.value]);
  await graphql(linkspace, `mutation { verifyDomain(id: ${domain.id}) { __typename } }`);
  expect(await linkspace.visit(link.shortUrl)).toMatchObject({ location: 'https://example.com/at' });
  const elsewhere = await linkspace.visit(`${link.shortUrl}?a=1`, { country: 'FR' });
  expect(elsewhere.location).toBe('https://example.com/?a=1');

  const owner = await linkspace.person();
  // Names do not depend on other services of the process.
  expect(owner.email).toBe('person-1@example.com');
  await owner.data(
    'mutation { inviteMember(input: { email: "new@example.com", role: EDITOR }) { __typename } }',
  );
  await expect.poll(() => linkspace.mails()).toMatchObject([{ to: 'new@example.com' }]);
  expect(linkspace.mails()[0]?.text).toContain(`${linkspace.url}/console/accept#`);
  expect(sent).toEqual(['new@example.com']);
});

test('a visit has the browser, the language and the time that it is given', async () => {
  const linkspace = await start({ now: new Date('2026-01-10T10:00:00Z') });
  const target =
    'targeting: { type: LANGUAGE, languages: [{ language: "fr", url: "https://example.com/fr" }] }';
  const { id, shortUrl } = await create(linkspace, target);
  expect(shortUrl).toMatch(`${linkspace.url}/`);
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const at = (day: number) => new Date(`2026-01-0${day}T23:00:00Z`);
  const visits = [3, 4, 4, 5].map((day) =>
    linkspace.visit(shortUrl, { at: at(day), userAgent, language: 'fr' }),
  );
  for (const visited of await Promise.all(visits)) expect(visited.location).toBe('https://example.com/fr');
  await linkspace.visit(shortUrl, { userAgent: 'curl/8.0' });
  const { link } = await graphql<{ link: unknown }>(
    linkspace,
    `{ link(id: ${id}) { clicks statistics(from: "2026-01-03", to: "2026-01-10") {
      series(interval: DAY) { clicks } top(by: BROWSER) { rows { value clicks } }
    } } }`,
  );
  expect(link).toEqual({
    clicks: 4,
    statistics: {
      series: [1, 2, 1, 0, 0, 0, 0, 0].map((clicks) => ({ clicks })),
      top: { rows: [{ value: 'Firefox', clicks: 4 }] },
    },
  });
});

test('the clock is moved by milliseconds, and by nothing else', async () => {
  const linkspace = await start();
  const wrong: unknown[] = [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15, '1000', undefined, null];
  for (const given of wrong) {
    expect(() => linkspace.advance(given as number)).toThrow(
      /^advance\(\) needs a number of milliseconds, such as 60_000, and got ("1000"|NaN|Infinity|8640000000000000|undefined|null)\.$/,
    );
  }
  const { id } = await create(linkspace, 'alias: "soon"');
  linkspace.advance(1_500);
  const seen = await graphql(
    linkspace,
    `mutation { updateLink(id: ${id}, input: { title: "x" }) { ... on Link { updatedAt } } }`,
  );
  expect(seen).toEqual({ updateLink: { updatedAt: '2026-11-20T12:00:01.500Z' } });
});

test('twenty services at once are apart, and leave nothing when they are closed', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => startLinkspace()));
  try {
    expect(new Set(all.map(({ url }) => url)).size).toBe(20);
    const made = await Promise.all(all.map((one, index) => create(one, `alias: "only-${index}"`)));
    const statuses = await Promise.all(
      all.map(async (one, index) => [
        (await one.visit(made[index]?.shortUrl ?? '')).status,
        (await one.visit(`${one.url}/only-${(index + 1) % 20}`)).status,
      ]),
    );
    expect(statuses).toEqual(Array(20).fill([302, 404]));
  } finally {
    await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
  }
  for (const { url, close } of all) {
    await expect(fetch(url)).rejects.toThrow();
    await close();
  }
});
