// What `refusals` sends: lists from the schema, from v1's routes and from the sources, so that nothing is forgotten.

import { readdirSync, readFileSync } from 'node:fs';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { limits } from '../src/engine/graphql/limits.ts';
import { routes } from '../src/rest/routes.ts';
import { schema } from '../src/schema/index.ts';

/** A request, and what of it is long. */
export interface Case {
  readonly kind: 'header' | 'argument' | 'field name' | 'field' | 'body' | 'path';
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** True if it has a key or a session. */
  readonly isKnown: boolean;
}

/** Parts of long values, each of which is slow for some parser. */
const FILLERS = ['x', ' ', ',', 'a,', '漢', '😀', '%41', 'https://漢', 'a.', '[', '"', '\\', '=;'] as const;

function long(filler: string, length: number): string {
  return filler.repeat(Math.ceil(length / filler.length)).slice(0, length);
}

const JSON_TYPE = { 'content-type': 'application/json' };
const graphql = (
  query: string,
  variables: object = {},
): Pick<Case, 'path' | 'method' | 'headers' | 'body'> => ({
  ...{ path: '/graphql', method: 'POST', headers: JSON_TYPE },
  body: JSON.stringify({ query, variables }),
});

/** The request that all others are compared with. */
export const NORMAL = graphql('{ __typename }');

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((one) =>
    one.isFile() && one.name.endsWith('.ts') && !one.parentPath.includes('generated')
      ? [readFileSync(`${one.parentPath}/${one.name}`, 'utf8')]
      : [],
  );
}

function found(texts: readonly string[], pattern: RegExp): string[] {
  const all = texts.flatMap((text) =>
    Array.from(text.matchAll(pattern), ([, ...groups]) => groups.find(Boolean)),
  );
  return [...new Set(all.flatMap((one) => one?.toLowerCase() ?? []))];
}

/** Headers of libraries and proxies, and those that frame a message, which are Node's. */
const OTHERS = ['forwarded', 'x-request-id', 'traceparent', 'tracestate', 'range', 'if-none-match', 'via'];
const FRAMES = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'expect',
  'upgrade',
  'get',
  'set',
]);
const HEADER =
  /headers(?:\.([a-z]+)\b(?!\()|\['([a-z-]+)'\])|(?:header\(req, |req\.get\()'([A-Za-z-]+)'|'((?:x|sec)-[a-z-]+)'/g;

/** The headers that the service reads, and some that it does not. */
function headerNames(): string[] {
  return [...new Set([...found(sources('src'), HEADER), ...OTHERS])].filter((name) => !FRAMES.has(name));
}

/** The lengths at which headers are cut, and what fits with all others. */
const HEADER_LENGTHS = [255, 256, 1_000, 28_000];
const HEADER_FILLERS = [
  'x',
  ',',
  'a,',
  'text/a,',
  '*/*;q=0.1,',
  '1.1.1.1,',
  'a=b; ',
  'linkspace=a;',
  '%41',
  'ü',
  'a.',
  '"',
];

/** Where headers are read. */
const SURFACES: readonly (Pick<Case, 'path' | 'method' | 'headers' | 'body'> & {
  readonly isKnown: boolean;
})[] = [
  { ...NORMAL, isKnown: true },
  { ...NORMAL, isKnown: false },
  { path: '/api/v1/spaces/1', method: 'GET', headers: {}, isKnown: true },
  { path: '/api/v1/spaces/1', method: 'GET', headers: {}, isKnown: false },
  { path: '/auth/session', method: 'GET', headers: {}, isKnown: false },
  { path: '/auth/forgot', method: 'POST', headers: JSON_TYPE, body: '{}', isKnown: false },
  { path: '/a1', method: 'GET', headers: {}, isKnown: false },
  { path: '/no-such-alias', method: 'GET', headers: {}, isKnown: false },
  { path: '/docs/nothing', method: 'GET', headers: {}, isKnown: false },
];

function* headerCases(): Generator<Case> {
  for (const name of headerNames())
    for (const filler of HEADER_FILLERS)
      for (const length of HEADER_LENGTHS)
        for (const { headers, ...surface } of SURFACES) {
          const value = name === 'authorization' ? `Bearer ${long(filler, length)}` : long(filler, length);
          yield { kind: 'header', name, ...surface, headers: { ...headers, [name]: value } };
        }
}

type Given = GraphQLArgument | GraphQLInputField;

/** A value of a type that may be accepted. */
function plainValue(type: GraphQLInputType): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [plainValue(inner.ofType)];
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  if (isInputObjectType(inner)) return plainObject(Object.values(inner.getFields()), inner.isOneOf);
  const values: Record<string, unknown> = {
    Int: 1,
    Float: 1,
    Boolean: false,
    DateTime: '2026-11-20T12:00:00Z',
    ID: '1',
  };
  return values[inner.name] ?? 'https://example.com/';
}

function plainObject(fields: readonly Given[], isOneOf = false): Record<string, unknown> {
  const needed = isOneOf ? fields.slice(0, 1) : fields.filter(({ type }) => isNonNullType(type));
  return Object.fromEntries(needed.map(({ name, type }) => [name, plainValue(type)]));
}

/** A way to make a value long: of texts by length and filler, of lists by items. */
interface Long {
  readonly name: string;
  readonly value: unknown;
}

const LIST_LENGTHS = [101, 1_000, 90_000];
const LENGTHS: readonly (readonly [number, readonly string[]])[] = [
  [1_000, ['x', '漢', 'https://漢', '%41']],
  [20_000, FILLERS],
  [20_001, ['x']],
];

/** The long values of a type, each part of it once. */
function* longValues(type: GraphQLInputType, name: string, depth = 0): Generator<Long> {
  const inner = getNullableType(type);
  if (isListType(inner)) {
    for (const count of LIST_LENGTHS)
      yield {
        name: `${name}[${count}]`,
        value: Array.from({ length: count }, () => plainValue(inner.ofType)),
      };
    for (const one of longValues(inner.ofType, `${name}[]`, depth + 1)) yield { ...one, value: [one.value] };
  } else if (isInputObjectType(inner)) {
    if (depth > 6) return;
    const fields = Object.values(inner.getFields());
    const others = inner.isOneOf ? {} : plainObject(fields);
    for (const field of fields)
      for (const one of longValues(field.type, `${name}.${field.name}`, depth + 1))
        yield { ...one, value: { ...others, [field.name]: one.value } };
  } else if (!isEnumType(inner) && !['Int', 'Float', 'Boolean'].includes(inner.name))
    for (const [length, fillers] of LENGTHS)
      for (const filler of fillers) yield { name: `${name} ${length}`, value: long(filler, length) };
}

const selectionOf = (type: GraphQLOutputType) => (isLeafType(getNamedType(type)) ? '' : ' { __typename }');

/** A way from a root to the fields of a type: `{ spaces { nodes { … } } }`. */
interface Way {
  readonly kind: 'query' | 'mutation';
  readonly begin: string;
  readonly end: string;
}

/** Writes a value as a literal of a document. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, inner]) => `${name}: ${literal(inner)}`)
      .join(', ')}}`;
  return typeof value === 'string' && /^[A-Z][A-Z_]+$/.test(value) ? value : JSON.stringify(value);
}

function callOf({ name, args }: GraphQLField<unknown, unknown>): string {
  const given = Object.entries(plainObject(args)).map(([arg, value]) => `${arg}: ${literal(value)}`);
  return given.length > 0 ? `${name}(${given.join(', ')})` : name;
}

/** The types that have fields with arguments, each by its shortest way from a root. */
function ways(): Map<GraphQLObjectType, Way> {
  const known = new Map<GraphQLObjectType, Way>();
  const pending: [GraphQLObjectType, Way][] = [];
  const add = (type: GraphQLObjectType, way: Way) => {
    if (known.has(type)) return;
    known.set(type, way);
    pending.push([type, way]);
  };
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
  if (query) add(query, { kind: 'query', begin: '{ ', end: ' }' });
  if (mutation) known.set(mutation, { kind: 'mutation', begin: '{ ', end: ' }' });
  for (const [type, { kind, begin, end }] of pending)
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type);
      const inside = { kind, begin: `${begin}${callOf(field)} { `, end: ` }${end}` };
      if (isObjectType(named)) add(named, inside);
      else if (isAbstractType(named))
        for (const one of schema.getPossibleTypes(named))
          add(one, { kind, begin: `${inside.begin}... on ${one.name} { `, end: ` }${inside.end}` });
    }
  return known;
}

/** Numbers of uses of a variable. */
const USES = [1, 20, 190];

function* argumentCases(): Generator<Case> {
  for (const [type, { kind, begin, end }] of ways())
    for (const field of Object.values(type.getFields()))
      for (const arg of field.args) {
        const others = Object.entries(plainObject(field.args.filter((one) => one !== arg)));
        const given = [
          ...others.map(([name, value]) => `${name}: ${literal(value)}`),
          `${arg.name}: $v`,
        ].join(', ');
        for (const uses of type === schema.getQueryType() || kind === 'mutation' ? USES : [1, 20])
          for (const { name, value } of longValues(arg.type, arg.name)) {
            const calls = Array.from(
              { length: uses },
              (_, i) => `a${i}: ${field.name}(${given})${selectionOf(field.type)}`,
            );
            const query = `${kind} ($v: ${arg.type}) ${begin}${calls.join(' ')}${end}`;
            const body = graphql(query, { v: value });
            if ((body.body?.length ?? 0) > 2_000_000) continue;
            yield { kind: 'argument', name: `${type.name}.${field.name}(${name})`, ...body, isKnown: true };
          }
      }
}

/** Documents at the limits of what is parsed. */
function* documentCases(): Generator<Case> {
  const of = (name: string, query: string): Case => ({
    kind: 'body',
    name,
    ...graphql(query),
    isKnown: true,
  });
  const times = (count: number, one: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => one(i)).join(' ');
  for (const filler of FILLERS) yield of(`a document of ${filler}`, long(filler, 1_900_000));
  yield of('tokens', `{ ${'a '.repeat(limits.tokens - 3)}}`);
  yield of('tokens and more', `{ ${'a '.repeat(900_000)}}`);
  yield of('lines', '\n'.repeat(limits.lines - 1));
  yield of('comments', `#${'x'.repeat(1_900_000)}\n{ a }`);
  yield of('levels', '{a'.repeat(limits.nesting));
  yield of('very many levels', '{a'.repeat(4_900));
  yield of('levels of a value', `{ a(b: ${'['.repeat(9_000)}) }`);
  yield of('fields', `{ ${times(2_000, (i) => `links(first: ${(i % 99) + 1}) { totalCount }`)} }`);
  yield of('equal fields', `{ ${'__typename '.repeat(9_000)}}`);
  yield of('unknown fields', `{ ${times(4_000, (i) => `lunks${i}`)} }`);
  yield of('unknown arguments', `{ links(${times(2_400, (i) => `furst${i}: 1`)}) { totalCount } }`);
  yield of('unknown fragments', `{ ${times(2_000, (i) => `...f${i}`)} }`);
  yield of('unknown variables', `{ ${times(1_400, (i) => `node(id: $v${i})`)} }`);
  yield of('variables', `query (${times(1_900, (i) => `$v${i}: Lunk`)}) { __typename }`);
  yield of('fragments', `{ ...f0 } ${times(200, (i) => `fragment f${i} on Query { ...f${(i + 1) % 200} }`)}`);
  yield of(
    'doublings',
    `{ ...f0 } ${times(199, (i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`)} fragment f199 on Query { __typename }`,
  );
  yield of(
    'operations',
    times(50, (i) => `query a${i} { ${'__typename '.repeat(190)} }`),
  );
  yield of('directives', `{ __typename ${'@skip(if: true) '.repeat(1_600)} }`);
  yield of('aliases', `{ ${times(3_000, (i) => `a${i}: __typename`)} }`);
  const cycle = (count: number) =>
    times(count, (i) => `fragment f${i} on Query { ${'...f0 ...f1 '.repeat(8)} }`);
  yield of('many cycles', `{ ...f0 } ${cycle(200)}`);
}

/** Bodies for whatever reads one. */
function* bodies(max: number): Generator<{ name: string; type: string; body: string }> {
  const form = 'application/x-www-form-urlencoded';
  const [json, multipart] = ['application/json', 'multipart/form-data; boundary=a'];
  for (const filler of ['x', '&', '&=', '&a', 'a[', '[]', '%5B', '%', '+', 'a[b]', '=', '漢'])
    yield { name: `a form of ${filler}`, type: form, body: long(filler, max / 2) };
  yield {
    name: 'a form of values',
    type: form,
    body: Array.from({ length: 4_990 }, (_, i) => `a[${i}][b]=${i}`)
      .join('&')
      .slice(0, max),
  };
  for (const [begin, end] of [
    ['[', ''],
    ['{"a":', ''],
    ['[', ']'],
    ['{"a":1,"', '"}'],
    ['{"a":"', '"}'],
    ['{"a":[', '1]}'],
  ])
    for (const filler of ['[', '{"a":', '1,', '\\u0000', 'x', '"x",', ' '])
      yield {
        name: `JSON of ${begin}${filler}`,
        type: json,
        body: `${begin}${long(filler, max - 20)}${end}`,
      };
  yield {
    name: 'JSON of names',
    type: json,
    body: JSON.stringify(Object.fromEntries(Array.from({ length: max / 12 }, (_, i) => [`a${i}`, 1]))),
  };
  const part = (name: string, value: string) =>
    `--a\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  for (const [name, one] of [
    ['fields', part('a', 'x')],
    ['nothing', '--a\r\n\r\n\r\n'],
    ['delimiters', '--a\r\n'],
    ['headers', 'X:\r\n'],
    ['lines', '\r\n'],
    ['dashes', '\r\n--'],
  ] as const) {
    const parts = one.repeat(Math.floor((max - 30) / one.length));
    yield { name: `parts of ${name}`, type: multipart, body: `--a\r\n${parts}--a--\r\n` };
  }
  for (const count of [5_000, 4_990]) {
    const body = `${part('a', 'x').repeat(count)}--a--\r\n`;
    if (body.length < max) yield { name: `${count} parts`, type: multipart, body };
  }
}

const V1_BODY = 1_048_576;

function* v1Cases(): Generator<Case> {
  for (const { methods, path, fields } of routes) {
    const [method = 'GET'] = methods;
    const target = `/api/v1${path.replace(/:\w+/g, '1')}`;
    const of = (kind: Case['kind'], name: string, request: Partial<Case>): Case => ({
      ...{ kind, name: `v1 ${method} ${path} ${name}`, path: target, method, headers: {}, isKnown: true },
      ...request,
    });
    if (method === 'DELETE') continue;
    const isGet = method === 'GET';
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = (kind: Case['kind'], name: string, pairs: string) =>
      of(
        kind,
        name,
        isGet ? { path: `${target}?${encodeURI(pairs).slice(0, 28_000)}` } : { headers: type, body: pairs },
      );
    for (const name of Object.keys(fields))
      for (const filler of FILLERS)
        for (const length of [1_000, 9_000, isGet ? 28_000 : 300_000])
          for (const inside of ['', '[0][key]'])
            yield sent('field', name, `${name}${inside}=${long(filler, length)}`);
    for (const inside of ['[0]', '[b]', '[', ']', '[]', '[9]', 'x', '%', '.'])
      for (const count of [18, 5_000, isGet ? 9_000 : 200_000])
        yield sent('field name', inside, `a${inside.repeat(count)}=1`);
    if (!isGet)
      for (const { name, type, body } of bodies(V1_BODY))
        yield of('body', name, { headers: { 'content-type': type }, body });
    const id = /:/.test(path) && isGet;
    for (const filler of id ? ['1', '%41', '漢', '/'] : [])
      yield of('path', 'its id', {
        path: `/api/v1${path.replace(/:\w+/, encodeURI(long(filler, 3_000)))}`.slice(0, 28_000),
      });
  }
}

/** The largest body below `/auth/`. */
const AUTH_BODY = 16_384;

function* authCases(): Generator<Case> {
  const texts = sources('src/auth');
  const paths = found(texts, /\b(?:router|routes)\.post\('([^']+)'/g).map((path) => `/auth${path}`);
  const fields = found(texts, /\b(?:(\w+): (?:text|token|passkeyName|passwordInput|z\.)|req\.body\.(\w+))/g);
  const credential = { id: 'x', rawId: 'x', type: 'public-key' };
  for (const path of [...paths, '/auth/sign-in', '/auth/accept', '/auth/reset', '/auth/forgot'])
    for (const isKnown of [true, false]) {
      // It would end the session of the others.
      if (isKnown && path === '/auth/sign-out') continue;
      const of = (kind: Case['kind'], name: string, body: string, type = 'application/json'): Case => ({
        ...{
          kind,
          name: `${path} ${name}`,
          path,
          method: 'POST',
          headers: { 'content-type': type },
          body,
          isKnown,
        },
      });
      for (const name of fields)
        for (const filler of ['x', ' ', '漢', '😀', '\\', 'a@'])
          for (const length of [1_000, 1_001, 5_000]) {
            const value = long(filler, length);
            const others = {
              email: 'a@example.com',
              token: 'x',
              name: 'x',
              password: 'x',
              response: { ...credential, response: {} },
            };
            yield of('field', name, JSON.stringify({ ...others, [name]: value }));
          }
      for (const { name, type, body } of bodies(AUTH_BODY)) yield of('body', name, body, type);
    }
}

/** Requests that anybody may send. */
function* visitCases(): Generator<Case> {
  const of = (kind: Case['kind'], name: string, path: string, more: Partial<Case> = {}): Case => ({
    ...{ kind, name, path: path.slice(0, 28_000), method: 'GET', headers: {}, isKnown: false },
    ...more,
  });
  for (const filler of [
    'x',
    '%41',
    '%E6%BC%A2',
    '%',
    '%F0%9F%98%80',
    '.',
    '+',
    '/',
    'a.',
    '%2F',
    '&',
    '=',
    'a=b&',
    'xn--',
  ])
    for (const length of [255, 1_020, 9_000, 28_000]) {
      const text = long(filler, length);
      yield of('path', 'an alias', `/${text}`);
      yield of('path', 'statistics', `/${text.slice(0, -1)}+`);
      for (const path of [
        '/a1',
        '/a2+',
        '/',
        '/docs',
        '/livez',
        '/openapi.json',
        '/console/x',
        '/favicon.ico',
      ])
        yield of('path', `the query of ${path}`, `${path}?${text}`);
      yield of('path', 'the host of /tls/ask', `/tls/ask?domain=${text}`);
      yield of('path', 'hosts of /tls/ask', `/tls/ask?${'domain=a&'.repeat(length / 9)}`);
      yield of('path', 'a query of GraphQL', `/graphql?query=${text}`, { isKnown: true });
      yield of('path', 'variables of GraphQL', `/graphql?query={__typename}&variables=${text}`, {
        isKnown: true,
      });
      yield of('path', 'a query of GraphQL', `/graphql?query=${text}`);
      yield of('path', 'a path of v1', `/api/v1/${text}`);
      yield of('path', 'a path below /auth/', `/auth/${text}`);
    }
  for (const { name, type, body } of bodies(10_000))
    yield of('body', `${name} to a link`, '/a1', { method: 'POST', headers: { 'content-type': type }, body });
}

/** Texts of an import: each column and other formats. */
function* importCases(): Generator<Case> {
  const query =
    'mutation ($t: String!, $f: ImportFormat!) { importLinks(text: $t, format: $f, dryRun: true) { results { status } } }';
  const formats = schema.getType('ImportFormat');
  const names = isEnumType(formats) ? formats.getValues().map(({ name }) => name) : [];
  const of = (name: string, f: string, t: string): Case => ({
    kind: 'argument',
    name: `importLinks ${f} ${name}`,
    ...graphql(query, { t, f }),
    isKnown: true,
  });
  const columns = [
    'url',
    'alias',
    'short_url',
    'domain',
    'title',
    'tags',
    'pixels',
    'countries',
    'rotation',
    'space',
    'status',
    'expires_at',
    'clicks',
    'created_at',
    'password',
    'disabled',
  ];
  const MAX = 520_000;
  for (const f of names) {
    for (const filler of [...FILLERS, '\n', '\t', 'a,b\n', '{"a":', '[{},', '](', '  '])
      yield of(`of ${JSON.stringify(filler)}`, f, long(filler, 480_000 / (filler === '漢' ? 3 : 2)));
    const record = (more: object) =>
      JSON.stringify([
        { alias: 'x', url: 'https://example.com/', long_url: 'https://example.com/', ...more },
      ]);
    yield of('keys', f, record(Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${i}`, 1]))));
    yield of(
      'equal keys',
      f,
      record(
        Object.fromEntries(
          Array.from({ length: 900 }, (_, i) => [`title${' '.repeat(i)}`, i === 0 ? 'x'.repeat(90_000) : 1]),
        ),
      ),
    );
    for (const column of columns) {
      yield of(`a list as ${column}`, f, record({ [column]: Array.from({ length: 90_000 }, () => 'a') }));
      for (const filler of [...FILLERS, '["a"],', ';', '1', ' a'])
        yield of(
          `${column}`,
          f,
          `url,alias,${column === 'url' ? 'title' : column}\n"https://example.com/",x,"${long(filler, MAX / 4).replaceAll('"', '""')}"\n`,
        );
    }
  }
}

/** All cases, the cheap ones first. */
export function* allCases(): Generator<Case> {
  yield* headerCases();
  yield* visitCases();
  yield* authCases();
  yield* v1Cases();
  yield* documentCases();
  yield* importCases();
  yield* argumentCases();
}
