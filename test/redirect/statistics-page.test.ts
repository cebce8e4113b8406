import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { secretStarts } from '../../src/domain/statistics/public-statistics.ts';
import { type Caller, NOON, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { type Visited, type VisitOptions, visit } from '../support/visit.ts';

let server: TestServer;
/** Another process on the same database. */
let second: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ verifiesDomains: true });
  second = await startTestServer({ url: server.databaseUrl, verifiesDomains: true });
  owner = await server.caller();
});
afterAll(async () => {
  await second.stop();
  await server.stop();
});

let addresses = 0;
/** Sends requests from a separate address, so that tests do not share a limit. */
const open = (path: string, { headers, ...options }: VisitOptions = {}, at = server): Promise<Visited> =>
  visit(at.origin, path, {
    ...options,
    headers: { 'X-Forwarded-For': `10.9.${addresses >> 8}.${addresses++ % 256}`, ...headers },
  });

/** Opens a path on the next day, when the values of this day are shown. */
async function openNextDay(path: string, options: VisitOptions = {}): Promise<Visited> {
  server.clock.now = new Date(NOON.getTime() + 86_400_000);
  return open(path, options).finally(() => {
    server.clock.now = NOON;
  });
}

const PASSWORD = { privacy: 2, privacy_password: 'open sesame' };
const right = { password: 'open sesame' };

const cookieOf = ({ headers }: Visited): string => headers['set-cookie']?.[0]?.split(';')[0] ?? '';

/** An answer without the parts that vary. */
function comparable({ status, location, headers, body }: Visited) {
  const { 'x-request-id': _, date: __, ...rest } = headers;
  const plain = (text: string) => text.replace(/nonce[-=]"?[\w+/=]+/g, 'nonce');
  return { status, location, body: plain(body), headers: JSON.parse(plain(JSON.stringify(rest))) };
}

async function visits({ alias }: RestLink, count: number, headers: Record<string, string> = {}) {
  for (let i = 0; i < count; i++) await open(`/${alias}`, { headers });
  await server.flush();
}

describe('the statistics page of a public link', () => {
  test('shows everybody numbers, a chart and the dimensions, each with a table', async () => {
    const link = await owner.link({ url: 'https://example.com/there' });
    await visits(link, 9, {
      'X-Country': 'DE',
      'Accept-Language': 'fr',
      Referer: 'https://www.news.example/x',
    });
    await visits(link, 1, { 'User-Agent': 'Googlebot/2.1' });
    const { status, headers, body } = await openNextDay(`/${link.alias}+`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; base-uri 'none'; frame-ancestors 'none'; style-src 'nonce-(\w+)'; font-src 'self'; script-src 'nonce-\1'; img-src 'self' data:; form-action 'none'$/,
    );
    expect(body).toContain('<meta name="robots" content="noindex">');
    // The script and the QR code are part of the page.
    expect(body).not.toMatch(/<script[^>]* src|@import|url\((?!"\/inter)|style="/);
    expect([...body.matchAll(/(?:src|<link[^>]*href)="([^"]{0,20})/g)].map(([, address]) => address)).toEqual(
      ['/favicon.ico', 'data:image/svg+xml;b'],
    );
    expect(body).toContain(`https://s.example/${link.alias}`);
    expect(body).toMatch(/<dt>Clicks<\/dt><dd>9<\/dd>/);
    expect(body).toMatch(/<dt>Visitors<\/dt><dd>5<\/dd>/);
    expect(body).toMatch(/<dt>Bots<\/dt><dd>1<\/dd>/);
    for (const value of ['Chrome', 'Windows', 'Desktop', 'Germany', 'French', '<bdi>news.example</bdi>'])
      expect(body).toContain(`<th scope="row">${value}</th><td>5</td><td>55.6%</td>`);
    expect(body).toContain('<th scope="row"><bdi>https://example.com/there</bdi></th>');
    // Eight charts: the days and seven dimensions.
    expect(body.match(/role="img"/g)).toHaveLength(8);
    // A table for each, and the QR code.
    expect(body.match(/<details>/g)).toHaveLength(9);
    expect(body).toContain('<th scope="row">20 Nov 2026</th><td>9</td><td>5</td><td>1</td>');
  });

  test.each([
    ['', 30],
    ['?days=7', 7],
    ['?days=30', 30],
    ['?days=90', 90],
    ['?days=365', 365],
    ['?days=8', 30],
    ['?days=', 30],
    ['?days=365&days=7', 365],
    ['?days=07', 30],
    ['?%zz', 30],
  ])('shows with %s the last %i days', async (query, days) => {
    const link = await owner.link();
    await visits(link, 1);
    const { body } = await open(`/${link.alias}+${query}`);
    const rows = /<section class="wide".*?<\/section>/s.exec(body)?.[0].match(/<th scope="row">/g);
    expect(rows).toHaveLength(days);
    expect(body).toContain(`aria-current="page">${days} days`);
  });

  test('shows without clicks one section, which says how to get one', async () => {
    const { alias } = await owner.link();
    const { body } = await open(`/${alias}+`);
    expect(body.match(/<section/g)).toHaveLength(1);
    expect(body).toContain('No clicks in this period');
    expect(body).toContain('Share the short link');
  });

  test('invites nobody to a link that is switched off', async () => {
    const { alias } = await owner.link({ disabled: 1 });
    const { body } = await open(`/${alias}+`);
    expect(body).toContain('The link is switched off: clicks are not counted.');
    expect(body).not.toContain('Share the short link');
  });

  test('dots only the line to the current day', async () => {
    const link = await owner.link();
    await visits(link, 3);
    const { body } = await open(`/${link.alias}+?days=7`);
    const points = (kind: string) =>
      new RegExp(`<polyline class="${kind}" points="([^"]*)"`).exec(body)?.[1]?.split(' ');
    expect(points('clicks')).toEqual(
      [...Array(6).keys()].map((day) => `${Math.round((day / 6) * 1e5) / 1e3},100`),
    );
    expect(points('clicks today')).toEqual(['83.333,100', '100,0']);
    expect(body).toContain('<span class="today">Today so far</span>');
  });

  test('cuts long destinations in the middle, and shows them in full in the table', async () => {
    const url = 'https://example.com/a/rather/long/path/to/the/first-of-two';
    const link = await owner.link({ url });
    await visits(link, 9);
    const { body } = await openNextDay(`/${link.alias}+`);
    expect(body).toContain(
      '<span><bdi>example.com/a/rather/long/path/to/the/</bdi></span><span><bdi>first-of-two</bdi></span>',
    );
    expect(body).toContain(`<th scope="row"><bdi>${url}</bdi></th>`);
  });

  test('never counts as a visit', async () => {
    const link = await owner.link();
    for (const method of ['GET', 'HEAD', 'POST']) await open(`/${link.alias}+`, { method });
    await server.flush();
    const { body } = await owner.rest('GET', `/links/${link.id}`);
    expect(body).toMatchObject({ data: { clicks: 0, last_clicked_at: null } });
    expect((await open(`/${link.alias}+`)).body).toMatch(/<dt>Bots<\/dt><dd>0<\/dd>/);
  });

  test('adds values with few clicks to the others', async () => {
    const link = await owner.link();
    await visits(link, 9, { 'X-Country': 'DE' });
    await visits(link, 4, { 'X-Country': 'FR' });
    await visits(link, 2, { 'X-Country': 'IT' });
    const { body } = await openNextDay(`/${link.alias}+`);
    expect(body).toContain('<th scope="row">Germany</th><td>5</td>');
    expect(body).toContain('<th scope="row">Others</th><td>10</td>');
    expect(body).not.toMatch(/France|Italy/);
  });

  test('shows the clicks of the current day, but neither their values nor visitors', async () => {
    const link = await owner.link();
    await visits(link, 9, { 'X-Country': 'DE' });
    const { body } = await open(`/${link.alias}+`);
    expect(body).toMatch(/<dt>Clicks<\/dt><dd>9<\/dd>/);
    expect(body).not.toContain('Germany');
  });

  test.each([
    ['en', 'Today’s clicks show here from 21 Nov 2026 on.'],
    ['de', 'Die Klicks von heute erscheinen hier ab 21.11.2026.'],
    ['es', 'Los clics de hoy aparecen aquí a partir del 21 nov 2026.'],
    ['fr', 'Les clics d’aujourd’hui apparaissent ici à partir du 21 nov. 2026.'],
  ])('says in %s from when on the values of the first day show', async (language, text) => {
    const [link, limited] = [await owner.link(), await owner.link({ expiration_clicks: 9 })];
    await visits(link, 1);
    await visits(limited, 1);
    const shown = async ({ alias }: RestLink) =>
      (await open(`/${alias}+`, { headers: { 'Accept-Language': language } })).body.split(text).length - 1;
    expect([await shown(link), await shown(limited)]).toEqual([7, 7]);
  });

  test('says beside the numbers that they are rounded, and takes shares of all clicks', async () => {
    const link = await owner.link();
    await visits(link, 9, { 'X-Country': 'DE' });
    await visits(link, 1, { DNT: '1' });
    const { body } = await openNextDay(`/${link.alias}+`);
    expect(body).toMatch(
      /<\/dl>\s*<p class="rounded">Rounded for privacy: visitors and the lists\. <a href="#note">Details<\/a><\/p>/,
    );
    expect(body).toContain('<p id="note">Days are in UTC.');
    for (const [name, clicks, share] of [
      ['Germany', 5, '50.0%'],
      ['Others', 4, '40.0%'],
      ['Not recorded', 1, '10.0%'],
    ])
      expect(body).toContain(`<th scope="row">${name}</th><td>${clicks}</td><td>${share}</td>`);
  });

  test.each([
    ['en-US,en;q=0.9', 'Nov 20, 2026'],
    ['de;q=0.1,en-us', 'Nov 20, 2026'],
    ['en-GB,en-US;q=0.9', '20 Nov 2026'],
    ['en', '20 Nov 2026'],
  ])('writes dates as readers of %s do', async (language, day) => {
    const link = await owner.link();
    await visits(link, 1);
    const { body } = await openNextDay(`/${link.alias}+`, { headers: { 'Accept-Language': language } });
    expect(body).toContain(`<th scope="row">${day}</th>`);
  });

  test('says that nothing is recorded of visitors who decline tracking, where no others came', async () => {
    const link = await owner.link();
    await visits(link, 1, { DNT: '1' });
    const { body } = await openNextDay(`/${link.alias}+`);
    expect(body.match(/Nothing was recorded of these clicks/g)).toHaveLength(6);
    expect(body).not.toContain('show here from');
  });

  test('does not reveal the value of one visit to somebody who forges four', async () => {
    const guesses = 'aa af am ar az be bg bn br bs ca cs cy da de el en eo es et'.split(' ');
    const names = new Intl.DisplayNames('en', { type: 'language' });
    /** The languages that are shown a day after that many visits with each. */
    const shownAfter = async (count: number) => {
      const shown = [];
      // A page shows ten values.
      for (const some of [guesses.slice(0, 10), guesses.slice(10)]) {
        const link = await owner.link();
        for (const language of some) await visits(link, count, { 'Accept-Language': language });
        const { body } = await openNextDay(`/${link.alias}+`);
        shown.push(...some.filter((language) => body.includes(`<th scope="row">${names.of(language)}</th>`)));
      }
      return shown;
    };
    expect(await shownAfter(4)).toEqual([]);
    // One in five on average. All of them by chance: once in 5 ** 20 times.
    expect((await shownAfter(5)).length).toBeLessThan(guesses.length);
    expect((await shownAfter(9)).length).toBe(guesses.length);
  });

  test('opens for a link of an account without a key', async () => {
    const other = await server.caller('without a key');
    const { alias, id } = await other.link();
    await server.database.prisma.apiKey.deleteMany({ where: { account: { links: { some: { id } } } } });
    expect((await open(`/${alias}+`)).status).toBe(200);
  });

  test('has steps by a random secret of the account, and not by its keys', async () => {
    const { prisma } = server.database;
    const secrets = await prisma.accountSecret.findMany({ orderBy: { accountId: 'asc' } });
    expect(secrets.map(({ accountId }) => accountId)).toEqual(
      (await prisma.account.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id),
    );
    for (const { steps } of secrets) expect(steps).toMatch(/^[\da-f]{64}$/);
    const hashes = (await prisma.apiKey.findMany()).map(({ hash }) => hash);
    expect(new Set([...hashes, ...secrets.map(({ steps }) => steps)]).size).toBe(
      hashes.length + secrets.length,
    );
    const link = await owner.link();
    const { accountId } = await prisma.link.findUniqueOrThrow({ where: { id: link.id } });
    const { steps } = await prisma.accountSecret.findUniqueOrThrow({ where: { accountId } });
    const countries = ['AT', 'BE', 'CH', 'DE', 'ES', 'FR', 'GB', 'IT'];
    for (const country of countries) await visits(link, 5, { 'X-Country': country });
    const { body } = await openNextDay(`/${link.alias}+`);
    const starts = secretStarts(steps, link.id, 'COUNTRY');
    const names = new Intl.DisplayNames('en', { type: 'region' });
    const isShown = (country: string) => body.includes(`<th scope="row">${names.of(country)}</th>`);
    expect(countries.filter(isShown)).toEqual(countries.filter((country) => starts(country, 1) === 0));
  });

  test.each([
    ['en', 'Countries', 'Germany', '1,234', 'Browsers', 'Clicks: 1,234,'],
    ['de', 'Länder', 'Deutschland', '1.234', 'Browser'],
    ['es', 'Países', 'Alemania', '1234', 'Navegadores'],
    ['fr', 'Pays', 'Allemagne', '1\u202f234', 'Navigateurs', 'Clics\u202f: 1\u202f234,'],
  ])('is shown in %s', async (language, ...words) => {
    const link = await owner.link();
    await visits(link, 1, { 'X-Country': 'DE' });
    const { prisma } = server.database;
    await prisma.linkDay.updateMany({ where: { linkId: link.id }, data: { clicks: 1234, described: 1234 } });
    await prisma.linkDayValue.updateMany({ where: { linkId: link.id }, data: { clicks: 1234 } });
    await prisma.linkMonthValue.updateMany({ where: { linkId: link.id }, data: { clicks: 1234 } });
    const { body } = await openNextDay(`/${link.alias}+`, { headers: { 'Accept-Language': language } });
    expect(body).toContain(`<html lang="${language}">`);
    for (const word of words) expect(body).toContain(word);
  });

  test('escapes values that others control', async () => {
    const link = await owner.link({ url: 'https://example.com/?a=<b>&c="d"' });
    await visits(link, 9, { Referer: 'https://<script>.example/' });
    const { body } = await openNextDay(`/${link.alias}+`);
    expect(body.match(/<script.*>/g)).toEqual([expect.stringMatching(/^<script nonce="\w+">/)]);
    expect(body).not.toContain('<b>');
    expect(body).toContain('example.com/?a=');
  });

  test.each([
    ['disabled', { disabled: 1 }],
    ['ended by its date', { expiration_date: '2026-11-21' }],
    ['ended by its clicks', { expiration_clicks: 1 }],
  ])('is still available if the link is %s', async (_how, form) => {
    const link = await owner.link({ url: 'https://example.com/over', ...form });
    await visits(link, 1);
    server.clock.now = new Date('2026-11-22T12:00:00Z');
    const { status, body } = await open(`/${link.alias}+`);
    server.clock.now = NOON;
    expect(status).toBe(200);
    expect(body).toContain(`https://s.example/${link.alias}`);
  });

  test('takes as many statements for a year as for a week, all of them reads', async () => {
    const link = await owner.link();
    await visits(link, 5, { 'X-Country': 'DE' });
    for (const days of [7, 365]) {
      const read = async () => {
        const statements = await server.statementsOf(() => open(`/${link.alias}+?days=${days}`));
        expect(statements.filter((sql) => !/^\s*(SELECT|WITH)/.test(sql))).toEqual([]);
        return statements.length;
      };
      // The link, its account's secret, the sums with and without this day, the days, and the values of all dimensions. What is
      // kept for a time, such as the brand, is read again by some of the visits.
      await expect.poll(read).toBe(6);
    }
  });

  // The process counts them, whatever the database.
  test.runIf(inject('database').provider === 'sqlite')(
    'is limited to three hundred requests a minute from one address',
    async () => {
      const { alias } = await owner.link();
      const headers = { 'X-Forwarded-For': '10.8.0.1' };
      const statuses = new Map<number, number>();
      for (let i = 0; i < 31; i++) {
        const answers = await Promise.all(
          Array.from({ length: 10 }, () => open(`/${alias}+?days=7`, { headers })),
        );
        for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      expect([...statuses]).toEqual([
        [200, 300],
        [429, 10],
      ]);
      expect((await open(`/${alias}+`)).status).toBe(200);
    },
  );
});

describe('destinations on the statistics page', () => {
  /** The names and clicks of the destinations on a link's page, on the next day by default. */
  const destinationsOf = async ({ alias }: RestLink, at = new Date(NOON.getTime() + 86_400_000)) => {
    server.clock.now = at;
    const { body } = await open(`/${alias}+`);
    server.clock.now = NOON;
    const [, section = ''] = /<h2 id="destination">(.*?)<\/section>/s.exec(body) ?? [];
    const rows = section.matchAll(/<th scope="row">(.*?)<\/th><td>(\d+)<\/td>/g);
    return [...rows].map(
      ([, name = '', clicks]) => `${name.replaceAll(/<\/?(?:bdi|small)>/g, '')}: ${clicks}`,
    );
  };
  type Form = Record<string, string | number>;
  const OLD = 'https://old.example/secret';
  const NEW = 'https://new.example/';

  test.each<[string, Form]>([
    ['with a password of its own', { password: 'x' }],
    ['that ends by clicks', { expiration_clicks: 100 }],
  ])('of a link %s are former, all of them', async (_which, form) => {
    const link = await owner.link({ url: OLD, ...form });
    for (let i = 0; i < 3; i++)
      await open(`/${link.alias}`, 'password' in form ? { form: { password: 'x' } } : {});
    await server.flush();
    expect(await destinationsOf(link)).toEqual(['Former: 3']);
  });

  test.each<[string, Form]>([
    ['is disabled', { disabled: 1 }],
    ['has expired', { expiration_date: '2026-11-21' }],
    ['has expired, and leads elsewhere', { expiration_date: '2026-11-21', expiration_url: NEW }],
    ['has a password now', { password: 'x' }],
    ['has a click limit now', { expiration_clicks: 100 }],
  ])('are former once the link %s', async (_what, change) => {
    const link = await owner.link({ url: OLD });
    await visits(link, 9);
    expect(await destinationsOf(link)).toEqual([`${OLD}: 5`, 'Others: 4']);
    await owner.rest('PATCH', `/links/${link.id}`, change);
    expect(await destinationsOf(link, new Date('2026-11-22T12:00:00Z'))).toEqual(['Former: 9']);
  });

  test.each<[string, Form, Form]>([
    ['has another URL', { url: OLD }, { url: NEW }],
    ['had a password', { url: OLD, password: 'x' }, { url: NEW, password: '' }],
    ['had a click limit', { url: OLD, expiration_clicks: 100 }, { url: NEW, expiration_clicks: '' }],
  ])('are those of now, and others are former, where a link %s', async (_what, before, after) => {
    const link = await owner.link(before);
    for (let i = 0; i < 9; i++)
      await open(`/${link.alias}`, 'password' in before ? { form: { password: 'x' } } : {});
    await server.flush();
    await owner.rest('PATCH', `/links/${link.id}`, after);
    expect(await destinationsOf(link)).toEqual(['Former: 5', 'Others: 4']);
    await visits(link, 14);
    expect(await destinationsOf(link)).toEqual([`${NEW}: 10`, 'Former: 5', 'Others: 8']);
  });

  test('are former if only a list that the link no longer uses has them', async () => {
    const languages = { 'language[0][key]': 'de', 'language[0][value]': OLD };
    const link = await owner.link({ url: NEW, target_type: 3, ...languages });
    await visits(link, 9, { 'Accept-Language': 'de' });
    expect(await destinationsOf(link)).toEqual([`${OLD}: 5`, 'Others: 4']);
    await owner.rest('PATCH', `/links/${link.id}`, { target_type: 0 });
    expect(await destinationsOf(link)).toEqual(['Former: 5', 'Others: 4']);
  });

  test('of a rotation are not the URL of its link', async () => {
    const link = await owner.link({ url: OLD });
    await visits(link, 9);
    await owner.rest('PATCH', `/links/${link.id}`, { target_type: 4, 'rotation[0][value]': NEW });
    await visits(link, 14);
    expect(await destinationsOf(link)).toEqual([`${NEW}: 10`, 'Former: 5', 'Others: 8']);
  });

  test('are counted as former also beyond the hundred with the most clicks', async () => {
    const rotation = Array.from({ length: 120 }, (_, i) => [`rotation[${i}][value]`, `${OLD}${i}`]);
    const link = await owner.link({ url: NEW, target_type: 4, ...Object.fromEntries(rotation) });
    await visits(link, 120);
    await owner.rest('PATCH', `/links/${link.id}`, { target_type: 0 });
    await visits(link, 1);
    expect((await destinationsOf(link)).join()).toMatch(/^Former: 1(20|15),Others: [16]$/);
  });

  test.each([
    ['https://paypal.com@evil.example/x', 'https://evil.example/x User name: paypal.com', 'evil.example/x'],
    [
      'https://paypal.com:pass%40word@evil.example',
      'https://evil.example User name: paypal.com',
      'evil.example',
    ],
    [
      'http://paypal.com%2F@EVIL.example:81/a@b',
      'http://evil.example:81/a@b User name: paypal.com%2F',
      'evil.example:81/a@b',
    ],
    ['https://p\u0430ypal.com/ü?ö', 'https://xn--pypal-4ve.com/ü?ö', 'xn--pypal-4ve.com/ü?ö'],
    ['https://\u05d0.example/\u05d0', 'https://xn--4db.example/\u05d0', 'xn--4db.example/\u05d0'],
    ['https://evil.example/\u202ecba', 'https://evil.example/%E2%80%AEcba', 'evil.example/%E2%80%AEcba'],
  ])('%s is shown with its host first, in ASCII, and its user name apart', async (url, inTable, inList) => {
    const link = await owner.link({ url });
    await visits(link, 9);
    expect((await destinationsOf(link))[0]).toBe(`${inTable}: 5`);
    const { body } = await openNextDay(`/${link.alias}+`);
    const [, section = ''] = /<h2 id="destination">(.*?)<\/section>/s.exec(body) ?? [];
    const [, name = ''] = /<span class="name">(.*?)<\/span><span class="count">/.exec(section) ?? [];
    expect(name).toMatch(/^(<span><bdi>[^<]*<\/bdi><\/span>)+$/);
    expect(name.replaceAll(/<.*?>/g, '')).toBe(inList);
    expect(section).toContain(`aria-label="Destinations: \u2068${inList}\u2069 55.6%`);
  });

  test.each([
    ['en', 'Former'],
    ['de', 'Frühere'],
    ['es', 'Anteriores'],
    ['fr', 'Anciennes'],
  ])('have a word in %s for former ones', async (language, word) => {
    const link = await owner.link({ url: OLD, expiration_clicks: 100 });
    await visits(link, 1);
    const { body } = await openNextDay(`/${link.alias}+`, { headers: { 'Accept-Language': language } });
    expect(body).toContain(`<th scope="row">${word}</th><td>1</td>`);
  });
});

describe('visitors on the statistics page', () => {
  /** The number of visitors, and those of the last two days. */
  const visitorsOf = ({ body }: Visited) => [
    /<dt>Visitors<\/dt><dd>(.*?)<\/dd>/.exec(body)?.[1],
    ...[
      ...body.matchAll(/<th scope="row">2[01] Nov 2026(?: \(so far\))?<\/th><td>\d+<\/td><td>(.*?)<\/td>/g),
    ].map(([, count]) => count),
  ];

  test('end with yesterday', async () => {
    const link = await owner.link();
    await visits(link, 9);
    const today = await open(`/${link.alias}+`);
    expect(visitorsOf(today)).toEqual(['0', '–']);
    expect(today.body).toMatch(/<dt>Clicks<\/dt><dd>9<\/dd>/);
    expect(today.body).toContain('>20 Nov 2026 (so far). Clicks: 9</text>');
    expect(visitorsOf(await openNextDay(`/${link.alias}+`))).toEqual(['5', '–', '5']);
  });

  test('come in secret steps, by day and in all', async () => {
    const links = [];
    for (let i = 0; i < 20; i++) links.push(await owner.link());
    for (const link of links) await visits(link, 4);
    for (const { alias } of links)
      expect(visitorsOf(await openNextDay(`/${alias}+`))).toEqual(['0', '–', '0']);
    for (const link of links) await visits(link, 1);
    const shown = [];
    for (const { alias } of links) shown.push(visitorsOf(await openNextDay(`/${alias}+`)));
    // One in five on average. All of them by chance: once in 5 ** 20 times.
    for (const at of [0, 2]) expect(new Set(shown.map((counts) => counts[at]))).toContain('0');
    const [{ accountId, id } = { accountId: 0, id: 0 }] = await server.database.prisma.link.findMany({
      where: { id: links[0]?.id ?? 0 },
    });
    const { steps } = await server.database.prisma.accountSecret.findUniqueOrThrow({ where: { accountId } });
    const starts = secretStarts(steps, id, 'VISITORS');
    const first = (value: string | null) => (starts(value, 1) === 0 ? '5' : '0');
    expect(shown[0]).toEqual([first(null), '–', first('20261120')]);
  });
});

describe('the statistics page with a password', () => {
  test('asks for the password, and reveals nothing', async () => {
    const { alias } = await owner.link({ ...PASSWORD, url: 'https://example.com/secret' });
    const { status, headers, body } = await open(`/${alias}+`);
    expect(status).toBe(401);
    expect(headers['content-security-policy']).toMatch(/; img-src 'self'; form-action 'self'$/);
    expect(headers['x-robots-tag']).toBe('noindex');
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(body).toContain('The statistics of this link are protected by a password.');
    expect(body).toContain('<form method="post">');
    expect(body).not.toMatch(/secret|Clicks/);
  });

  test('opens with the right password, for an hour, and for this link only', async () => {
    const { alias } = await owner.link(PASSWORD);
    const other = await owner.link(PASSWORD);
    const given = await open(`/${alias}+?days=90`, { form: right });
    expect([given.status, given.location, given.body]).toEqual([303, `/${alias}+?days=90`, '']);
    expect(given.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(
          `^linkspace_statistics=\\d+\\.[\\w-]{43}; Max-Age=3600; Path=/${alias}\\+; HttpOnly; SameSite=Strict; Secure$`,
        ),
      ),
    ]);
    const headers = { Cookie: `a=b; ${cookieOf(given)}; c=d` };
    expect((await open(`/${alias}+?days=90`, { headers })).status).toBe(200);
    expect((await open(`/${alias}+`, { headers }, second)).status).toBe(200);
    expect((await open(`/${other.alias}+`, { headers })).status).toBe(401);
    server.clock.now = new Date(NOON.getTime() + 3_599_000);
    expect((await open(`/${alias}+`, { headers })).status).toBe(200);
    server.clock.now = new Date(NOON.getTime() + 3_600_000);
    expect((await open(`/${alias}+`, { headers })).status).toBe(401);
    server.clock.now = NOON;
  });

  test('refuses a cookie that was given while the clock was ahead', async () => {
    const { alias } = await owner.link(PASSWORD);
    const opensAfter = async (seconds: number) => {
      server.clock.now = new Date(NOON.getTime() + seconds * 1_000);
      const headers = { Cookie: cookieOf(await open(`/${alias}+`, { form: right })) };
      server.clock.now = NOON;
      return (await open(`/${alias}+`, { headers })).status;
    };
    expect(await opensAfter(60)).toBe(200);
    expect(await opensAfter(365 * 86_400)).toBe(401);
  });

  test('refuses a wrong password and a forged cookie', async () => {
    const { alias } = await owner.link(PASSWORD);
    const wrong = await open(`/${alias}+`, { form: { password: 'open' } });
    expect(wrong.status).toBe(401);
    expect(wrong.headers['set-cookie']).toBeUndefined();
    // Below its field, as in the console.
    expect(wrong.body).toMatch(/<input type="password"[^>]+>\n<p [^>]+>Wrong password\. Try again\.<\/p>/);
    const [, end = '', signed = ''] =
      /=(\d+)\.(.*)/.exec(cookieOf(await open(`/${alias}+`, { form: right }))) ?? [];
    const forged = [
      `${Number(end) + 1}.${signed}`,
      `${end}.${signed.slice(0, -1)}${signed.endsWith('A') ? 'E' : 'A'}`,
      `${end}.`,
      `${end}.${'A'.repeat(43)}`,
      `0${end}.${signed}`,
      `NaN.${signed}`,
      '',
      'x'.repeat(8_000),
    ];
    for (const value of forged)
      expect(
        (await open(`/${alias}+`, { headers: { Cookie: `linkspace_statistics=${value}` } })).status,
      ).toBe(401);
  });

  const json = { 'Content-Type': 'application/json' };
  const graphql = (query: string, variables: object, headers = {}) =>
    owner.fetch('/graphql', {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify({ query, variables }),
    });
  const update = `mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) {
    ... on Link { id } ... on Error { message } } }`;
  const batch = `mutation ($inputs: [UpdateLinksInput!]!) { updateLinks(inputs: $inputs) { ... on Link { id } } }`;
  const same = { privacyPassword: 'open sesame' };
  test.each<[string, (id: number) => Promise<unknown>]>([
    ['a new one', (id) => owner.rest('PATCH', `/links/${id}`, { privacy_password: 'another' })],
    ['the same one', (id) => owner.rest('PATCH', `/links/${id}`, PASSWORD)],
    ['the same one by PUT', (id) => owner.rest('PUT', `/links/${id}`, PASSWORD)],
    [
      'the same one beside a new title',
      (id) => owner.rest('PATCH', `/links/${id}`, { ...PASSWORD, title: 'New' }),
    ],
    ['the same one over GraphQL', (id) => graphql(update, { id, input: same })],
    [
      'the same one with an Idempotency-Key',
      (id) => graphql(update, { id, input: same }, { 'Idempotency-Key': `again ${id}` }),
    ],
    ['the same one in a batch', (id) => graphql(batch, { inputs: [{ id, input: same }] })],
  ])('is closed on every process by setting %s', async (_what, set) => {
    const { alias, id } = await owner.link(PASSWORD);
    const headers = { Cookie: cookieOf(await open(`/${alias}+`, { form: right })) };
    expect((await open(`/${alias}+`, { headers })).status).toBe(200);
    await set(id);
    for (const process of [server, second])
      expect((await open(`/${alias}+`, { headers }, process)).status).toBe(401);
  });

  test('stays open after a change of anything else, and opens again after the same password was set', async () => {
    const { alias, id } = await owner.link(PASSWORD);
    const headers = { Cookie: cookieOf(await open(`/${alias}+`, { form: right })) };
    await owner.rest('PATCH', `/links/${id}`, { title: 'New', password: 'its own' });
    expect((await open(`/${alias}+`, { headers })).status).toBe(200);
    await owner.rest('PATCH', `/links/${id}`, PASSWORD);
    const again = await open(`/${alias}+`, { form: right });
    expect((await open(`/${alias}+`, { headers: { Cookie: cookieOf(again) } })).status).toBe(200);
  });

  test('treats composed and decomposed letters as equal', async () => {
    const { alias } = await owner.link({ privacy: 2, privacy_password: 'caf\u00e9' });
    expect((await open(`/${alias}+`, { form: { password: 'cafe\u0301' } })).status).toBe(303);
  });

  test('accepts five wrong passwords a minute from one address, counted separately from those of the link', async () => {
    const { alias } = await owner.link({ ...PASSWORD, password: 'its own' });
    const headers = { 'X-Forwarded-For': '10.7.0.1' };
    const wrong = { form: { password: 'wrong' }, headers };
    const answers = [];
    for (let i = 0; i < 6; i++) {
      const { status, body } = await open(`/${alias}+`, wrong);
      answers.push([status, body.includes('After five wrong passwords, you have to wait a minute.')]);
    }
    const told = [401, true];
    expect(answers).toEqual([[401, false], [401, false], told, told, told, [429, false]]);
    const limited = await open(`/${alias}+`, { form: right, headers });
    expect(limited.status).toBe(429);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect((await open(`/${alias}`, { form: { password: 'its own' }, headers })).status).toBe(303);
    expect((await open(`/${alias}+`, { form: right })).status).toBe(303);
  });

  test('sets a cookie for https only after a request over https', async () => {
    const { alias } = await owner.link(PASSWORD);
    const secure = async (headers: Record<string, string>) =>
      /Secure/.test(String((await open(`/${alias}+`, { form: right, headers })).headers['set-cookie']));
    expect(await secure({})).toBe(true);
    expect(await secure({ 'X-Forwarded-Proto': 'https' })).toBe(true);
    expect(await secure({ 'X-Forwarded-Proto': 'http' })).toBe(false);
  });

  test('stays closed if no password was ever set', async () => {
    const { alias, id } = await owner.link(PASSWORD);
    await server.database.prisma.link.update({ where: { id }, data: { privacyPassword: null } });
    expect((await open(`/${alias}+`)).status).toBe(401);
    expect((await open(`/${alias}+`, { form: right })).status).toBe(401);
    expect((await open(`/${alias}+`, { form: { password: '' } })).status).toBe(401);
  });

  test('needs no password once the link is public', async () => {
    const { alias, id } = await owner.link(PASSWORD);
    await owner.rest('PATCH', `/links/${id}`, { privacy: 0 });
    expect((await open(`/${alias}+`)).status).toBe(200);
    const posted = await open(`/${alias}+`, { form: right });
    expect([posted.status, posted.location, posted.headers['set-cookie']]).toEqual([
      303,
      `/${alias}+`,
      undefined,
    ]);
  });
});

describe('the statistics page of a private link', () => {
  test.each(['GET', 'HEAD', 'POST'])('by %s, equals the page of an unknown alias', async (method) => {
    const link = await owner.link({ privacy: 1 });
    const form = method === 'POST' ? { form: right } : {};
    const answers = [];
    for (const alias of [link.alias, 'never-was'])
      answers.push(comparable(await open(`/${alias}+`, { method, ...form })));
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.status).toBe(404);
  });

  test('redirects to the not-found URL of its domain, like an unknown alias', async () => {
    const { prisma } = server.database;
    const domain_id = await owner.domain('missing.example');
    const data = { notFoundUrl: 'https://example.com/missing', verifiedAt: NOON };
    await prisma.domain.update({ where: { id: domain_id }, data });
    const link = await owner.link({ privacy: 1, domain_id });
    const headers = { 'X-Forwarded-Host': 'missing.example' };
    const answers = [];
    for (const alias of [link.alias, 'never-was'])
      answers.push(comparable(await open(`/${alias}+`, { headers })));
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 302, location: 'https://example.com/missing' });
  });

  test('costs the same statements, however often it is requested', async () => {
    const link = await owner.link({ privacy: 1 });
    await open('/never-was+');
    for (const method of ['GET', 'POST', 'GET']) {
      const statements = [];
      for (const alias of [link.alias, 'never-was'])
        statements.push(await server.statementsOf(() => open(`/${alias}+`, { method })));
      expect(statements[0]).toEqual(statements[1]);
      expect(statements[0]).toHaveLength(1);
    }
  });

  test('is hidden as soon as the link is private', async () => {
    const { alias, id } = await owner.link();
    expect((await open(`/${alias}+`)).status).toBe(200);
    await owner.rest('PATCH', `/links/${id}`, { privacy: 1 });
    for (const process of [server, second]) expect((await open(`/${alias}+`, {}, process)).status).toBe(404);
  });
});

describe('the path of a statistics page', () => {
  test.each([
    ['/page+', 200],
    ['/page+/', 200],
    ['/page%2B', 200],
    ['/page%2b?days=7', 200],
    ['/PAGE+', 404],
    ['/page++', 404],
    // The link itself.
    ['/page%20', 302],
    ['/page+%20', 200],
    ['/+page', 404],
    ['/+', 404],
    ['/page+/more', 404],
    ['/page+%00', 404],
    [`/${'x'.repeat(255)}+`, 404],
  ])('%s is answered with %i', async (path, status) => {
    await owner.rest('POST', '/links', { url: 'https://example.com/', alias: 'page' });
    expect((await open(path)).status).toBe(status);
  });

  test('never collides with an alias', async () => {
    const { status, body } = await owner.rest('POST', '/links', {
      url: 'https://example.com/',
      alias: 'plus+',
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: { alias: expect.anything() } });
  });

  test('answers HEAD with only the headers', async () => {
    const { alias } = await owner.link();
    const [got, head] = [await open(`/${alias}+`), await open(`/${alias}+`, { method: 'HEAD' })];
    expect(head.body).toBe('');
    expect(comparable(head).headers).toEqual(comparable(got).headers);
    expect(head.status).toBe(200);
  });

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('refuses %s', async (method) => {
    const { alias } = await owner.link();
    const { status, headers } = await open(`/${alias}+`, { method });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });

  test('works on its own domain once that is verified', async () => {
    const domain_id = await owner.domain('go.example');
    const { alias } = await owner.link({ domain_id });
    const headers = { 'X-Forwarded-Host': 'go.example' };
    expect((await open(`/${alias}+`, { headers })).status).toBe(404);
    expect((await open(`/${alias}+`)).status).toBe(404);
    await owner.data('mutation ($id: ID!) { verifyDomain(id: $id) { __typename } }', { id: domain_id });
    const data = { verifiedAt: NOON };
    await server.database.prisma.domain.update({ where: { id: domain_id }, data });
    const fresh = await startTestServer({ url: server.databaseUrl, verifiesDomains: true });
    const { status, body } = await open(`/${alias}+`, { headers }, fresh);
    await fresh.stop();
    expect(status).toBe(200);
    expect(body).toContain(`https://go.example/${alias}`);
  });
});

test('is not served, and sends no queries, with PUBLIC_STATISTICS=off', async () => {
  const off = await startTestServer({ url: server.databaseUrl, publicStatistics: false });
  const { alias } = await owner.link(PASSWORD);
  const headers = { Cookie: cookieOf(await open(`/${alias}+`, { form: right })) };
  await open('/never-was', {}, off);
  for (const options of [{}, { headers }, { form: right }]) {
    let answer: Visited | undefined;
    const ask = async () => {
      answer = await open(`/${alias}+`, options, off);
    };
    expect(await off.statementsOf(ask)).toEqual([]);
    expect(answer?.status).toBe(404);
  }
  expect((await open(`/${alias}`, {}, off)).status).toBe(302);
  await off.stop();
});
