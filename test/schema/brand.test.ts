import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ImageRetention } from '../../src/db/images.ts';
import { readableColour } from '../../src/domain/access/readable-colour.ts';
import { halves, jpegOf, pngChunk, pngOf } from '../support/images.ts';
import { type Person, signedIn } from '../support/person.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { visit } from '../support/visit.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-brand-'));
let server: TestServer;
let owner: Person;
let accountId: number;
let accounts = 0;
beforeAll(async () => {
  const blockedHostsFile = join(folder, 'hosts');
  writeFileSync(blockedHostsFile, 'blocked.example\n');
  server = await startTestServer({ now: new Date(), blockedHostsFile });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  const name = `brand ${accounts++}`;
  await server.caller(name);
  ({ id: accountId } = await server.database.prisma.account.findUniqueOrThrow({ where: { name } }));
  owner = await signedIn(server, accountId, 'OWNER');
});

interface Brand {
  logoUrl: string | null;
  colour: string | null;
  name: string | null;
  helpUrl: string | null;
}

const UPDATE = `mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) {
  ... on Account { brand { logoUrl colour name helpUrl } } ... on ValidationError { fields { path reason } } } }`;
const update = async (brand: object | null, by: Person = owner) => {
  const { data, errors } = await by.graphql(UPDATE, { input: { brand } });
  return data?.updateAccount ?? errors?.[0]?.extensions.code;
};
const brandAfter = async (brand: object): Promise<Brand> => ((await update(brand)) as { brand: Brand }).brand;

const dataUrl = (bytes: Buffer, type = 'png') => `data:image/${type};base64,${bytes.toString('base64')}`;
const LOGO = dataUrl(pngOf(halves()));
const WHOLE = { logo: LOGO, colour: '#3A4FD8', name: 'Lindenhof', helpUrl: 'https://help.example/links' };

const images = () => server.database.prisma.image.findMany({ where: { accountId } });
async function deleteUnnamed(): Promise<void> {
  const later = new Date(server.clock.now.getTime() + 15 * 60_000);
  await new ImageRetention(server.database, () => later, pino({ level: 'silent' })).deleteOld();
}

describe('a brand', () => {
  test('is none at first, is changed field by field, and is cleared by null', async () => {
    expect(await update({})).toEqual({ brand: null });
    const brand = await brandAfter(WHOLE);
    expect(brand).toEqual({
      logoUrl: expect.stringMatching(/^https:\/\/s\.example\/api\/brand\/[0-9a-f]{40}\.png$/),
      ...{ colour: '#3a4fd8', name: 'Lindenhof', helpUrl: 'https://help.example/links' },
    });
    expect(await update({ name: ' Linden ' })).toEqual({ brand: { ...brand, name: 'Linden' } });
    expect(await update({ logo: null, colour: null, helpUrl: null })).toEqual({
      brand: { logoUrl: null, colour: null, name: 'Linden', helpUrl: null },
    });
    expect(await update(null)).toEqual({ brand: null });
  });

  test('can be sent back as it was read', async () => {
    const brand = await brandAfter({ ...WHOLE, colour: '#ffcc00' });
    const { logoUrl: logo, ...others } = brand;
    expect(await update(null)).toEqual({ brand: null });
    expect(await update({ logo, ...others })).toEqual({ brand });
    expect(await images()).toHaveLength(1);
  });

  test('is for owners to change, and one field of the history', async () => {
    const admin = await signedIn(server, accountId, 'ADMIN');
    expect(await update(WHOLE, admin)).toBe('FORBIDDEN');
    expect(await images()).toEqual([]);
    await update(WHOLE);
    await update(WHOLE);
    const changes = await server.database.prisma.change.findMany({ where: { accountId, kind: 'ACCOUNT' } });
    expect(changes.map(({ fields }) => fields)).toEqual(['["brand"]']);
  });

  test.each([
    [{ colour: 'red' }, 'colour', 'NOT_A_COLOUR'],
    [{ colour: '#fff' }, 'colour', 'NOT_A_COLOUR'],
    [{ colour: '#ffffff;}' }, 'colour', 'NOT_A_COLOUR'],
    [{ name: 'x'.repeat(61) }, 'name', 'WRONG_LENGTH'],
    [{ name: ' ' }, 'name', expect.any(String)],
    [{ helpUrl: 'http://help.example/' }, 'helpUrl', 'NOT_HTTPS'],
    [{ helpUrl: 'javascript:alert(1)' }, 'helpUrl', expect.any(String)],
    [{ helpUrl: 'https://blocked.example/' }, 'helpUrl', 'DESTINATION_BLOCKED'],
    [{ logo: dataUrl(Buffer.from('<svg/>'), 'svg+xml') }, 'logo', 'NOT_AN_IMAGE'],
    [{ logo: dataUrl(Buffer.from('<svg/>')) }, 'logo', 'NOT_AN_IMAGE'],
    [{ logo: dataUrl(Buffer.alloc(512_001)) }, 'logo', 'IMAGE_TOO_LARGE'],
    [{ logo: `https://s.example/api/brand/${'0'.repeat(40)}.png` }, 'logo', 'UNKNOWN_IMAGE'],
  ])('refuses a wrong field: %#', async (brand, field, reason) => {
    expect(await update(brand)).toEqual({
      fields: expect.arrayContaining([{ path: ['brand', field], reason }]),
    });
    expect(await images()).toEqual([]);
  });
});

describe('a logo', () => {
  const read = (address: string | null, host = 's.example') =>
    visit(server.origin, new URL(address ?? '').pathname, { headers: { Host: host } });

  test('is a PNG of at most 512 pixels, for everybody, which may be kept for ever', async () => {
    const { logoUrl } = await brandAfter({ logo: dataUrl(await jpegOf(halves(1_000, 500)), 'jpeg') });
    const { status, headers } = await read(logoUrl);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
    });
    const [{ content } = { content: '' }] = await images();
    const bytes = Buffer.from(content, 'base64');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([512, 256]);
    expect((await visit(server.origin, '/robots.txt')).body).toContain('Allow: /api/brand/');
  });

  test('may have 512 kB, which passes the limits of a request', async () => {
    const padding = pngChunk('tEXt', Buffer.alloc(510_000 - pngOf(halves()).length, 'x'));
    expect(await brandAfter({ logo: dataUrl(pngOf(halves(), padding)) })).toMatchObject({
      logoUrl: expect.any(String),
    });
  });

  test('is no picture of a preview, nor the other way round, and not on the domain of another account', async () => {
    const { logoUrl } = await brandAfter({ logo: LOGO });
    const asPreview = logoUrl?.replace('/brand/', '/preview/').replace('.png', '.jpg') ?? '';
    expect((await read(asPreview)).status).toBe(404);
    const { createLink } = (
      await owner.graphql(
        `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ... on ValidationError { fields { reason } } } }`,
        { input: { url: 'https://example.com/', preview: { image: asPreview } } },
      )
    ).data as { createLink: object };
    expect(createLink).toEqual({ fields: [{ reason: 'UNKNOWN_IMAGE' }] });
    const other = await server.caller('brands of others');
    await other.domain('others.example');
    expect((await read(logoUrl, 'others.example')).status).toBe(404);
  });

  test('stays while the account names it, and goes afterwards', async () => {
    await update({ logo: LOGO });
    await deleteUnnamed();
    expect(await images()).toHaveLength(1);
    await update(null);
    await deleteUnnamed();
    expect(await images()).toEqual([]);
  });
});

test.each([
  ['#3a4fd8', '#3a4fd8'],
  ['#000000', '#000000'],
  ['#767676', '#767676'],
  ['#777777', '#757575'],
  ['#FFFFFF', '#757575'],
  ['#ff0000', '#ed0000'],
  ['#00ff00', '#008900'],
  ['#ffcc00', '#8e7200'],
])('a colour %s is made %s, and stays so', (given, expected) => {
  expect(readableColour(given)).toBe(expected);
  expect(readableColour(expected)).toBe(expected);
});
