import { afterAll, beforeAll, expect, test } from 'vitest';
import { importInto } from '../support/moving.ts';
import { NOON, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const TOTAL = 2_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.caller();
});
afterAll(() => server.stop());

interface Rule {
  readonly longUrl: string;
  readonly priority: number;
  readonly conditions: readonly { type: string; matchKey: string | null; matchValue: string }[];
}

interface Old {
  readonly shortCode: string;
  readonly longUrl: string;
  readonly validSince: string | null;
  readonly rules: readonly Rule[];
}

interface OldVisitor {
  readonly userAgent: string;
  readonly language: string;
  readonly query: Readonly<Record<string, string>>;
}

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
const WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';
const visitors: readonly OldVisitor[] = [
  { userAgent: WINDOWS, language: 'en', query: {} },
  { userAgent: IPHONE, language: 'en', query: { ref: 'mail' } },
  { userAgent: WINDOWS, language: 'de', query: { ref: 'print' } },
];

const codes = [
  (at: number) => `code${at}`,
  (at: number) => `spring/sale-${at}`,
  (at: number) => `grün-${at}`,
  (at: number) => `läden/straße/${at}`,
  (at: number) => `日本/${at}`,
  (at: number) => `🎉${at}`,
];
const to = (name: string) => `https://old.example/${name}`;
const rule = (
  priority: number,
  name: string,
  type: string,
  matchValue: string,
  matchKey: string | null = null,
): Rule => ({
  ...{ priority, longUrl: to(name) },
  conditions: [{ type, matchKey, matchValue }],
});

/** A short URL of the old service: all combinations of names, rules and starts come up. */
function makeOld(at: number): Old {
  const code = codes[at % codes.length] ?? String;
  const sets: readonly (readonly Rule[])[] = [
    [],
    [rule(1, `ios-${at}`, 'device', 'ios'), rule(2, `de-${at}`, 'language', 'de')],
    [rule(1, `mail-${at}`, 'query-param', 'mail', 'ref')],
    [rule(1, `desktop-${at}`, 'device', 'desktop'), rule(2, `print-${at}`, 'query-param', 'print', 'ref')],
  ];
  const starts = [null, '2026-01-01T00:00:00+00:00', null, '2027-01-01T00:00:00+01:00', null];
  return {
    shortCode: code(at),
    longUrl: to(`page-${at}`),
    rules: sets[Math.floor(at / 6) % sets.length] ?? [],
    validSince: starts[Math.floor(at / 24) % starts.length] ?? null,
  };
}

function matches({ conditions }: Rule, { userAgent, language, query }: OldVisitor): boolean {
  return conditions.every(({ type, matchKey, matchValue }) => {
    if (type === 'language') return language === matchValue;
    if (type === 'query-param') return query[matchKey ?? ''] === matchValue;
    return matchValue === 'ios' ? userAgent === IPHONE : userAgent === WINDOWS;
  });
}

/** The `Location` of the old service, which forwards queries; null for a link that has not begun. */
function locate({ longUrl, validSince, rules }: Old, visitor: OldVisitor): string | null {
  if (validSince !== null && new Date(validSince) > NOON) return null;
  const url = new URL(rules.find((one) => matches(one, visitor))?.longUrl ?? longUrl);
  for (const [name, value] of Object.entries(visitor.query)) url.searchParams.set(name, value);
  return url.href;
}

// Slow: it imports and visits 2,000 links.
test('2,000 links of Shlink lead where they led, with slashes, any script, rules and starts', async () => {
  const old = Array.from({ length: TOTAL }, (_, at) => makeOld(at));
  const text = JSON.stringify({
    shortUrls: {
      data: old.map(({ shortCode, longUrl, validSince, rules }) => ({
        ...{ shortCode, longUrl, domain: null, title: null, tags: [], forwardQuery: true },
        ...{ dateCreated: '2025-05-01T12:00:00+00:00', hasRedirectRules: rules.length > 0 },
        meta: { validSince, validUntil: null, maxVisits: null },
      })),
    },
    redirectRules: old.flatMap(({ shortCode, rules }) =>
      rules.length > 0 ? { shortCode, domain: null, redirectRules: rules } : [],
    ),
  });
  expect(await importInto(server, { text }, { format: 'shlink' })).toMatchObject({
    created: TOTAL,
    told: [],
  });
  const wrong: unknown[] = [];
  let next = 0;
  const visitAll = async () => {
    for (let at = next++; at < TOTAL; at = next++) {
      const [one, visitor] = [old[at], visitors[at % visitors.length]];
      if (one === undefined || visitor === undefined) throw new Error('no such visit');
      const path = `/${encodeURI(one.shortCode)}?${new URLSearchParams(visitor.query)}`;
      const headers = { 'User-Agent': visitor.userAgent, 'Accept-Language': visitor.language };
      const { location = null } = await visit(server.origin, path, { headers });
      if (location !== locate(one, visitor)) wrong.push([path, location, locate(one, visitor)]);
    }
  };
  await Promise.all(Array.from({ length: 20 }, visitAll));
  expect(wrong).toEqual([]);
});
