import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newDatabase, settled } from '../support/database.ts';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer({ url: await newDatabase() });
});
beforeEach(async () => {
  await emptyServer(server);
  owner = await server.caller();
});
afterAll(() => server.stop());

const url = 'https://example.com/';
const to = (name: string) => ({ url: `https://example.com/${name}` });

const RULES = `rules { id name
  when { country { in notIn } language { in notIn } platform { in notIn } device { in notIn } browser { in notIn }
    query { name in notIn exists } referrer { in notIn } time { from until } hours { days from to timeZone } }
  to { id name url weight } }
  ruleTests { visitor { country language platform device browser query referrer at userAgent } expect { url rule noRule } }
  ruleWarnings { rule kind message test by }`;
const FIELDS = `__typename ... on Link { id url ${RULES} } ... on ValidationError { fields { path messages reason } }`;

interface Rule {
  id: string;
  name: string;
  when: object[];
  to: { id: string; name: string; url: string; weight: number }[];
}
interface Result {
  __typename: string;
  id: string;
  rules: Rule[];
  ruleTests: { visitor: { at: string }; expect: object }[];
  ruleWarnings: { rule: string | null; kind: string; message: string; test: number | null }[];
  fields?: { path: string[]; messages: string[]; reason: string }[];
}

async function create(input: object): Promise<Result> {
  const query = `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ${FIELDS} } }`;
  return (await owner.data<{ createLink: Result }>(query, { input: { url, ...input } })).createLink;
}

async function update(id: string, input: object): Promise<Result> {
  const query = `mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { ${FIELDS} } }`;
  return (await owner.data<{ updateLink: Result }>(query, { id, input })).updateLink;
}

/** The value without its nulls, as inputs have it. */
function sent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sent);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(entries.map(([name, one]) => [name, sent(one)]));
}

const ids = (rules: readonly Rule[]) =>
  rules.map(({ id, to: targets }) => [id, targets.map((one) => one.id)]);
const paths = ({ fields = [] }: Result) => fields.map(({ path, reason }) => [path.join('.'), reason]);

const everything = [
  {
    when: [
      { country: { in: ['de', 'AT'] } },
      { language: { notIn: ['FR'] } },
      { platform: { in: ['IOS', 'ANDROID'] } },
      { device: { notIn: ['DESKTOP'] } },
      { browser: { in: ['chrome', 'Safari'] } },
      { query: { name: 'ref', in: ['a b', ''] } },
      { referrer: { in: ['News.Example', 'bücher.example'] } },
      { time: { from: '2026-11-01T00:00+01:00', until: '2026-12-01T00:00:00Z' } },
      { hours: { days: ['FRIDAY', 'MONDAY'], from: '09:00', to: '17:30', timeZone: 'europe/berlin' } },
      { query: { name: 'x', exists: false } },
    ],
    to: [{ ...to('a'), weight: 70, name: 'A' }, to('b')],
  },
  { name: 'All', when: [], to: [to('c')] },
];

describe('rules', () => {
  test('read back as they were sent, normalized, and can be sent back', async () => {
    const made = await create({ rules: everything });
    expect(sent(made.rules)).toEqual([
      {
        id: '1',
        name: 'Rule 1',
        when: [
          { country: { in: ['DE', 'AT'] } },
          { language: { notIn: ['fr'] } },
          { platform: { in: ['IOS', 'ANDROID'] } },
          { device: { notIn: ['DESKTOP'] } },
          { browser: { in: ['Chrome', 'Safari'] } },
          { query: { name: 'ref', in: ['a b', ''] } },
          { referrer: { in: ['news.example', 'xn--bcher-kva.example'] } },
          { time: { from: '2026-10-31T23:00:00.000Z', until: '2026-12-01T00:00:00.000Z' } },
          { hours: { days: ['MONDAY', 'FRIDAY'], from: '09:00', to: '17:30', timeZone: 'Europe/Berlin' } },
          { query: { name: 'x', exists: false } },
        ],
        to: [
          { id: '3', name: 'A', url: 'https://example.com/a', weight: 70 },
          { id: '4', name: 'Target 4', url: 'https://example.com/b', weight: 1 },
        ],
      },
      {
        id: '2',
        name: 'All',
        when: [],
        to: [{ id: '5', name: 'Target 5', url: 'https://example.com/c', weight: 1 }],
      },
    ]);
    const again = await update(made.id, { rules: made.rules });
    expect(again.rules).toEqual(made.rules);
    const copy = await create({ rules: made.rules });
    expect(copy.rules).toEqual(made.rules);
  });

  test('keep the name of a zone that has several, and tell the zone by each', async () => {
    const zones = ['Asia/Kolkata', 'Asia/Calcutta', 'us/eastern', 'europe/berlin'];
    const when = (timeZone: string) => [{ hours: { from: '09:00', to: '10:00', timeZone } }];
    const made = await create({
      rules: zones.map((zone) => ({ when: when(zone), to: [to('a')] })),
      ruleTests: [{ visitor: { at: '2026-11-30T03:30:00Z' }, expect: { rule: 'Rule 1' } }],
    });
    const read = made.rules.flatMap(({ when: all }) => sent(all));
    expect(read).toEqual(['Asia/Kolkata', 'Asia/Calcutta', 'us/eastern', 'Europe/Berlin'].flatMap(when));
    expect(made.ruleWarnings).toMatchObject([{ rule: '2', kind: 'DUPLICATE' }]);
  });

  test('keep ids by id and by name, and use none again', async () => {
    const made = await create({
      rules: [
        { name: 'one', when: [], to: [{ name: 'x', ...to('1') }] },
        { name: 'two', when: [], to: [to('2')] },
      ],
    });
    expect(ids(made.rules)).toEqual([
      ['1', ['3']],
      ['2', ['4']],
    ]);
    const named = await update(made.id, {
      rules: [
        { when: [], to: [to('3')] },
        {
          name: 'one',
          when: [],
          to: [
            { name: 'y', ...to('1') },
            { name: 'x', ...to('1') },
          ],
        },
        { id: '2', name: 'renamed', when: [], to: [{ id: '4', ...to('2') }] },
      ],
    });
    expect(ids(named.rules)).toEqual([
      ['5', ['6']],
      ['1', ['7', '3']],
      ['2', ['4']],
    ]);
    expect(named.rules.map(({ name }) => name)).toEqual(['Rule 5', 'one', 'renamed']);
    const cleared = await update(made.id, { rules: null });
    expect(cleared.rules).toEqual([]);
    const later = await update(made.id, { rules: [{ name: 'one', when: [], to: [to('1')] }] });
    expect(ids(later.rules)).toEqual([['8', ['9']]]);
  });

  test('take a default name that no other rule has', async () => {
    const { rules } = await create({
      rules: [
        { when: [], to: [to('1')] },
        { name: 'Rule 1', when: [], to: [to('2')] },
      ],
    });
    expect(rules.map(({ id, name }) => [id, name])).toEqual([
      ['2', 'Rule 2'],
      ['3', 'Rule 1'],
    ]);
  });

  const rule = (part: object) => [{ when: [], to: [to('a')], ...part }];
  const when = (condition: object) => rule({ when: [{ query: { name: 'a', exists: true } }, condition] });
  const many = (count: number) => Array.from({ length: count }, (_, index) => index);
  test.each<[string, unknown[], string, string]>([
    ['a country', when({ country: { in: ['DE', 'ZZ'] } }), 'rules.0.when.1.country.in.1', 'NOT_A_COUNTRY'],
    ['no country', when({ country: { in: [] } }), 'rules.0.when.1.country.in', 'NO_ENTRIES'],
    [
      'a language',
      when({ language: { notIn: ['xx'] } }),
      'rules.0.when.1.language.notIn.0',
      'NOT_A_LANGUAGE',
    ],
    ['a browser', when({ browser: { in: ['Nope'] } }), 'rules.0.when.1.browser.in.0', 'NOT_A_BROWSER'],
    ['a host', when({ referrer: { in: ['a b'] } }), 'rules.0.when.1.referrer.in.0', 'NOT_A_HOST'],
    ['a query test', when({ query: { name: 'a' } }), 'rules.0.when.1.query', 'NOT_EXACTLY_ONE'],
    [
      'two query tests',
      when({ query: { name: 'a', in: ['b'], exists: true } }),
      'rules.0.when.1.query',
      'NOT_EXACTLY_ONE',
    ],
    ['a query name', when({ query: { name: '', exists: true } }), 'rules.0.when.1.query.name', 'BLANK'],
    ['a period', when({ time: {} }), 'rules.0.when.1.time', 'PERIOD_WITHOUT_BORDER'],
    ['a time', when({ time: { from: '2026-12-01' } }), 'rules.0.when.1.time.from', 'NOT_A_TIME'],
    [
      'a clock time',
      when({ hours: { from: '24:00', timeZone: 'UTC' } }),
      'rules.0.when.1.hours.from',
      'NOT_A_CLOCK_TIME',
    ],
    [
      'a zone',
      when({ hours: { timeZone: 'Mars/Base' } }),
      'rules.0.when.1.hours.timeZone',
      'NOT_A_TIME_ZONE',
    ],
    [
      'an offset',
      when({ hours: { timeZone: '+01:00' } }),
      'rules.0.when.1.hours.timeZone',
      'NOT_A_TIME_ZONE',
    ],
    ['a URL', rule({ to: [{ url: 'nowhere' }] }), 'rules.0.to.0.url', 'NOT_A_URL'],
    [
      'a short URL',
      rule({ to: [{ url: 'http://s.example/x' }] }),
      'rules.0.to.0.url',
      'DESTINATION_IS_SHORT_DOMAIN',
    ],
    ['no target', rule({ to: [] }), 'rules.0.to', 'NO_ENTRIES'],
    [
      'a weight',
      rule({ to: [{ ...to('a'), weight: 1001 }] }),
      'rules.0.to.0.weight',
      'NOT_AN_INTEGER_IN_RANGE',
    ],
    [
      'a weight below 0',
      rule({ to: [{ ...to('a'), weight: -1 }] }),
      'rules.0.to.0.weight',
      'NOT_AN_INTEGER_IN_RANGE',
    ],
    ['no weight', rule({ to: [{ ...to('a'), weight: 0 }] }), 'rules.0.to', 'NO_WEIGHT'],
    ['a long name', rule({ name: 'x'.repeat(61) }), 'rules.0.name', 'WRONG_LENGTH'],
    [
      'an equal name of a target',
      rule({
        to: [
          { ...to('a'), name: 'x' },
          { ...to('b'), name: 'x' },
        ],
      }),
      'rules.0.to.1.name',
      'ENTRY_REPEATED',
    ],
    [
      'an equal name of a rule',
      [...rule({ name: 'x' }), ...rule({ name: 'x' })],
      'rules.1.name',
      'ENTRY_REPEATED',
    ],
    ['too many rules', many(21).flatMap(() => rule({})), 'rules', 'TOO_MANY_ENTRIES'],
    [
      'too many conditions',
      rule({ when: many(11).map((n) => ({ query: { name: `q${n}`, exists: true } })) }),
      'rules.0.when',
      'TOO_MANY_ENTRIES',
    ],
    ['too many targets', rule({ to: many(11).map((n) => to(String(n))) }), 'rules.0.to', 'TOO_MANY_ENTRIES'],
    [
      'too many values',
      when({ query: { name: 'a', in: many(101).map(String) } }),
      'rules.0.when.1.query.in',
      'TOO_MANY_ENTRIES',
    ],
    [
      'too much JSON',
      many(10).flatMap((n) => rule({ to: many(10).map((m) => to(`${n}${m}`.padEnd(800, 'x'))) })),
      'rules',
      'RULES_TOO_LARGE',
    ],
  ])('refuse %s', async (_what, rules, path, reason) => {
    const refused = await create({ rules });
    expect(paths(refused)).toEqual([[path, reason]]);
    const { id } = await create({});
    expect(paths(await update(id, { rules }))).toEqual([[path, reason]]);
  });

  test('refuse ids of no rule, and one id twice', async () => {
    const { id } = await create({ rules: [{ when: [], to: [to('a')] }] });
    const one = { when: [], to: [to('a')] };
    expect(paths(await update(id, { rules: [{ id: '7', ...one }] }))).toEqual([
      ['rules.0.id', 'UNKNOWN_RULE'],
    ]);
    expect(
      paths(
        await update(id, {
          rules: [
            { id: '1', ...one },
            { id: '1', ...one },
          ],
        }),
      ),
    ).toEqual([['rules.1.id', 'ENTRY_REPEATED']]);
    expect(
      paths(await update(id, { rules: [{ id: '1', when: [], to: [{ id: '1', ...to('a') }] }] })),
    ).toEqual([['rules.0.to.0.id', 'UNKNOWN_RULE']]);
  });

  test('are fields of changes', async () => {
    const { id } = await create({});
    const rules = [{ when: [], to: [to('a')] }];
    const ruleTests = [{ visitor: {}, expect: { noRule: false } }];
    await update(id, { rules, ruleTests });
    await update(id, { title: 'T' });
    await settled(server.database);
    const { changes } = await owner.data<{ changes: { nodes: { action: string; fields: string[] }[] } }>(
      '{ changes { nodes { action fields } } }',
    );
    expect(changes.nodes.map(({ fields }) => fields).slice(1)).toEqual([['rules', 'ruleTests'], ['title']]);
  });

  test('are compared without ids where links are reused', async () => {
    const rules = [{ when: [{ country: { in: ['DE'] } }], to: [to('a'), to('b')] }];
    const made = await create({ rules: [{ when: [], to: [to('x')] }] });
    await update(made.id, { rules });
    expect(await create({ rules, reuse: true })).toMatchObject({ id: made.id });
    const others = [
      [],
      [{ ...rules[0], name: 'N' }],
      [{ ...rules[0], when: [] }],
      [{ ...rules[0], to: [to('b'), to('a')] }],
    ];
    for (const other of others) expect((await create({ rules: other, reuse: true })).id).not.toBe(made.id);
  });

  test('get the parameters of a UTM template', async () => {
    const { createUtmTemplate: template } = await owner.data<{ createUtmTemplate: { id: string } }>(
      'mutation { createUtmTemplate(input: { name: "T", source: "s" }) { ... on UtmTemplate { id } } }',
    );
    const input = {
      rules: [{ when: [], to: [to('a')] }],
      ruleTests: [{ visitor: {}, expect: to('a') }],
      utmTemplateId: template.id,
    };
    const made = await create(input);
    expect(made.rules[0]?.to[0]?.url).toBe('https://example.com/a?utm_source=s');
    expect(made.ruleTests[0]?.expect).toMatchObject({ url: 'https://example.com/a?utm_source=s' });
    const plain = await create({ ...input, utmOnTargets: false });
    expect(plain.rules[0]?.to[0]?.url).toBe('https://example.com/a');
  });

  test('have tests that expect what a template makes of the URL of the link alone', async () => {
    const { createUtmTemplate: template } = await owner.data<{ createUtmTemplate: { id: string } }>(
      'mutation { createUtmTemplate(input: { name: "Own", source: "s" }) { ... on UtmTemplate { id } } }',
    );
    const utm = { utmTemplateId: template.id, utmOnTargets: false };
    // The rule leads to the same address, which keeps its own.
    const rules = [{ when: [{ country: { in: ['DE'] } }], to: [{ url }] }];
    const ruleTests = [
      { visitor: { country: 'FR' }, expect: { url } },
      { visitor: { country: 'DE' }, expect: { url } },
      { visitor: {}, expect: { noRule: true } },
    ];
    const tagged = { rules, ruleTests };
    const expected = [`${url}?utm_source=s`, url, null].map((one) => ({ expect: { url: one } }));
    const created = await create({ ...tagged, ...utm });
    expect(created).toMatchObject({ ruleTests: expected, ruleWarnings: [] });
    const { id } = await create(tagged);
    const updated = await update(id, utm);
    expect(updated).toMatchObject({ ruleTests: expected, ruleWarnings: [] });
    expect(await update(id, { rules, ruleTests: updated.ruleTests })).toMatchObject({ ruleTests: expected });
    const untargeted = await create({ ruleTests: ruleTests.slice(0, 1), utmTemplateId: template.id });
    expect(untargeted).toMatchObject({ rules: [], ruleTests: expected.slice(0, 1) });
  });

  test('do not grow above their size by a UTM template', async () => {
    const { createUtmTemplate: template } = await owner.data<{ createUtmTemplate: { id: string } }>(
      `mutation { createUtmTemplate(input: { name: "Long", source: "${'s'.repeat(250)}" }) { ... on UtmTemplate { id } } }`,
    );
    const targets = Array.from({ length: 10 }, (_, index) => to(`${index}/${'x'.repeat(150)}`));
    const { id } = await create({ rules: Array.from({ length: 20 }, () => ({ when: [], to: targets })) });
    const refused = await update(id, { utmTemplateId: template.id, utmOnTargets: true });
    expect(refused).toMatchObject({
      __typename: 'ValidationError',
      fields: [{ path: ['rules'], messages: [expect.stringContaining('65536')] }],
    });
    expect(await update(id, { utmTemplateId: template.id, utmOnTargets: false })).toMatchObject({
      __typename: 'Link',
    });
  });
});

describe('tests of rules', () => {
  const rules = [
    { name: 'Germany', when: [{ country: { in: ['DE'] } }], to: [to('de'), to('de2')] },
    { name: 'Phones', when: [{ platform: { in: ['IOS'] } }], to: [to('ios')] },
  ];
  const IPHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

  test('are checked when rules or tests are saved, and keep the time of saving', async () => {
    const ruleTests = [
      { visitor: { country: 'de' }, expect: to('de2') },
      { visitor: { userAgent: IPHONE }, expect: { rule: 'Phones' } },
      { visitor: { userAgent: IPHONE, platform: 'ANDROID' }, expect: { noRule: true } },
    ];
    const made = await create({ rules, ruleTests });
    expect(made).toMatchObject({ __typename: 'Link', ruleWarnings: [] });
    expect(made.ruleTests.map(({ visitor }) => visitor.at)).toEqual(
      ruleTests.map(() => expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)),
    );
    const { ruleTests: stored } = made;
    expect(await update(made.id, { ruleTests: stored })).toMatchObject({ ruleTests: stored });
    const wrong = await update(made.id, { rules: rules.slice(1) });
    expect(paths(wrong)).toEqual([['ruleTests.0', 'RULE_TEST_FAILS']]);
    const failing = [...ruleTests, { visitor: {}, expect: { rule: 'Germany' } }];
    expect(paths(await update(made.id, { ruleTests: failing }))).toEqual([
      ['ruleTests.3', 'RULE_TEST_FAILS'],
    ]);
    expect(paths(await create({ rules, ruleTests: failing }))).toEqual([['ruleTests.3', 'RULE_TEST_FAILS']]);
  });

  test('expect the targets that a visitor can get: none of weight 0, and of a split the first for a bot', async () => {
    const split = [{ name: 'All', when: [], to: [{ ...to('none'), weight: 0 }, to('one'), to('two')] }];
    const check = async (target: string, userAgent?: string) => {
      const ruleTests = [{ visitor: { ...(userAgent && { userAgent }) }, expect: to(target) }];
      return paths(await create({ rules: split, ruleTests }));
    };
    const fails = [['ruleTests.0', 'RULE_TEST_FAILS']];
    expect(await check('none')).toEqual(fails);
    expect([await check('one'), await check('two'), await check('two', IPHONE)]).toEqual([[], [], []]);
    expect([await check('one', 'Googlebot/2.1'), await check('two', 'Googlebot/2.1')]).toEqual([[], fails]);
  });

  test.each(['a=1', '?a=1'])('take the query %s with its question mark or without it', async (query) => {
    const visitor = { query, at: '2026-11-30T12:00:00.000Z' };
    const ruleTests = [{ visitor, expect: { rule: 'A' } }];
    const when = [{ query: { name: 'a', in: ['1'] } }];
    const made = await create({ rules: [{ name: 'A', when, to: [to('a')] }], ruleTests });
    expect(sent(made.ruleTests)).toEqual(ruleTests);
  });

  test('keep their time when they are sent again without one', async () => {
    const ruleTests = [
      { visitor: { country: 'DE' }, expect: { rule: 'Germany' } },
      { visitor: { platform: 'IOS' }, expect: { rule: 'Phones' } },
    ];
    const { id, ruleTests: stored } = await create({ rules, ruleTests });
    server.clock.now = new Date(server.clock.now.getTime() + 1_000);
    const now = server.clock.now.toISOString();
    expect((await update(id, { ruleTests })).ruleTests).toEqual(stored);
    const other = { visitor: { country: 'AT' }, expect: { noRule: true } };
    const { ruleTests: more } = await update(id, { ruleTests: [other, ...ruleTests].reverse() });
    const [first, second] = stored.map(({ visitor: { at } }) => at);
    expect(more.map(({ visitor: { at } }) => at)).toEqual([second, first, now]);
  });

  test('that would take too long are refused before that', async () => {
    const zones = Intl.supportedValuesOf('timeZone').slice(0, 200);
    const many = zones.map((timeZone) => ({ hours: { timeZone } }));
    const costly = Array.from({ length: 20 }, (_, place) => ({
      when: [...many.slice(10 * place, 10 * place + 9), { time: { until: '2020-01-01T00:00:00Z' } }],
      to: [to('a')],
    }));
    const ruleTests = Array.from({ length: 20 }, (_, index) => ({
      visitor: { at: `${2030 + index}-07-01T12:00:00Z` },
      expect: { noRule: true },
    }));
    const refused = await create({ rules: costly, ruleTests });
    expect(paths(refused)).toEqual([['ruleTests.0', 'RULE_TEST_FAILS']]);
    expect(refused.fields?.[0]?.messages).toEqual([
      'fails: the tests take too long to check; have fewer tests, time zones or conditions',
    ]);
    expect(await create({ rules: costly })).toMatchObject({ __typename: 'Link' });
  });

  test('do not stop other writes, and are warned of', async () => {
    const ruleTests = [{ visitor: {}, expect: { url } }];
    const made = await create({ rules, ruleTests });
    const changed = await update(made.id, { url: 'https://example.com/other' });
    expect(changed.ruleWarnings).toEqual([
      expect.objectContaining({
        kind: 'TEST_FAILS',
        rule: null,
        test: 0,
        message: expect.stringContaining('Test 1'),
      }),
    ]);
    const { link, links } = await owner.data<{ link: Result; links: { nodes: Result[] } }>(
      `query ($id: ID!) { link(id: $id) { ${RULES} } links { nodes { ${RULES} } } }`,
      { id: made.id },
    );
    expect(link.ruleWarnings).toEqual(changed.ruleWarnings);
    expect(links.nodes[0]?.ruleWarnings).toBeNull();
    expect(links.nodes[0]?.rules).toEqual(link.rules);
  });
});

describe('inputs with exactly one field', () => {
  const rule = (condition: string) => `{ when: [${condition}], to: [{ url: "https://example.com/" }] }`;
  const document = (condition: string, variables = '') =>
    `mutation${variables} { createLink(input: { url: "https://example.com/", rules: [${rule(condition)}] }) { __typename } }`;

  test.each([
    ['no field', '{}'],
    ['two fields', '{ country: { in: ["DE"] }, language: { in: ["de"] } }'],
    ['a null', '{ country: null }'],
    ['a null beside a field', '{ country: { in: ["DE"] }, language: null }'],
    ['two fields inside', '{ country: { in: ["DE"], notIn: ["AT"] } }'],
    ['no field inside', '{ country: {} }'],
  ])('refuse %s in a document', async (_what, condition) => {
    for (let repetition = 0; repetition < 3; repetition++) {
      const { errors } = await owner.graphql(document(condition));
      expect(errors).toBeDefined();
    }
  });

  const CODES = '{ country: { in: $codes } }';
  test.each<[string, string, object]>([
    [CODES, '($codes: [String!])', {}],
    [CODES, '($codes: [String!])', { codes: null }],
    ['{ country: $choice }', '($choice: CodesInput)', { choice: null }],
    ['{ country: $choice }', '($choice: CodesInput!)', { choice: { in: ['DE'], notIn: ['AT'] } }],
    ['{ country: $choice }', '($choice: CodesInput!)', { choice: { in: null, notIn: null } }],
    ['{ country: $choice }', '($choice: CodesInput!)', { choice: {} }],
    ['$condition', '($condition: RuleConditionInput!)', { condition: {} }],
    ['$condition', '($condition: RuleConditionInput!)', { condition: { country: null } }],
    [
      '$condition',
      '($condition: RuleConditionInput!)',
      { condition: { country: { in: ['DE'] }, device: { in: ['MOBILE'] } } },
    ],
    ['{ country: $choice, language: $choice }', '($choice: CodesInput!)', { choice: { in: ['DE'] } }],
  ])('refuse %s by variables %s %j', async (condition, definition, variables) => {
    for (let repetition = 0; repetition < 3; repetition++) {
      const { errors } = await owner.graphql(document(condition, definition), variables);
      expect(errors).toBeDefined();
    }
  });

  test('take one by variables', async () => {
    for (const choice of [{ in: ['DE'] }, { notIn: ['DE'] }, { in: ['DE'], notIn: null }]) {
      const query = document('{ country: $choice }', '($choice: CodesInput!)');
      expect(await owner.data(query, { choice })).toEqual({ createLink: { __typename: 'Link' } });
    }
    const codes = document('{ country: { in: $codes } }', '($codes: [String!]!)');
    expect(await owner.data(codes, { codes: ['DE'] })).toEqual({ createLink: { __typename: 'Link' } });
  });
});
