import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';
import { BROWSER, visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
});
afterAll(() => server.stop());

const query = `query ($input: ExplainRedirectInput!) {
  explainRedirect(input: $input) { outcome destination steps { rule applied why } }
}`;

interface Explained {
  outcome: string;
  destination: string | null;
  steps: { rule: string; applied: boolean; why: string }[];
}

async function explain(input: object, caller = owner): Promise<Explained> {
  return (await caller.data<{ explainRedirect: Explained }>(query, { input })).explainRedirect;
}

const notReached = (...rules: string[]) =>
  rules.map((rule) => ({ rule, applied: false, why: 'Not reached.' }));

test('explains what a visitor gets, rule by rule', async () => {
  const { id } = await owner.link({
    password: 'x',
    target_type: 1,
    'country[0][key]': 'DE',
    'country[0][value]': 'https://example.com/de',
    pixel_ids: await owner.pixel(),
  });
  const input = { linkId: String(id), country: 'de', userAgent: BROWSER, query: 'utm=1', password: 'x' };
  expect(await explain(input)).toEqual({
    outcome: 'REDIRECT',
    destination: 'https://example.com/de?utm=1',
    steps: [
      { rule: 'EXISTS', applied: false, why: 'The link exists.' },
      { rule: 'STARTS', applied: false, why: 'It has no start.' },
      { rule: 'PATH', applied: false, why: 'The path is that of the link.' },
      { rule: 'DISABLED', applied: false, why: 'It is enabled.' },
      { rule: 'BLOCKED', applied: false, why: 'It leads to no blocked host.' },
      { rule: 'EXPIRED', applied: false, why: 'It has not expired.' },
      { rule: 'PREVIEW', applied: false, why: 'It has no preview.' },
      { rule: 'PASSWORD', applied: false, why: 'The right password was given.' },
      { rule: 'CLICK_LIMIT', applied: false, why: 'It has no click limit.' },
      { rule: 'TARGETING', applied: true, why: 'The visitor is in DE, which is listed.' },
      { rule: 'LOOP', applied: false, why: 'It does not lead back to itself.' },
      { rule: 'PIXELS', applied: false, why: 'The visitor gave a password, and is sent on at once.' },
    ],
  });
  expect(await explain({ ...input, password: 'y' })).toMatchObject({
    outcome: 'PASSWORD',
    destination: null,
  });
});

test('explains a visit at another time', async () => {
  const { id } = await owner.link({
    expiration_date: '2027-01-01',
    expiration_url: 'https://example.com/über',
  });
  const linkId = String(id);
  expect(await explain({ linkId })).toMatchObject({
    outcome: 'REDIRECT',
    destination: 'https://example.com/',
  });
  expect(await explain({ linkId, at: '2027-01-01T01:00+01:00' })).toEqual({
    outcome: 'EXPIRED',
    destination: 'https://example.com/%C3%BCber',
    steps: [
      { rule: 'EXISTS', applied: false, why: 'The link exists.' },
      { rule: 'STARTS', applied: false, why: 'It has no start.' },
      { rule: 'PATH', applied: false, why: 'The path is that of the link.' },
      { rule: 'DISABLED', applied: false, why: 'It is enabled.' },
      { rule: 'BLOCKED', applied: false, why: 'It leads to no blocked host.' },
      { rule: 'EXPIRED', applied: true, why: 'It expired at 2027-01-01T00:00:00.000Z.' },
      ...notReached('PREVIEW', 'PASSWORD', 'CLICK_LIMIT', 'TARGETING', 'LOOP', 'PIXELS'),
    ],
  });
});

test.each([
  ['a link of another account', async () => String((await (await server.caller('stranger')).link()).id)],
  ['a link that is not there', async () => '99999'],
])('returns NOT_FOUND for %s', async (_what, linkId) => {
  expect(await explain({ linkId: await linkId() })).toEqual({
    outcome: 'NOT_FOUND',
    destination: null,
    steps: [
      { rule: 'EXISTS', applied: true, why: 'Your account has no link with this id.' },
      ...notReached(
        'STARTS',
        'PATH',
        'DISABLED',
        'BLOCKED',
        'EXPIRED',
        'PREVIEW',
        'PASSWORD',
        'CLICK_LIMIT',
        'TARGETING',
        'LOOP',
        'PIXELS',
      ),
    ],
  });
});

test('refuses an invalid time', async () => {
  const { errors } = await owner.graphql(query, { input: { linkId: '1', at: 'tomorrow' } });
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION', fields: [{ path: ['input', 'at'] }] } }]);
});

test('reports that pixels are fired', async () => {
  const { id } = await owner.link({ pixel_ids: await owner.pixel() });
  expect(await explain({ linkId: String(id), userAgent: BROWSER })).toMatchObject({
    outcome: 'PIXELS',
    steps: expect.arrayContaining([{ rule: 'PIXELS', applied: true, why: 'It has a pixel.' }]),
  });
});

test.each(['curl/8.5.0', 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)', ''])(
  'does not reveal the destination of a link with a click limit to the program "%s"',
  async (userAgent) => {
    const { id } = await owner.link({ expiration_clicks: 1 });
    expect(await explain({ linkId: String(id), userAgent })).toMatchObject({
      outcome: 'PREVIEW',
      destination: null,
      steps: expect.arrayContaining([expect.objectContaining({ rule: 'CLICK_LIMIT', applied: true })]),
    });
  },
);

test.each([{}, { userAgent: BROWSER }])(
  'reveals the destination of a link with a click limit to a person: %j',
  async (visitor) => {
    const { id } = await owner.link({ expiration_clicks: 1 });
    expect((await explain({ linkId: String(id), ...visitor })).outcome).toBe('REDIRECT');
  },
);

test('imagines a browser of an unknown system where no user agent is given', async () => {
  const { id } = await owner.link({
    target_type: 2,
    'platform[0][key]': 'iOS',
    'platform[0][value]': 'https://example.com/ios',
    pixel_ids: await owner.pixel(),
  });
  expect(await explain({ linkId: String(id) })).toMatchObject({
    outcome: 'PIXELS',
    steps: expect.arrayContaining([
      { rule: 'TARGETING', applied: false, why: "The visitor's operating system is not known." },
    ]),
  });
});

test.each([
  ['userAgent', 1_000],
  ['acceptLanguage', 1_000],
  ['query', 2_048],
  ['password', 128],
])('refuses a %s that is too long', async (field, max) => {
  const input = { linkId: '1', [field]: 'x'.repeat(max + 1) };
  const { errors } = await owner.graphql(query, { input });
  const values = [
    { name: 'max', value: String(max) },
    { name: 'length', value: String(max + 1) },
  ];
  const messages = [`may have at most ${max} characters, not ${max + 1}`];
  expect(errors?.[0]?.extensions).toEqual({
    code: 'VALIDATION',
    fields: [
      {
        ...{ path: ['input', field], messages, rule: 'MAX_LENGTH_GIVEN', values },
        ...{ reason: 'TOO_LONG', reasonValues: values },
      },
    ],
  });
});

test('counts the letters of a password after composing them, as when it is set', async () => {
  const { id } = await owner.link({ password: 'e\u0301'.repeat(128) });
  const explained = await explain({ linkId: String(id), password: 'e\u0301'.repeat(128) });
  expect(explained.outcome).toBe('REDIRECT');
});

test('accepts a time surrounded by white space', async () => {
  const { id } = await owner.link({ expiration_date: '2027-01-01' });
  expect((await explain({ linkId: String(id), at: ' 2027-01-01T00:00Z ' })).outcome).toBe('EXPIRED');
});

test('predicts the URL of a rotation for visits that are not counted', async () => {
  const { id, alias } = await owner.link({
    target_type: 4,
    'rotation[0][value]': 'https://example.com/1',
    'rotation[1][value]': 'https://example.com/2',
  });
  const userAgent = 'Googlebot/2.1';
  for (const expected of ['1', '2', '1', '2']) {
    const explained = await explain({ linkId: String(id), userAgent });
    expect((await visit(server.origin, `/${alias}`, { headers: { 'User-Agent': userAgent } })).location).toBe(
      explained.destination,
    );
    const counted = await explain({ linkId: String(id) });
    expect(counted.destination).toBe(`https://example.com/${expected}`);
    expect((await visit(server.origin, `/${alias}`)).location).toBe(counted.destination);
  }
});

test('counts nothing, and predicts the real visit', async () => {
  const { id, alias } = await owner.link({
    expiration_clicks: 1,
    target_type: 4,
    'rotation[0][value]': 'https://example.com/1',
    'rotation[1][value]': 'https://example.com/2',
  });
  for (let i = 0; i < 3; i++)
    expect((await explain({ linkId: String(id) })).destination).toBe('https://example.com/1');
  expect((await visit(server.origin, `/${alias}`)).location).toBe('https://example.com/1');
  expect(await explain({ linkId: String(id) })).toMatchObject({
    outcome: 'EXPIRED',
    steps: expect.arrayContaining([
      { rule: 'EXPIRED', applied: true, why: 'Its 1 clicks have reached the limit of 1.' },
    ]),
  });
});

test.each([
  ['iw-IL, en;q=0.5', 'he', 'of the listed languages, he suits best: it matches iw.'],
  ['nb-NO, en;q=0.5', 'no', 'of the listed languages, no suits best: it matches nb.'],
  ['no, he;q=0.5', 'no', 'of the listed languages, no suits best.'],
  ['*', 'he', 'of the listed languages, he suits best.'],
  ['fi', '', 'no listed language suits.'],
])('explains the language of a visitor who prefers %s', async (acceptLanguage, path, why) => {
  const { id } = await owner.link({
    target_type: 3,
    'language[0][key]': 'he',
    'language[0][value]': 'https://example.com/he',
    'language[1][key]': 'no',
    'language[1][value]': 'https://example.com/no',
  });
  const { destination, steps } = await explain({ linkId: String(id), acceptLanguage });
  expect(destination).toBe(`https://example.com/${path}`);
  const { why: said } = steps.find(({ rule }) => rule === 'TARGETING') ?? {};
  expect(said).toBe(`The visitor prefers "${acceptLanguage}", and ${why}`);
});

describe('a path', () => {
  const outcomeOf = async (linkId: number, path: string) => {
    const told = await explain({ linkId: String(linkId), path });
    const { outcome, destination, steps } = told as {
      outcome: string;
      destination: string | null;
      steps: { rule: string; applied: boolean; why: string }[];
    };
    return [outcome, destination, steps.find(({ rule, applied }) => rule === 'PATH' && applied)?.why ?? null];
  };

  test('is forwarded, or leads to another link, or to none', async () => {
    const { createDomain } = await owner.data<{ createDomain: { id: string } }>(
      'mutation { createDomain(input: { name: "paths.example", forwardsPath: true }) { ... on Domain { id } } }',
    );
    const domain_id = createDomain.id;
    const guide = await owner.link({ domain_id, alias: 'guide', url: 'https://example.com/docs?a=1' });
    await owner.link({ domain_id, alias: 'guide/api' });
    const leads = (path: string) => outcomeOf(guide.id, path);
    const plain = ['REDIRECT', 'https://example.com/docs?a=1', null];
    expect([await leads('/guide'), await leads('guide/'), await leads('/guide.?x')]).toEqual([
      plain,
      plain,
      plain,
    ]);
    expect(await leads('/guide/a b/ä')).toEqual([
      ...['REDIRECT', 'https://example.com/docs/a%20b/%C3%A4?a=1'],
      'The rest of the path, "/a b/ä", goes on to the destination.',
    ]);
    expect(await leads('/guide/api/x')).toEqual([
      'NOT_FOUND',
      null,
      'This path leads to another link, guide/api.',
    ]);
    for (const path of ['/other', '/guide/../a', '/guide/a+', '/'])
      expect(await leads(path)).toEqual(['NOT_FOUND', null, 'No link has this path.']);
    const shared = await owner.link({ alias: 'guide' });
    expect(await outcomeOf(shared.id, '/guide/a')).toEqual(['NOT_FOUND', null, 'No link has this path.']);
  });
});

describe('a draft', () => {
  const draftQuery = `query ($input: ExplainRedirectInput!) {
    explainRedirect(input: $input) {
      outcome destination steps { rule applied linkRule { ruleId name shares { targetId share } } }
      ruleWarnings { kind rule by test }
    }
  }`;
  interface Drafted extends Explained {
    steps: (Explained['steps'][number] & { linkRule: { ruleId: string; name: string } | null })[];
    ruleWarnings: object[];
  }
  const ask = async (input: object, caller = owner) =>
    (await caller.data<{ explainRedirect: Drafted }>(draftQuery, { input })).explainRedirect;
  const leading = ({ steps }: Drafted) =>
    steps.find(({ rule, applied }) => rule === 'RULE' && applied)?.linkRule;
  const japan = {
    name: 'Japan',
    when: [{ country: { in: ['JP'] } }],
    to: [{ url: 'https://example.com/jp' }],
  };
  const split = {
    when: [],
    to: [
      { name: 'A', url: 'https://example.com/a', weight: 70 },
      { name: 'B', url: 'https://example.com/b', weight: 30 },
    ],
  };
  async function ruled(): Promise<string> {
    const { id } = await owner.link();
    await owner.data(
      'mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { ... on Link { id } } }',
      {
        id,
        input: { rules: [japan], ruleTests: [{ visitor: { country: 'JP' }, expect: { rule: 'Japan' } }] },
      },
    );
    return String(id);
  }
  const storedOf = (id: string, caller = owner) =>
    caller.data('query ($id: ID!) { link(id: $id) { url rules { id name } updatedAt } }', { id });

  test('stands for the parts of the link in this question alone', async () => {
    const linkId = await ruled();
    const before = await storedOf(linkId);
    expect(leading(await ask({ linkId, country: 'JP' }))).toMatchObject({ ruleId: '1', name: 'Japan' });
    // Kept rules have their ids, and new ones those that a save would give them.
    const drafted = await ask({ linkId, country: 'DE', rules: [{ ...japan, id: '1' }, split] });
    expect(leading(drafted)).toMatchObject({
      ...{ ruleId: '3', name: 'Rule 3' },
      shares: [
        { targetId: '5', share: 0.7 },
        { targetId: '6', share: 0.3 },
      ],
    });
    expect((await ask({ linkId, country: 'JP', rules: [] })).destination).toBe('https://example.com/');
    expect((await ask({ linkId, country: 'JP', rules: null })).destination).toBe('https://example.com/');
    const other = { linkId, url: 'https://example.com/other' };
    expect((await ask(other)).destination).toBe('https://example.com/other');
    const targeting = { type: 'COUNTRY', countries: [{ country: 'DE', url: 'https://example.com/de' }] };
    expect((await ask({ ...other, country: 'DE', targeting })).destination).toBe('https://example.com/de');
    expect(await storedOf(linkId)).toEqual(before);
  });

  test('has the warnings that the link would have', async () => {
    const linkId = await ruled();
    expect((await ask({ linkId })).ruleWarnings).toEqual([]);
    const { ruleWarnings } = await ask({
      linkId,
      rules: [split, japan, { ...japan, name: 'Again', when: [...japan.when, ...japan.when] }],
    });
    expect(ruleWarnings).toEqual([
      { kind: 'UNREACHABLE', rule: '1', by: '3', test: null },
      { kind: 'DUPLICATE', rule: '4', by: '1', test: null },
      { kind: 'TEST_FAILS', rule: null, by: null, test: 0 },
    ]);
    const ruleTests = [{ visitor: { country: 'DE' }, expect: { noRule: false } }];
    expect((await ask({ linkId, ruleTests })).ruleWarnings).toMatchObject([{ kind: 'TEST_FAILS', test: 0 }]);
    expect((await ask({ linkId: '99999', rules: [split] })).ruleWarnings).toEqual([]);
  });

  test('may be of a link that is not saved yet', async () => {
    const drafted = await ask({ url: 'https://example.com/new', country: 'JP', rules: [japan] });
    expect(drafted).toMatchObject({ outcome: 'REDIRECT', destination: 'https://example.com/jp' });
    expect(await ask({ url: 'https://example.com/new', rules: [japan] })).toMatchObject({
      ...{ outcome: 'REDIRECT', destination: 'https://example.com/new', ruleWarnings: [] },
    });
    const { errors } = await owner.graphql(draftQuery, { input: { rules: [japan] } });
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION',
      fields: [{ path: ['input', 'url'], rule: 'REQUIRED' }],
    });
  });

  test('has the parameters of a template, as a save would add them', async () => {
    const { createUtmTemplate, createSpace } = await owner.data<Record<string, { id: string }>>(`mutation {
      createUtmTemplate(input: { name: "Spring", source: "mail", campaign: "{space}-{alias}" }) { ... on UtmTemplate { id } }
      createSpace(input: { name: "Shop" }) { ... on Space { id } }
    }`);
    const part = { utmTemplateId: createUtmTemplate?.id, spaceId: createSpace?.id };
    const url = 'https://example.com/new?utm_source=own';
    const targeting = { type: 'COUNTRY', countries: [{ country: 'DE', url: 'https://example.com/de' }] };
    const asUrl = async (input: object) => {
      const { explainRedirect } = await owner.data<{ explainRedirect: { url: string; destination: string } }>(
        'query ($input: ExplainRedirectInput!) { explainRedirect(input: $input) { url destination } }',
        { input },
      );
      return [explainRedirect.url, explainRedirect.destination];
    };
    const drafted = await asUrl({ ...part, url, alias: 'sale', targeting, country: 'DE' });
    expect(drafted).toEqual([
      `${url}&utm_campaign=Shop-sale`,
      'https://example.com/de?utm_source=mail&utm_campaign=Shop-sale',
    ]);
    const input = { ...part, url, alias: 'sale', targeting };
    const { createLink } = await owner.data<{ createLink: { id: string; url: string; targeting: object } }>(
      `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { id url targeting { countries { url } } } } }`,
      { input },
    );
    expect([createLink.url, createLink.targeting]).toEqual([
      drafted[0],
      { countries: [{ url: drafted[1] }] },
    ]);
    // An alias that is made later is not known yet.
    expect(await asUrl({ ...part, url, utmOnTargets: false, targeting, country: 'DE' })).toEqual([
      `${url}&utm_campaign=Shop-%7Balias%7D`,
      'https://example.com/de',
    ]);
    const { id, alias } = await owner.link({ url: 'https://example.com/' });
    expect(await asUrl({ linkId: String(id), ...part, spaceId: null })).toEqual(
      Array(2).fill(`https://example.com/?utm_source=mail&utm_campaign=${alias}`),
    );
    const { errors } = await owner.graphql(draftQuery, { input: { url, utmTemplateId: '99999' } });
    expect(errors?.[0]?.extensions).toMatchObject({ fields: [{ path: ['input', 'utmTemplateId'] }] });
    expect(await asUrl({ linkId: '99999' })).toEqual([null, null]);
  });

  test.each([
    ['a condition without values', [{ ...japan, when: [{ country: { in: [] } }] }]],
    ['a name twice', [japan, japan]],
    ['an id of no rule', [{ ...japan, id: '77' }]],
    ['too many rules', Array.from({ length: 21 }, () => split)],
    ['a URL on a short domain', [{ ...japan, to: [{ url: 'http://localhost/other' }] }]],
    [
      'rules that are too large',
      Array.from({ length: 4 }, () => ({
        when: [],
        to: Array.from({ length: 9 }, () => ({ url: `https://example.com/${'x'.repeat(2_000)}` })),
      })),
    ],
  ])('is refused for %s, as a save would be', async (_what, rules) => {
    const linkId = await ruled();
    const { origin } = new URL(server.origin);
    const given = JSON.parse(JSON.stringify(rules).replace('http://localhost', origin)) as object[];
    const { updateLink } = await owner.data<{ updateLink: { fields: { path: string[] }[] } }>(
      `mutation ($id: ID!, $rules: [LinkRuleInput!]) { updateLink(id: $id, input: { rules: $rules, ruleTests: [] }) {
        ... on ValidationError { fields { path messages rule } } } }`,
      { id: linkId, rules: given },
    );
    const { errors } = await owner.graphql(draftQuery, { input: { linkId, rules: given } });
    expect(updateLink.fields.length).toBeGreaterThan(0);
    const fields = updateLink.fields.map((field) => ({ ...field, path: ['input', ...field.path] }));
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION', fields });
  });

  test('may be asked about by those who may not change the link', async () => {
    const linkId = await ruled();
    const reader = await server.caller('owner', ['read']);
    expect((await ask({ linkId, country: 'DE', rules: [split] }, reader)).outcome).toBe('REDIRECT');
  });

  test('takes one statement more than a question about the link as it is', async () => {
    const linkId = await ruled();
    const count = async (input: object) => (await server.statementsOf(() => explain(input))).length;
    const plain = await count({ linkId, country: 'JP' });
    expect(await count({ linkId, country: 'JP', rules: [split] })).toBe(plain + 1);
  });

  test('costs a look-up, and its warnings an analysis', async () => {
    const costOf = async (fields: string, input: object) => {
      const response = await owner.fetch('/graphql', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          query: `query ($input: ExplainRedirectInput!) { explainRedirect(input: $input) { ${fields} } }`,
          variables: { input },
          extensions: { cost: 'only' },
        }),
      });
      return ((await response.json()) as { extensions: { cost: { cost: number } } }).extensions.cost.cost;
    };
    const plain = await costOf('outcome', { linkId: '1' });
    const path = await costOf('outcome', { linkId: '1', path: '/x' });
    expect(await costOf('outcome', { linkId: '1', rules: [split] })).toBe(path);
    expect(await costOf('outcome', { linkId: '1', url: 'https://example.com/' })).toBe(path);
    expect(await costOf('outcome', { linkId: '1', utmTemplateId: '1' })).toBe(path + 500);
    expect(path).toBeGreaterThan(plain);
    expect(await costOf('outcome ruleWarnings { kind }', { linkId: '1' })).toBeGreaterThan(plain + 1_500);
  });
});
