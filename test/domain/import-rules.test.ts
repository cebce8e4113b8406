import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readStoredRules, readStoredTests } from '../../src/domain/rule/parse.ts';
import type { StoredCondition } from '../../src/domain/rule/stored.ts';
import type { ImportFormat } from '../../src/domain/transfer/formats.ts';
import { exportOf, importInto } from '../support/moving.ts';
import { type Caller, emptyServer, NOON, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  owner = await server.caller();
});
afterEach(() => emptyServer(server));
afterAll(() => server.stop());

const url = 'https://a.example/';
const to = (name: string) => `https://a.example/${name}`;

/** Imports records as JSON, and returns the rules of the first link with what was told. */
async function imported(format: ImportFormat, content: unknown) {
  const { told, created } = await importInto(server, { text: JSON.stringify(content) }, { format });
  const link = await server.database.prisma.link.findFirst({ orderBy: { id: 'asc' } });
  const rules = link === null ? [] : readStoredRules(link.rules).rules;
  return {
    created,
    link,
    rules: rules.map(({ when, to }) => ({ when, to: to.map((one) => [one.url, one.weight]) })),
    told: told.map(({ column, message }) => `${column} ${message}`),
  };
}

const shlink = (conditions: object[], rest: object = {}) => ({
  longUrl: to('x'),
  priority: 1,
  conditions,
  ...rest,
});
const condition = (type: string, matchValue: string | null, matchKey: string | null = null) => ({
  type,
  matchValue,
  matchKey,
});
const file = (...redirectRules: object[]) => ({
  shortUrls: { data: [{ shortCode: 'a', longUrl: url, domain: null, hasRedirectRules: true }] },
  redirectRules: [{ shortCode: 'a', domain: null, redirectRules }],
});

test.each<[object, StoredCondition]>([
  [condition('device', 'ios'), { platform: { in: ['IOS'] } }],
  [condition('device', 'mobile'), { platform: { in: ['IOS', 'ANDROID'] } }],
  [condition('device', 'linux'), { platform: { in: ['LINUX', 'UBUNTU'] } }],
  [condition('device', 'desktop'), { platform: { in: ['WINDOWS', 'OS_X', 'LINUX', 'UBUNTU', 'CHROME_OS'] } }],
  [condition('language', 'fr'), { language: { in: ['fr'] } }],
  [condition('query-param', 'bar', 'foo'), { query: { name: 'foo', in: ['bar'] } }],
  [condition('any-value-query-param', null, 'foo'), { query: { name: 'foo', exists: true } }],
  [condition('valueless-query-param', null, 'foo'), { query: { name: 'foo', in: [''] } }],
  [condition('geolocation-country-code', 'DE'), { country: { in: ['DE'] } }],
  [condition('before-date', '2027-01-01T00:00:00+01:00'), { time: { until: '2026-12-31T23:00:00.000Z' } }],
  [condition('after-date', '2027-01-01T00:00:00+01:00'), { time: { from: '2026-12-31T23:00:00.000Z' } }],
  [condition('browser', 'edge'), { browser: { in: ['Microsoft Edge'] } }],
])('takes over the condition %j of Shlink', async (given, when) => {
  const { rules, told } = await imported('shlink', file(shlink([given])));
  expect([rules, told]).toEqual([[{ when: [when], to: [[to('x'), 1]] }], []]);
});

test('takes over rules with ids of any kind, and makes them anew', async () => {
  const rules = [
    {
      id: 3,
      when: [],
      to: [
        { id: 7, url },
        { id: 7, url: to('x') },
      ],
    },
    { id: 'a', when: [], to: [{ id: 'b', url }] },
  ];
  const { link, told } = await imported('csv', [{ alias: 'a', url, rules }]);
  expect(told).toEqual([]);
  const stored = readStoredRules(link?.rules ?? '').rules;
  expect(stored.map(({ id, to }) => [id, to.map((one) => one.id)])).toEqual([
    [1, [3, 4]],
    [2, [5]],
  ]);
});

test.each([
  [condition('ip-address', '192.168.1.*'), 'there is no condition like ip-address with 192.168.1.* here'],
  [
    condition('geolocation-city-name', 'Berlin'),
    'there is no condition like geolocation-city-name with Berlin here',
  ],
  [condition('language', 'en-US'), 'there is no condition like language with en-US here'],
  [condition('device', 'watch'), 'there is no condition like device with watch here'],
  [condition('weather', 'rain'), 'there is no condition like weather with rain here'],
  [condition('language', 'xx'), 'when.1.language.in.0 must be an ISO 639-1 code'],
  [condition('before-date', 'soon'), 'when.1.time.until must'],
])('leaves out a rule of Shlink with the condition %j, and reports it', async (given, why) => {
  const { rules, told, created } = await imported(
    'shlink',
    file(
      shlink([condition('device', 'ios'), given]),
      shlink([condition('device', 'android')], { longUrl: to('y') }),
    ),
  );
  expect(created).toBe(1);
  expect(rules).toEqual([{ when: [{ platform: { in: ['ANDROID'] } }], to: [[to('y'), 1]] }]);
  expect(told).toEqual([expect.stringContaining(`redirectRules is imported without the rule 1: ${why}`)]);
});

test('leaves out a rule of Shlink without conditions, since it leads nobody there', async () => {
  const { rules, told } = await imported('shlink', file(shlink([])));
  expect([rules, told]).toEqual([
    [],
    ['redirectRules is imported without the rule 1: Shlink leads nobody by a rule without conditions'],
  ]);
});

test('leaves out a rule of Shlink that leads to an app, and the rules beyond the limit', async () => {
  const all = Array.from({ length: 22 }, (_, index) =>
    shlink([condition('query-param', `${index}`, 'q')], { priority: index }),
  );
  const { rules, told } = await imported(
    'shlink',
    file(...all, shlink([condition('device', 'ios')], { longUrl: 'app://x' })),
  );
  expect(rules.length).toBe(20);
  expect(told).toEqual([
    expect.stringMatching(/without the rule 23: to\.0\.url must be/),
    'redirectRules is imported without the rule 21: a link has at most 20 rules',
    'redirectRules is imported without the rule 22: a link has at most 20 rules',
  ]);
});

test.each([
  ['before', true],
  ['behind', false],
])('orders the rules of Shlink by their priority, which stand %s the short URLs', async (_where, isFirst) => {
  const { shortUrls, redirectRules } = file(
    shlink([condition('device', 'ios')], { priority: 2 }),
    shlink([condition('device', 'android')], { priority: 1 }),
  );
  const { rules } = await imported(
    'shlink',
    isFirst ? { redirectRules, shortUrls } : { shortUrls, redirectRules },
  );
  expect(rules.map(({ when }) => when)).toEqual([
    [{ platform: { in: ['ANDROID'] } }],
    [{ platform: { in: ['IOS'] } }],
  ]);
});

test('reads a list of short URLs of Shlink, and rules of the short URL on the same domain alone', async () => {
  const rules = [shlink([condition('device', 'ios')])];
  const { link, told } = await imported('shlink', {
    shortUrls: [
      { shortCode: 'a', longUrl: url, domain: null, hasRedirectRules: false },
      { shortCode: 'b', longUrl: url, domain: 'go.example', hasRedirectRules: true },
    ],
    redirectRules: [
      { shortCode: 'a', domain: 'go.example', redirectRules: rules },
      { shortCode: 'b', domain: 'go.example', redirectRules: rules },
    ],
  });
  expect(told).toEqual([]);
  expect(readStoredRules(link?.rules ?? '').rules).toEqual([]);
  const other = await server.database.prisma.link.findFirstOrThrow({ where: { alias: 'b' } });
  expect(readStoredRules(other.rules).rules).toHaveLength(1);
});

test('says of a short URL of Shlink whose rules are not in the file that it has some', async () => {
  const { told } = await imported('shlink', { ...file(), redirectRules: [] });
  expect(told).toEqual([expect.stringContaining('has redirect rules, which are not in the file')]);
});

test('joins short URLs of Shlink and their rules in a text of the API, too', async () => {
  const text = JSON.stringify(
    file(shlink([condition('device', 'ios')]), shlink([condition('ip-address', '::1')])),
  );
  const { importLinks } = await owner.data<{ importLinks: { results: object[] } }>(
    'mutation ($text: String!) { importLinks(text: $text, format: SHLINK) { results { status reason link { rules { name } } } } }',
    { text },
  );
  expect(importLinks.results).toEqual([
    {
      status: 'CREATED',
      reason: expect.stringContaining('imported without the rule 2: there is no condition like ip-address'),
      link: { rules: [{ name: 'Rule 1' }] },
    },
  ]);
});

const dub = (fields: object) => [{ domain: 'go.example', key: 'a', url, ...fields }];
const later = '2027-01-01T00:00:00.000Z';
const variants = [
  { url: to('a'), percentage: 70 },
  { url: to('b'), percentage: 30 },
];
const split = [
  [to('a'), 70],
  [to('b'), 30],
];
const ios: StoredCondition[] = [{ platform: { in: ['IOS'] } }];
const android: StoredCondition[] = [{ platform: { in: ['ANDROID'] } }];

test('leads visitors of Dub by platform, then by country, then by the test', async () => {
  const { link, rules, told } = await imported(
    'dub',
    dub({
      ios: to('ios'),
      android: to('android'),
      geo: { DE: to('de') },
      testVariants: variants,
      testCompletedAt: later,
    }),
  );
  expect(rules).toEqual([
    { when: ios, to: [[to('ios'), 1]] },
    { when: android, to: [[to('android'), 1]] },
    { when: [{ time: { until: later } }, { country: { notIn: ['DE'] } }], to: split },
  ]);
  expect(link).toMatchObject({ targetType: 'COUNTRY', platforms: '[]' });
  expect(told.filter((one) => !one.startsWith('null'))).toEqual([]);
});

test.each<[string, object, string, StoredCondition[][]]>([
  ['platforms', { ios: to('ios') }, 'PLATFORM', []],
  ['countries', { geo: { DE: to('de') } }, 'COUNTRY', []],
  ['both', { ios: to('ios'), geo: { DE: to('de') } }, 'COUNTRY', [ios]],
  ['a test', { testVariants: variants, testCompletedAt: later }, 'NONE', [[{ time: { until: later } }]]],
  [
    'platforms and a test',
    { android: to('android'), testVariants: variants, testCompletedAt: later },
    'NONE',
    [android, [{ time: { until: later } }]],
  ],
])(
  'uses rules for %s of Dub only where targeting is not enough',
  async (_what, fields, targetType, whens) => {
    const { link, rules } = await imported('dub', dub(fields));
    expect(link).toMatchObject({ targetType });
    expect(rules.map(({ when }) => when)).toEqual(whens);
  },
);

test.each([
  [{ testVariants: variants, testCompletedAt: NOON.toISOString() }, 'it is over'],
  [{ testVariants: variants }, 'it has no end, and Dub does not run it'],
  [{ testVariants: variants.slice(1), testCompletedAt: later }, 'it has a single variant'],
])('leaves out the test %j of Dub, and reports it', async (fields, why) => {
  const { rules, told } = await imported('dub', dub(fields));
  expect([rules, told]).toEqual([[], [`testVariants is not imported: ${why}`]]);
});

test('leaves out a rule of Dub that leads to an app', async () => {
  const { rules, told } = await imported('dub', dub({ ios: 'app://x', geo: { DE: to('de') } }));
  expect(rules).toEqual([]);
  expect(told).toEqual([expect.stringMatching(/^ios is imported without the rule iOS: to\.0\.url must be/)]);
});

test.each([
  ['dub', { ios: 'app://x', android: to('android') }, 'ios'],
  ['shlink', { deviceLongUrls: { ios: 'app://x', android: to('android') } }, 'deviceLongUrls.ios'],
] as const)(
  'leaves out a target of %s that is an app, and keeps the others',
  async (format, fields, column) => {
    const { link, rules, told } = await imported(format, [
      format === 'dub'
        ? { domain: 'go.example', key: 'a', url, ...fields }
        : { shortUrl: 'https://go.example/a', shortCode: 'a', longUrl: url, ...fields },
    ]);
    expect(rules).toEqual([]);
    expect(link).toMatchObject({
      targetType: 'PLATFORM',
      platforms: JSON.stringify([{ platform: 'ANDROID', url: to('android') }]),
    });
    expect(told).toEqual([
      expect.stringMatching(new RegExp(`^${column} is imported without this target: must be`)),
    ]);
  },
);

test.each(['csv', 'json'] as const)('rules and tests are the same after an export as %s', async (format) => {
  const rules = [
    {
      name: '=Offer',
      when: [{ time: { until: later } }, { query: { name: 'a', in: ['="', ','] } }],
      to: [{ url: to('x') }],
    },
    {
      when: [],
      to: [
        { name: 'One', url: to('1'), weight: 7 },
        { url: to('2'), weight: 0 },
      ],
    },
  ];
  const ruleTests = [{ visitor: { query: 'a=,' }, expect: { rule: '=Offer' } }];
  await owner.data(
    'mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { id } ... on Error { message } } }',
    { input: { url, alias: 'a', rules, ruleTests } },
  );
  const read = () => server.database.prisma.link.findFirstOrThrow();
  const before = await read();
  const text = await exportOf(server, format);
  await server.database.prisma.link.deleteMany();
  expect(await importInto(server, { text })).toMatchObject({ created: 1, told: [] });
  const after = await read();
  expect(readStoredRules(before.rules).rules).toHaveLength(2);
  expect(after.rules).toBe(before.rules);
  expect(readStoredTests(after.ruleTests)).toEqual(readStoredTests(before.ruleTests));
});

test('a test of rules that fails is left out, and not its link', async () => {
  const record = {
    ...{ kind: 'link', alias: 'a', url },
    rules: [{ name: 'Germany', when: [{ country: { in: ['DE'] } }], to: [{ url: to('de') }] }],
    rule_tests: [
      { visitor: { country: 'DE' }, expect: { rule: 'Austria' } },
      { visitor: { country: 'DE' }, expect: { rule: 'Germany' } },
    ],
  };
  const { created, told, link } = await imported('csv', { data: [record] });
  expect([created, told]).toEqual([
    1,
    ['rule_tests is imported without test 1, which fails: the rule "Germany" leads'],
  ]);
  expect(readStoredTests(link?.ruleTests ?? '')).toMatchObject([{ expect: { rule: 'Germany' } }]);
});

test.each([
  ['rules', [{ when: [{ country: { in: ['QQ'] } }], to: [{ url }] }], 'must be an ISO 3166-1 alpha-2 code'],
  ['rules', 'x', 'must be a list in JSON'],
  ['rules', Array(21).fill({ when: [], to: [{ url }] }), 'at most 20'],
  ['rule_tests', [{ visitor: {}, expect: {} }], 'must have exactly one of'],
])('wrong %s of our own format refuse the line: %#', async (column, value, message) => {
  const { created, told } = await imported('csv', {
    data: [{ kind: 'link', alias: 'a', url, [column]: value }],
  });
  expect([created, told]).toEqual([0, [expect.stringContaining(message)]]);
  expect(told[0]).toMatch(new RegExp(`^${column} `));
});
