import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, emptyServer, startTestServer, type TestServer } from '../support/server.ts';
import { openAs } from '../support/sockets.ts';

let server: TestServer;
let owner: Caller;
let stranger: Caller;
let reader: Caller;
beforeAll(async () => {
  server = await startTestServer({ background: true });
});
beforeEach(async () => {
  await emptyServer(server);
  owner = await server.caller('owner');
  reader = await server.caller('owner', ['read']);
  stranger = await server.caller('stranger');
});
afterAll(() => server.stop());

async function save(name: string, document: string): Promise<void> {
  const query = `mutation ($input: CreateSavedOperationInput!) { createSavedOperation(input: $input) {
    __typename ... on ValidationError { fields { path messages } } } }`;
  expect(await owner.data(query, { input: { name, document } })).toEqual({
    createSavedOperation: { __typename: 'SavedOperation' },
  });
}

interface Asked extends RequestInit {
  readonly caller?: Caller;
}

async function run(path: string, { caller = owner, ...init }: Asked = {}) {
  const response = await caller.fetch(`/api/run/${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const form = (fields: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  body: fields,
});

const FIND = `query ($search: String, $first: Int, $tags: [ID!], $filter: LinkFilter, $order: LinkOrderField = ID) {
  links(first: $first, filter: $filter, orderBy: { field: $order, direction: ASC }) { nodes { title } } }`;
const CREATE = `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on Link { title url } } }`;
const URL = 'https://example.com/';
/** With a date in the future, the link is made and cannot be read. */
const UNREADABLE = `mutation ($u: String!, $d: Date) {
  createLink(input: { url: $u }) { ... on Link { id statistics(from: $d) { clicks } } } }`;

describe('a query', () => {
  test('200s with the value of its one root field, from a query string, a form and JSON', async () => {
    await save('find', FIND.replace('$search: String, ', '').replace('$tags: [ID!], ', ''));
    for (const title of ['a', 'b', 'c']) await owner.link({ title });
    const answer = { data: { nodes: [{ title: 'b' }] }, status: 200 };
    const ask = 'filter[search]=b&filter[searchBy]=title&order=title&first=5';
    expect(await run(`find?${ask}`)).toMatchObject({ status: 200, body: answer });
    expect(await run('find', form(ask))).toMatchObject({ status: 200, body: answer });
    const variables = { filter: { search: 'b', searchBy: 'TITLE' }, order: 'TITLE', first: 5 };
    expect(await run('find', post(variables))).toMatchObject({ status: 200, body: answer });
    expect((await run(`find?${ask}`, { caller: reader })).body).toEqual(answer);
  });

  test('404s for a record that does not exist, and another name', async () => {
    await save('one', 'query ($id: ID!) { link(id: $id) { title } }');
    const { id } = await owner.link({ title: 'a' });
    const missing = { status: 404, body: { message: 'Resource not found.', status: 404 } };
    expect(await run(`one?id=${id}`)).toMatchObject({ body: { data: { title: 'a' }, status: 200 } });
    expect(await run('one?id=99999')).toMatchObject(missing);
    expect(await run('two?id=1')).toMatchObject(missing);
    expect(await run(`one?id=${id}`, { caller: stranger })).toMatchObject(missing);
  });

  test('200s with the values of several root fields, and failures in their places', async () => {
    await save('both', 'query ($first: Int) { a: viewer { role } links(first: $first) { nodes { title } } }');
    expect(await run('both?first=1')).toMatchObject({
      body: { data: { a: { role: null }, links: { nodes: [] } }, status: 200 },
    });
  });

  test('200s where one of several root fields fails', async () => {
    await save(
      'both',
      `query ($id: ID!, $d: Date) {
      a: viewer { role } b: link(id: $id) { title } links(first: 1) { nodes { statistics(from: $d) { clicks } } } }`,
    );
    const { id } = await owner.link({ title: 'x' });
    const answer = {
      status: 200,
      body: {
        data: { a: { role: null }, b: { title: 'x' }, links: { error: { code: 'VALIDATION' } } },
        status: 200,
      },
    };
    // The third one would run compiled code.
    for (let times = 0; times < 4; times++)
      expect(await run(`both?id=${id}&d=9999-01-01`)).toMatchObject(answer);
    expect(await run(`both?id=999&d=9999-01-01`)).toMatchObject({ body: { data: { a: {}, b: null } } });
  });

  test('422s for variables that do not fit, by the names that were sent', async () => {
    await save('find', FIND.replace('$search: String, ', '').replace('$tags: [ID!], ', ''));
    const refused = (name: string, message: string) => ({
      status: 422,
      body: { message, errors: { [name]: [message] }, status: 422 },
    });
    expect(await run('find?frist=1')).toMatchObject(refused('frist', 'The frist field is not known.'));
    expect(await run('find?first=x')).toMatchObject(
      refused('first', 'The first field is not valid. It must be an integer from -2147483648 to 2147483647.'),
    );
    expect((await run('find?filter[tags][any][7]=1&filter[name]=x')).body).toMatchObject({
      errors: { 'filter.name': [expect.any(String)] },
    });
    expect((await run('find', post({ filter: { x: 1 } }))).body.errors).toEqual({
      'filter.x': [expect.stringContaining('not defined')],
    });
    expect((await run('find?first=500')).body).toMatchObject({
      status: 422,
      errors: { first: [expect.any(String)] },
    });
  });

  test('names the variables of fields below the root', async () => {
    await save(
      'nodes',
      `query ($i: [ID!]!, $d: Date) { nodes(nodeIds: $i) { ...Counted ... on Link { title } } }
      fragment Counted on Link { some: statistics(from: $d) { clicks } }`,
    );
    const { id } = await owner.link({ title: 'x' });
    const { link } = await owner.data<{ link: { nodeId: string } }>(
      'query ($id: ID!) { link(id: $id) { nodeId } }',
      {
        id,
      },
    );
    const { status, body } = await run('nodes', post({ i: [link.nodeId], d: '9999-01-01' }));
    expect([status, body.data]).toEqual([
      200,
      [{ error: { code: 'VALIDATION', message: expect.any(String), fields: { d: [expect.any(String)] } } }],
    ]);
    await save('first', 'query ($d: Date) { links(first: 1) { nodes { statistics(from: $d) { clicks } } } }');
    expect((await run('first?d=9999-01-01')).body).toMatchObject({ errors: { d: [expect.any(String)] } });
  });

  test('repeats at most a hundred characters of a name', async () => {
    await save('role', '{ viewer { role } }');
    const { status, body } = await run(`role?${'x'.repeat(5_000)}=1`);
    expect([status, Object.keys(body.errors)]).toEqual([422, [`${'x'.repeat(100)}…`]]);
    expect(JSON.stringify(body).length).toBeLessThan(600);
  });

  test('counts runs with unknown names as errors', async () => {
    await save('role', '{ viewer { role } }');
    await run('role');
    await run('role?x=1');
    await server.flush();
    const query = '{ savedOperationByName(name: "role") { runs { runs errors } } }';
    const { savedOperationByName: one } = await owner.data<{
      savedOperationByName: { runs: { runs: number; errors: number }[] };
    }>(query);
    expect(one.runs.at(-1)).toEqual({ runs: 2, errors: 1 });
  });

  test('200s with null where its record was not asked for', async () => {
    await save('one', 'query ($id: ID!, $on: Boolean!) { link(id: $id) @include(if: $on) { title } }');
    const { id } = await owner.link({ title: 'a' });
    expect(await run(`one?id=${id}&on=0`)).toMatchObject({ status: 200, body: { data: null, status: 200 } });
    expect((await run('one?id=999999&on=1')).status).toBe(404);
  });

  test('304s for the tag that it gave, which another account does not get', async () => {
    await save('role', '{ viewer { role } }');
    const first = await run('role');
    const tag = first.headers.get('ETag') ?? '';
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    expect(first.headers.get('Cache-Control')).toBe('private, no-cache');
    expect(first.headers.get('Vary')).toBe('Authorization, Origin');
    const again = await run('role', { headers: { 'If-None-Match': tag } });
    expect({ status: again.status, body: again.body }).toEqual({ status: 304, body: null });
    expect((await run('role', { headers: { 'If-None-Match': '*' } })).status).toBe(304);
    const head = await run('role', { method: 'HEAD' });
    expect([head.status, head.headers.get('ETag'), head.body]).toEqual([200, tag, null]);
  });

  test('405s for other methods', async () => {
    await save('role', '{ viewer { role } }');
    const refused = await run('role', { method: 'PUT' });
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('a mutation', () => {
  test('200s with the record, or has the error of v1', async () => {
    await save('make', CREATE);
    expect(await run('make', form(`input[url]=${URL}&input[title]=A`))).toMatchObject({
      status: 200,
      body: { data: { title: 'A', url: URL }, status: 200 },
    });
    const refused = await run('make', form('input[url]=nothing&input[title]=A'));
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: { 'input.url': [expect.any(String)] }, status: 422 },
    });
    const { body } = await owner.rest('POST', '/links', { url: 'nothing' });
    expect(String(refused.body.message).replace('input.url', 'url')).toBe(
      (body as { message: string }).message,
    );
  });

  test('names the variables that give the fields of its input', async () => {
    await save(
      'make',
      `mutation ($to: String!, $alias: String) {
      createLink(input: { url: $to, alias: $alias }) { ... on Link { alias } } }`,
    );
    const refused = await run('make', post({ to: URL, alias: 'a b' }));
    expect(refused.body.errors).toEqual({ alias: [expect.stringMatching(/^The alias field /)] });
    expect((await run('make', post({}))).body.errors).toEqual({ to: ['The to field is required.'] });
  });

  test('405s by GET and HEAD, and does nothing', async () => {
    await save('make', CREATE);
    const refused = await run(`make?input[url]=${URL}`);
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'POST']);
    expect((await run('make', { method: 'HEAD' })).status).toBe(405);
    expect(await server.database.prisma.link.count()).toBe(0);
  });

  test('403s for a key that may not write, before its body is read', async () => {
    await save('make', CREATE);
    expect(await run('make', { ...form('input[url'), caller: reader })).toMatchObject({ status: 403 });
  });

  test('has the failures of a list and of several fields in their places', async () => {
    await save(
      'many',
      `mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { ... on Link { title } } }`,
    );
    const fields = `inputs[5][url]=${URL}&inputs[5][title]=a&inputs[9][url]=x`;
    expect((await run('many', form(fields))).body).toEqual({
      data: [
        { title: 'a' },
        {
          error: {
            code: 'VALIDATION',
            message: expect.any(String),
            fields: { 'inputs.9.url': [expect.stringMatching(/^The inputs\.9\.url field /)] },
          },
        },
      ],
      status: 200,
    });
    await save(
      'two',
      `mutation ($a: String!, $b: String!) {
      a: createLink(input: { url: $a }) { ... on Link { url } } b: createLink(input: { url: $b }) { ... on Link { url } } }`,
    );
    expect(await run('two', post({ a: 'x', b: URL }))).toMatchObject({
      status: 200,
      body: {
        data: { a: { error: { code: 'VALIDATION', fields: { a: [expect.any(String)] } } }, b: { url: URL } },
        status: 200,
      },
    });
  });

  test('200s after it has written, also if its record cannot be read', async () => {
    await save(
      'make',
      `mutation ($url: String!, $from: Date) { createLink(input: { url: $url }) {
        ... on Link { url statistics(from: $from) { clicks } } } }`,
    );
    expect(await run('make', post({ url: URL, from: 'never' }))).toMatchObject({
      status: 200,
      body: {
        data: {
          error: {
            code: 'VALIDATION',
            message: expect.stringMatching(/^This was done, but it cannot be read: /),
            done: true,
          },
        },
        status: 200,
      },
    });
    expect(await server.database.prisma.link.count()).toBe(1);
  });

  test('tells what each field has written, also if the record of another one cannot be read', async () => {
    await save(
      'two',
      `mutation ($u: String!, $d: Date) { a: createSpace(input: { name: "A" }) { ... on Space { name } }
      b: createLinks(inputs: [{ url: $u }, { url: "x" }, { url: $u, title: "T" }]) {
        ... on Link { url statistics(from: $d) { clicks } } }
      c: createTag(input: { name: "C" }) { ... on Tag { name } } }`,
    );
    const failed = (done: true | undefined) => ({
      error: expect.objectContaining({ code: 'VALIDATION', ...(done && { done }) }),
    });
    const sent = { u: URL, d: '9999-01-01' };
    const answer = await run('two', post(sent));
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: { a: { name: 'A' }, b: [failed(true), failed(undefined), failed(true)], c: { name: 'C' } },
      },
    });
    expect(answer.body.data.b[1].error).not.toHaveProperty('done');
    const { prisma } = server.database;
    expect([await prisma.space.count({ where: { name: 'A' } }), await prisma.link.count()]).toEqual([1, 2]);
  });

  test('200s after it has written with an Idempotency-Key, also if its record cannot be read', async () => {
    await save('make', UNREADABLE);
    const sent = post({ u: URL, d: '9999-01-01' }, { 'Idempotency-Key': 'one' });
    const first = await run('make', sent);
    expect(first).toMatchObject({ status: 200, body: { data: { error: { code: 'VALIDATION' } } } });
    const again = await run('make', sent);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await server.database.prisma.link.count()).toBe(1);
  });

  test('422s for names that objects have of their own', async () => {
    await save('make', CREATE);
    for (const name of ['__proto__[x]', 'constructor', 'input[__proto__][url]', 'input[toString]']) {
      const refused = await run('make', form(`${name}=1&input[url]=${URL}`));
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, [expect.any(String)]]);
    }
    expect(await server.database.prisma.link.count()).toBe(0);
  });

  test('is done once with an Idempotency-Key', async () => {
    await save('make', CREATE);
    const key = { 'Idempotency-Key': 'one' };
    const first = await run('make', post({ input: { url: URL } }, key));
    const again = await run('make', post({ input: { url: URL } }, key));
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect(await run('make', post({ input: { url: `${URL}b` } }, key))).toMatchObject({
      status: 422,
      body: { code: 'IDEMPOTENCY_MISMATCH' },
    });
    expect(await server.database.prisma.link.count()).toBe(1);
  });
});

test('a document that cannot be saved is refused by one sentence', async () => {
  const query = `mutation ($input: CreateSavedOperationInput!) { createSavedOperation(input: $input) {
    ... on ValidationError { message fields { messages } } } }`;
  const refused = async (input: object) =>
    (await owner.data<{ createSavedOperation: { message: string } }>(query, { input })).createSavedOperation;
  const { message } = await refused({ name: 'x', document: 'subscription { changes { id } }' });
  expect(message).toMatch(/cannot be saved: .*[^.]\.?$/);
  expect(message).not.toContain('..');
  const description = 'a\ufff9b';
  expect(await refused({ name: 'x', document: '{ __typename }', description })).toMatchObject({
    message: expect.stringContaining('description'),
  });
});

describe('a documentId at /graphql', () => {
  const asked = async (body: unknown) => {
    const response = await owner.fetch('/graphql', post(body));
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  test('runs its operation over a WebSocket, too', async () => {
    await save('find', 'query ($n: Int) { links(first: $n) { nodes { title } } }');
    await owner.link({ title: 'a' });
    const socket = await openAs(server.origin, owner.key);
    const subscribe = (id: string, payload: object) => socket.send({ id, type: 'subscribe', payload });
    const answered = async (id: string) => {
      await expect.poll(() => socket.about(id).length).toBeGreaterThan(0);
      return socket.about(id)[0];
    };
    subscribe('1', { documentId: 'find', variables: { n: 5 } });
    expect(await answered('1')).toMatchObject({
      type: 'next',
      payload: { data: { links: { nodes: [{ title: 'a' }] } } },
    });
    subscribe('2', { documentId: 'fund' });
    expect(await answered('2')).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'UNKNOWN_DOCUMENT' } }],
    });
    subscribe('3', { documentId: 'find', query: '{ __typename }' });
    expect(await answered('3')).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'BAD_REQUEST' } }],
    });
  });

  test('400s for another value than a text', async () => {
    const refused = { status: 400, body: { errors: [{ message: 'documentId must be a string.' }] } };
    expect(await asked({ documentId: 5 })).toMatchObject(refused);
    expect(await asked({ documentId: ['find'] })).toMatchObject(refused);
  });
});

describe('the form of variables', () => {
  const ECHO = `query ($input: CreateLinkInput!) { checkLinks(inputs: [$input]) { fields { path } } }`;
  test('has lists, objects, booleans, and empty values', async () => {
    await save(
      'make',
      `mutation ($ids: [ID!], $title: String, $on: Boolean, $n: Int, $p: LinkPrivacy) {
      createLink(input: { url: "${URL}", tagIds: $ids, title: $title, disabled: $on, privacy: $p, expiration: { clicks: $n } }) {
        ... on Link { title disabled privacy tags { name } expiration { clicks } } } }`,
    );
    const [a, b] = [await owner.tag('a'), await owner.tag('b')];
    const made = async (fields: string) => (await run('make', form(fields))).body;
    expect(await made(`ids[]=${a}&ids[]=${b}&title=x&title=&on=1&n=5&p=private`)).toEqual({
      data: {
        title: null,
        disabled: true,
        privacy: 'PRIVATE',
        tags: [{ name: 'a' }, { name: 'b' }],
        expiration: { clicks: 5 },
      },
      status: 200,
    });
    expect(await made(`ids[]=&on=&n=&p=`)).toMatchObject({
      data: { disabled: false, privacy: 'PUBLIC', tags: [], expiration: { clicks: null } },
    });
    expect(await made(`ids[7]=${b}&ids[3]=${a}&on=TRUE`)).toMatchObject({
      data: { disabled: true, tags: [{}, {}] },
    });
    expect(await made('ids[2]=999999')).toMatchObject({ status: 422, errors: { ids: [expect.any(String)] } });
  });

  test('is read from the query string of a POST, too; its body counts where both have a name', async () => {
    await save(
      'find',
      'query ($n: Int, $o: LinkOrderField!) { links(first: $n, orderBy: { field: $o }) { nodes { title } } }',
    );
    for (const title of ['a', 'b']) await owner.link({ title });
    const found = async (path: string, init: RequestInit) => (await run(path, init)).body.data.nodes.length;
    expect(await found('find?n=1&o=title', { method: 'POST' })).toBe(1);
    expect(await found('find?n=1', form('o=title'))).toBe(1);
    expect(await found('find?n=1&o=title', post({ n: 2 }))).toBe(2);
    expect((await run('find?n=1&x=1', post({ o: 'TITLE' }))).body.errors).toEqual({
      x: [expect.any(String)],
    });
    expect((await run('find?n=x', post({ o: 'TITLE' }))).body.errors).toEqual({ n: [expect.any(String)] });
  });

  test('is refused with the place where it is', async () => {
    await save('check', ECHO);
    expect((await run('check?input[a][b][c][d][e]=1')).body.message).toBe(
      'The query string is nested too deeply.',
    );
    expect((await run(`check?${'input[a]=1&'.repeat(1_001)}`)).body.message).toBe(
      'The query string has more than 1000 values.',
    );
  });

  test('is at most five levels deep, and has at most a thousand names', async () => {
    await save('check', ECHO);
    expect((await run('check', form('input[a][b][c][d][e]=1'))).status).toBe(400);
    expect((await run('check', form('input[a]=1&'.repeat(1_001)))).status).toBe(400);
  });
});

describe('a caller', () => {
  test('401s without a key in the header, whatever cookies and parameters say', async () => {
    await save('role', '{ viewer { role } }');
    const response = await fetch(`${server.origin}/api/run/role?key=${owner.key}&access_token=${owner.key}`, {
      headers: { Cookie: `linkspace=${owner.key}` },
    });
    expect([response.status, await response.json(), response.headers.get('WWW-Authenticate')]).toEqual([
      401,
      { message: 'Unauthenticated.', status: 401 },
      'Bearer',
    ]);
  });

  test('answers pages of the origins that CORS_ORIGINS has, and their preflights', async () => {
    const other = await startTestServer({ url: server.databaseUrl, corsOrigins: ['https://app.example'] });
    try {
      await save('role', '{ viewer { role } }');
      const from = async (origin: string) =>
        (await other.callerWith(owner.key).fetch('/api/run/role', { headers: { Origin: origin } })).headers;
      expect((await from('https://app.example')).get('Access-Control-Allow-Origin')).toBe(
        'https://app.example',
      );
      expect((await from('https://app.example')).get('Access-Control-Expose-Headers')).toContain('etag');
      expect((await from('https://app.example')).get('Vary')).toBe('Authorization, Origin');
      expect((await from('https://other.example')).get('Access-Control-Allow-Origin')).toBeNull();
      const preflight = await fetch(`${other.origin}/api/run/role`, {
        method: 'OPTIONS',
        headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' },
      });
      expect(preflight.status).toBe(204);
    } finally {
      await other.stop();
    }
  });

  test('410s for a broken operation, with the reason', async () => {
    await save('role', '{ viewer { role } }');
    const document = '{ viewer { gone } }';
    await server.database.prisma.savedOperation.updateMany({ data: { document, hash: 'changed' } });
    const other = await startTestServer({ url: server.databaseUrl, background: true });
    try {
      const response = await other.callerWith(owner.key).fetch('/api/run/role');
      expect([response.status, await response.json()]).toEqual([
        410,
        {
          message:
            'This saved operation is broken: Cannot query field "gone" on type "Viewer". Did you mean "role"?',
          code: 'OPERATION_BROKEN',
          status: 410,
        },
      ]);
      const writer = await server.caller('owner', ['write']);
      expect((await other.callerWith(writer.key).fetch('/api/run/role')).status).toBe(403);
    } finally {
      await other.stop();
    }
  });
});
