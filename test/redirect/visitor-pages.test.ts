import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keysOf } from '../../src/engine/tools/keys-of.ts';
import { messagePage } from '../../src/redirect/pages.ts';
import { en } from '../../src/redirect/translations/en.ts';
import { signedIn } from '../support/person.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { type VisitOptions, visit } from '../support/visit.ts';

const SLACK = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const BRAND = '<bdi>Lindenhof</bdi>';

let server: TestServer;
let owner: Caller;
/** The hosts: that of the service, and a domain of the only account. */
const HOSTS = ['s.example', 'own.example'];
const domains = new Map<string, string>();
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller('only');
  domains.set('own.example', String(await owner.domain('own.example')));
  const { id } = await server.database.prisma.account.findFirstOrThrow();
  const person = await signedIn(server, id, 'OWNER');
  await person.graphql(
    'mutation { updateAccount(input: { brand: { name: "Lindenhof", helpUrl: "https://help.example/" } }) { __typename } }',
  );
});
afterAll(() => server.stop());

/** Creates a link on a host, and returns its path. */
async function create(host: string, input: object): Promise<string> {
  const domainId = domains.get(host);
  const { createLink } = await owner.data<{ createLink: { alias: string } }>(
    'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { alias } } }',
    { input: { url: 'https://example.com/', ...(domainId && { domainId }), ...input } },
  );
  return `/${createLink.alias}`;
}

/** The paths of the service that a page loads or leads to, and words that only developers need. */
function ownPathsIn(body: string): { paths: string[]; words: string[] } {
  const addresses = Array.from(
    body
      .replace('<base href="/">', '')
      .matchAll(/\s(?:href|src|action)="(?:https?:\/\/(?:s|own)\.example)?(\/[^"]*)"/g),
    ([, path = '']) => path,
  );
  const shown = body.replace(/<style.*?<\/style>/gs, '');
  return {
    paths: [...new Set(addresses)].sort(),
    words: shown.match(/[Gg]raphi?(QL|ql)|REST API|[Oo]pen[Aa][Pp][Ii]|schema|livez|readyz|\/docs/g) ?? [],
  };
}

interface VisitorPage extends VisitOptions {
  path(host: string): string | Promise<string>;
  readonly status: number;
  /** True for the pages of programs, which have no brand. */
  readonly isPlain?: boolean;
}

const secret = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'password=wrong' };

const pages: Readonly<Record<string, VisitorPage>> = {
  'of an unknown link': { path: () => '/unknown', status: 404 },
  'of a disabled link': { path: (host) => create(host, { disabled: true }), status: 410 },
  'of an expired link': {
    path: (host) => create(host, { expiration: { at: '2026-01-01T00:00Z' } }),
    status: 410,
  },
  'for a password': { path: (host) => create(host, { password: 'secret' }), status: 401 },
  'after a wrong password': {
    path: (host) => create(host, { password: 'secret' }),
    status: 401,
    ...{ method: 'POST', ...secret },
  },
  'with pixels': {
    path: async (host) => create(host, { pixelIds: [String(await owner.pixel())] }),
    status: 200,
  },
  'of statistics': { path: async (host) => `${await create(host, { privacy: 'PUBLIC' })}+`, status: 200 },
  'for the password of statistics': {
    path: async (host) => `${await create(host, { privacy: 'PASSWORD', privacyPassword: 'secret' })}+`,
    status: 401,
  },
  'of private statistics': {
    path: async (host) => `${await create(host, { privacy: 'PRIVATE' })}+`,
    status: 404,
  },
  'for bots of a link with a limit': {
    path: (host) => create(host, { expiration: { clicks: 9 } }),
    status: 200,
    ...{ headers: { 'User-Agent': SLACK }, isPlain: true },
  },
  'with a preview': {
    path: (host) => create(host, { preview: { title: 'Shoes' } }),
    status: 200,
    ...{ headers: { 'User-Agent': SLACK }, isPlain: true },
  },
  'at the root': { path: () => '/', status: 200 },
};

describe.each(HOSTS)('the page on %s', (host) => {
  test.each(Object.entries(pages))(
    '%s leads to no page for developers, and shows the brand of the account',
    async (_, { path, status, isPlain, headers, ...options }) => {
      const asked = await path(host);
      const page = await visit(server.origin, asked, { ...options, headers: { Host: host, ...headers } });
      expect([page.status, page.headers['x-robots-tag']]).toEqual([status, 'noindex']);
      const statistics = asked.endsWith('+') && status === 200 ? [asked.slice(0, -1)] : [];
      const console = host === 's.example' && asked === '/' ? ['/console'] : [];
      expect(ownPathsIn(page.body)).toEqual({
        paths: [...statistics, ...console, '/favicon.ico'].sort(),
        words: [],
      });
      expect([page.body.includes(BRAND), page.body.includes('Linkspace</span>')]).toEqual([
        !isPlain,
        isPlain === true,
      ]);
      expect(page.body.includes('href="https://help.example/"')).toBe(!isPlain);
    },
  );
});

test.each(keysOf(en.messages))('the message %s leads to no page of the service', (message) => {
  expect(ownPathsIn(messagePage(message, 'en').html)).toEqual({ paths: ['/favicon.ico'], words: [] });
});

describe('the start page', () => {
  const open = async (at: TestServer, language = 'en') =>
    visit(at.origin, '/', { headers: { Host: 's.example', 'Accept-Language': language } });
  const textsIn = (body: string) => Array.from(body.matchAll(/<(?:h1|h2|b)>([^<]+)</g), ([, text]) => text);

  test.each([
    ['en', ['Short links', 'Open the console', 'See the statistics of a link']],
    ['de', ['Kurzlinks', 'Konsole öffnen', 'Die Statistik eines Links sehen']],
    ['fr', ['Liens courts', 'Ouvrir la console', 'Voir les statistiques d’un lien']],
    ['es', ['Enlaces cortos', 'Abrir la consola', 'Ver las estadísticas de un enlace']],
  ])('speaks the language of the visitor: %s', async (language, texts) => {
    const { body, headers } = await open(server, language);
    expect([body.includes(`<html lang="${language}">`), textsIn(body)]).toEqual([true, texts]);
    expect(headers['cache-control']).toBe('private, no-store');
  });

  test.each([
    [{ console: false }, ['See the statistics of a link']],
    [{ publicStatistics: false }, ['Open the console']],
    [{ console: false, publicStatistics: false }, []],
  ])('has nothing that is off: %j', async (options, cards) => {
    const closed = await startTestServer(options);
    const { body } = await open(closed);
    await closed.stop();
    expect(textsIn(body)).toEqual(['Short links', ...cards]);
    expect(body.includes('<ul')).toBe(cards.length > 0);
  });

  test('shows the mark of the service beside several accounts', async () => {
    const shared = await startTestServer();
    const { id } = await (await shared.caller('first')).link();
    expect(id).toBeGreaterThan(0);
    const account = await shared.database.prisma.account.findFirstOrThrow();
    const person = await signedIn(shared, account.id, 'OWNER');
    await person.graphql(
      'mutation { updateAccount(input: { brand: { name: "Lindenhof" } }) { __typename } }',
    );
    const alone = await open(shared);
    await shared.caller('second');
    const other = await startTestServer({ url: shared.databaseUrl });
    const both = await open(other);
    await other.stop();
    await shared.stop();
    expect(
      [alone, both].map(({ body }) => [body.includes(BRAND), body.includes('Linkspace</span>')]),
    ).toEqual([
      [true, false],
      [false, true],
    ]);
  });
});
