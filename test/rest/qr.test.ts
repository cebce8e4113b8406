import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { decodeQR } from 'qr/decode.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, type RestLink, startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

let server: TestServer;
let owner: Caller;
let link: RestLink;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.caller();
  link = await owner.link({ alias: `Readable_${'x'.repeat(100)}` });
});
afterAll(() => server.stop());

const shortUrl = () => `https://s.example/${link.alias}`;
// A CommonJS module, whose default is its exports.
const decode = jsQR as unknown as typeof jsQR.default;

/** The decoded text of an image. */
function readOf({
  width,
  height,
  data,
}: {
  width: number;
  height: number;
  data: Uint8Array;
}): string | undefined {
  return decode(new Uint8ClampedArray(data), width, height)?.data;
}

/** The SVG as an image, with four pixels per module. */
function drawn(svg: string): { width: number; height: number; data: Uint8Array } {
  const scale = 4;
  const modules = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const width = modules * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row++)
      for (let at = Number(x) * scale; at < (Number(x) + Number(length)) * scale; at++)
        data.fill(0, (row * width + at) * 4, (row * width + at) * 4 + 3);
  return { width, height: width, data };
}

const qrOf = (query: string, caller = owner) => caller.fetch(`/api/v1/links/${link.id}/qr${query}`);

test.each(['L', 'M', 'Q', 'H'])(
  'returns 200 with a code that a reader can decode, with the error correction %s',
  async (ecc) => {
    const svg = await qrOf(`?ecc=${ecc}`);
    expect([svg.status, svg.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml']);
    const text = await svg.text();
    expect(text).toContain('width="256" height="256"');
    expect(readOf(drawn(text))).toBe(shortUrl());
    const png = await qrOf(`?ecc=${ecc}&format=png&size=300&margin=2`);
    expect([png.status, png.headers.get('Content-Type')]).toEqual([200, 'image/png']);
    const image = PNG.sync.read(Buffer.from(await png.arrayBuffer()));
    expect([image.width, image.height]).toEqual([300, 300]);
    expect(readOf(image)).toBe(shortUrl());
  },
);

test('GraphQL returns the same code as v1', async () => {
  const query =
    'query ($id: ID!) { link(id: $id) { plain: qrCode qrCode(size: 99, errorCorrection: H, margin: 0) } }';
  const data = await owner.data<{ link: Record<string, string> }>(query, { id: String(link.id) });
  expect(data.link).toEqual({
    plain: await (await qrOf('')).text(),
    qrCode: await (await qrOf('?size=99&ecc=H&margin=0')).text(),
  });
  expect(data.link.qrCode).toContain('width="99"');
});

test.each([
  ['size=31', 'size', 'The size field must be a whole number from 32 to 2048.'],
  ['size=2049', 'size', 'The size field must be a whole number from 32 to 2048.'],
  ['size=big', 'size', 'The size field must be a whole number from 32 to 2048.'],
  ['margin=-1', 'margin', 'The margin field must be a whole number from 0 to 32.'],
  ['margin=33', 'margin', 'The margin field must be a whole number from 0 to 32.'],
  ['ecc=X', 'ecc', 'The ecc field must be one of L, M, Q, H.'],
  ['format=gif', 'format', 'The format field must be one of svg, png.'],
  ['format=png&size=32', 'size', expect.stringMatching(/must be at least \d+ for this address and margin/)],
])('returns 422 for %s', async (query, field, message) => {
  const response = await qrOf(`?${query}`);
  expect([response.status, (await response.json()).errors]).toEqual([422, { [field]: [message] }]);
});

test.each([
  [256, 7, 12],
  [99, 3, 0],
  [64, 1, 15],
  [33, 1, 0],
])('a PNG of %i pixels has modules of %i pixels, and %i more to the left', async (size, scale, rest) => {
  // 25 modules, between margins of 4.
  const { id } = await owner.link({ alias: `short${size}` });
  const png = await owner.fetch(`/api/v1/links/${id}/qr?format=png&size=${size}`);
  const { width, data } = PNG.sync.read(Buffer.from(await png.arrayBuffer()));
  const dark = Array.from({ length: width * width }, (_, pixel) => pixel)
    .filter((pixel) => data[pixel * 4] === 0)
    .map((pixel) => pixel % width);
  const left = dark.reduce((least, x) => Math.min(least, x), width);
  const right = dark.reduce((most, x) => Math.max(most, x), 0);
  expect([width, left, right]).toEqual([size, rest + 4 * scale, rest + 29 * scale - 1]);
});

test('returns 404 for the link of another account, like an unknown one', async () => {
  const other = await server.caller('other');
  const [one, none] = [await qrOf('', other), await other.fetch('/api/v1/links/99999/qr')];
  expect([one.status, none.status]).toEqual([404, 404]);
  expect(await one.text()).toBe(await none.text());
});

test('errors of GraphQL arguments name them', async () => {
  const query = 'query ($id: ID!) { link(id: $id) { qrCode(size: 1, margin: 99) } }';
  const { errors } = await owner.graphql(query, { id: String(link.id) });
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'VALIDATION',
    fields: [{ path: ['size'] }, { path: ['margin'] }],
  });
});

test('returns an error for too many codes at once', async () => {
  const many = Array.from({ length: 3 }, (_, index) => `c${index}: qrCode(size: ${100 + index})`).join(' ');
  const { errors } = await owner.graphql(`{ links(first: 100) { edges { node { ${many} } } } }`);
  expect(errors?.[0]?.extensions.code).toBe('TOO_COSTLY');
});

test.each([
  ['🎈'.repeat(250), 'long'],
  [`x${'ü'.repeat(254)}`, 'of umlauts'],
  ['x'.repeat(255), 'of ASCII'],
])('returns 200 with a code for the longest alias %#, %s', async (alias) => {
  const { id } = await owner.link({ alias });
  const path = `https://s.example/${alias}`;
  for (const ecc of ['L', 'H']) {
    const svg = await owner.fetch(`/api/v1/links/${id}/qr?ecc=${ecc}`);
    expect([ecc, svg.status]).toEqual([ecc, 200]);
    // The other reader does not find codes of some sizes.
    const text = decodeQR(drawn(await svg.text()));
    expect([ecc, decodeURI(text)]).toEqual([ecc, path]);
  }
  const png = await owner.fetch(`/api/v1/links/${id}/qr?format=png&size=400`);
  expect(png.status).toBe(200);
  const { link: found } = await owner.data<{ link: { qrCode: string } }>(
    `query ($id: ID!) { link(id: $id) { qrCode } }`,
    { id: String(id) },
  );
  expect(found.qrCode).toContain('<svg');
  expect((await visit(server.origin, `/${encodeURI(alias)}+`)).status).toBe(200);
});
