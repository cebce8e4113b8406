import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ImageRetention } from '../../src/db/images.ts';
import { settled } from '../support/database.ts';
import { halves, jpegOf, noise, PNG_START, pngChunk, pngHeader, pngOf } from '../support/images.ts';
import { exportOf, importInto } from '../support/moving.ts';
import { type Caller, startTestServer, type TestServer } from '../support/server.ts';

interface Preview {
  title: string | null;
  description: string | null;
  imageUrl: string | null;
}

interface Written {
  id?: string;
  preview?: Preview;
  fields?: { path: string[]; messages: string[]; reason: string }[];
}

let server: TestServer;
let owner: Caller;
let account: string;
let accounts = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  account = `previews ${accounts++}`;
  owner = await server.caller(account);
});

const SELECTED = `... on Link { id preview { title description imageUrl } }
  ... on ValidationError { fields { path messages reason } }`;

async function create(preview: object | null, caller = owner, more: object = {}): Promise<Written> {
  const { createLink } = await caller.data<{ createLink: Written }>(
    `mutation ($input: CreateLinkInput!) { createLink(input: $input) { ${SELECTED} } }`,
    { input: { url: 'https://example.com/', preview, ...more } },
  );
  return createLink;
}

async function update(id: string | undefined, preview: object | null, caller = owner): Promise<Written> {
  const { updateLink } = await caller.data<{ updateLink: Written }>(
    `mutation ($id: ID!, $input: UpdateLinkInput!) { updateLink(id: $id, input: $input) { ${SELECTED} } }`,
    { id, input: { preview } },
  );
  return updateLink;
}

const dataUrl = (bytes: Buffer, type = 'png') => `data:image/${type};base64,${bytes.toString('base64')}`;
const PICTURE = dataUrl(pngOf(halves()));
const OTHER = dataUrl(pngOf(halves(32, 32)));

const images = () => server.database.prisma.image.findMany({ orderBy: { id: 'asc' } });
const own = async () => {
  const { id } = await server.database.prisma.account.findUniqueOrThrow({ where: { name: account } });
  return (await images()).filter(({ accountId }) => accountId === id);
};

/** Deletes what nothing names, as a job does, a quarter of an hour later. */
async function deleteUnnamed(): Promise<void> {
  const later = new Date(server.clock.now.getTime() + 15 * 60_000);
  await new ImageRetention(server.database, () => later, pino({ level: 'silent' })).deleteOld();
}

describe('a link', () => {
  test('has a preview, which an update changes and null clears', async () => {
    const none = { title: null, description: null, imageUrl: null };
    const { id, preview } = await create({ title: ' Shoes ', description: 'Half price', image: PICTURE });
    expect(preview).toEqual({ title: 'Shoes', description: 'Half price', imageUrl: expect.any(String) });
    expect(preview?.imageUrl).toMatch(/^https:\/\/s\.example\/api\/preview\/[0-9a-f]{40}\.jpg$/);
    expect(await update(id, { title: 'Boots' })).toMatchObject({ preview: { ...preview, title: 'Boots' } });
    expect(await update(id, { description: '', image: null })).toMatchObject({
      preview: { ...none, title: 'Boots' },
    });
    expect(await update(id, null)).toMatchObject({ preview: none });
    expect(await create(null)).toMatchObject({ preview: none });
  });

  test('takes back the image that was read of it, also with its path alone, and none of another account', async () => {
    const { preview } = await create({ image: PICTURE });
    const image = preview?.imageUrl ?? '';
    expect(await create({ image })).toMatchObject({ preview: { imageUrl: image } });
    const { pathname } = new URL(image);
    expect(await create({ image: pathname })).toMatchObject({ preview: { imageUrl: image } });
    const refused = { fields: [{ path: ['preview', 'image'], reason: 'UNKNOWN_IMAGE' }] };
    expect(await create({ image }, await server.caller('another'))).toMatchObject(refused);
    expect(await create({ image: 'https://example.com/picture.jpg' })).toMatchObject({
      fields: [{ reason: 'NOT_AN_IMAGE' }],
    });
  });

  test('is reused only with the same preview', async () => {
    const { id } = await create({ title: 'Shoes', image: PICTURE });
    const again = await create({ title: 'Shoes', image: PICTURE }, owner, { reuse: true });
    expect(again.id).toBe(id);
    const other = await create({ title: 'Shoes', image: OTHER }, owner, { reuse: true });
    expect(other.id).not.toBe(id);
  });
});

describe('an image', () => {
  test('is stored once for each content and account', async () => {
    const [{ preview: first }, { preview: second }] = [
      await create({ image: PICTURE }),
      await create({ image: PICTURE }),
    ];
    expect(second?.imageUrl).toBe(first?.imageUrl);
    expect(await own()).toHaveLength(1);
    const { preview: foreign } = await create({ image: PICTURE }, await server.caller('foreign'));
    expect(foreign?.imageUrl).not.toBe(first?.imageUrl);
  });

  test.each([
    ['an SVG', dataUrl(Buffer.from('<svg/>'), 'svg+xml'), 'NOT_AN_IMAGE'],
    ['a page', dataUrl(Buffer.from('<!doctype html>')), 'NOT_AN_IMAGE'],
    ['an animation', dataUrl(pngOf(halves(), pngChunk('acTL', Buffer.alloc(8)))), 'IMAGE_ANIMATED'],
    [
      'two files in one',
      dataUrl(Buffer.concat([pngOf(halves()), Buffer.from('PK')])),
      'IMAGE_HAS_TRAILING_DATA',
    ],
    ['a damaged one', dataUrl(pngOf(halves()).subarray(0, -3)), 'IMAGE_DAMAGED'],
    ['too large a one', dataUrl(Buffer.alloc(1_000_001)), 'IMAGE_TOO_LARGE'],
  ])('is refused if it is %s', async (_name, image, reason) => {
    expect(await create({ image })).toMatchObject({ fields: [{ path: ['preview', 'image'], reason }] });
    expect(await own()).toEqual([]);
  });

  test('says of one in colours for print that it may be the reason', async () => {
    // As other programs save it: a JPEG of 8 by 8 pixels in CMYK.
    const image =
      'data:image/jpeg;base64,/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAbEhQXFBEbFxYXHhwbIChCKyglJShROj0wQmBVZWRfVV1baniZgWpxkHNbXYW1hpCeo6u' +
      'tq2eAvMm6pseZqKuk/8AAFAgACAAIBEMRAE0RAFkRAEsRAP/EABQAAQAAAAAAAAAAAAAAAAAAAAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oADgRDAE0AWQBLA' +
      'AA/AEwyMkz/2Q==';
    const messages = ['cannot be read: the image is damaged, or has colours for print (CMYK)'];
    expect(await create({ image })).toMatchObject({ fields: [{ messages, reason: 'IMAGE_DAMAGED' }] });
  });

  test('may have one megabyte, which passes the limits of a request, unlike another long text', async () => {
    const padding = pngChunk('tEXt', Buffer.alloc(990_000 - pngOf(halves()).length, 'x'));
    const image = dataUrl(pngOf(halves(), padding));
    expect(image.length).toBeGreaterThan(1_300_000);
    expect(await create({ image })).toMatchObject({ preview: { imageUrl: expect.any(String) } });
    const title = 'x'.repeat(30_000);
    const { errors } = await owner.graphql(
      'mutation ($input: CreateLinkInput!) { createLink(input: $input) { __typename } }',
      { input: { url: 'https://example.com/', preview: { title, image } } },
    );
    expect(errors).toMatchObject([{ extensions: { code: 'TOO_COSTLY', textLength: 30_000 } }]);
  });

  test('may also be a variable of its own, and one of a saved operation', async () => {
    const padding = pngChunk('tEXt', Buffer.alloc(990_000 - pngOf(halves()).length, 'x'));
    const image = dataUrl(pngOf(halves(), padding));
    const document = `mutation ($image: String!) {
      createLink(input: { url: "https://example.com/", preview: { image: $image } }) { ... on Link { preview { imageUrl } } }
    }`;
    const made = { createLink: { preview: { imageUrl: expect.any(String) } } };
    expect(await owner.data(document, { image })).toEqual(made);
    // The same variable in another place is a text as any other.
    const { errors } = await owner.graphql(document.replace('url: "https://example.com/"', 'url: $image'), {
      image,
    });
    expect(errors).toMatchObject([{ extensions: { code: 'TOO_COSTLY', textLength: image.length } }]);
    await owner.data(
      'mutation ($input: CreateSavedOperationInput!) { createSavedOperation(input: $input) { ... on SavedOperation { id } } }',
      { input: { name: 'card', document: document.replace('mutation', 'mutation Card') } },
    );
    const response = await owner.fetch('/api/run/card', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ image }),
    });
    expect(response.status).toBe(200);
  });

  test('has its price', async () => {
    const { errors } = await owner.graphql(
      'mutation ($inputs: [CreateLinkInput!]!) { createLinks(inputs: $inputs) { __typename } }',
      {
        inputs: Array.from({ length: 7 }, () => ({
          url: 'https://example.com/',
          preview: { image: PICTURE },
        })),
      },
    );
    expect(errors).toMatchObject([{ extensions: { code: 'TOO_COSTLY' } }]);
  });

  test('is refused once those of the account have too many bytes', async () => {
    const small = await startTestServer({ previewMegabytes: 0 });
    try {
      const caller = await small.caller('full');
      expect(await create({ image: PICTURE }, caller)).toMatchObject({
        fields: [{ path: ['preview', 'image'], reason: 'IMAGE_STORAGE_FULL' }],
      });
    } finally {
      await small.stop();
    }
  });

  test('goes with the last link and the last kept change that name it', async () => {
    const { id, preview } = await create({ image: PICTURE });
    await deleteUnnamed();
    expect(await own()).toHaveLength(1);
    await update(id, { image: OTHER });
    await update(id, { image: null });
    await settled(server.database);
    await deleteUnnamed();
    // The history has both.
    expect(await own()).toHaveLength(2);
    await server.database.prisma.changeValues.deleteMany();
    await deleteUnnamed();
    expect(await own()).toEqual([]);
    const image = preview?.imageUrl ?? '';
    expect(await update(id, { image })).toMatchObject({ fields: [{ reason: 'UNKNOWN_IMAGE' }] });
  });

  test('that no write used in the end is deleted a while later', async () => {
    const { fields } = await create({ image: PICTURE }, owner, { spaceId: '999999' });
    expect(fields).toMatchObject([{ path: ['spaceId'] }]);
    await deleteUnnamed();
    expect(await own()).toEqual([]);
  });
});

describe('the history', () => {
  const values = async () => {
    await settled(server.database);
    const { changes } = await owner.data<{
      changes: { nodes: { id: string; values: { name: string; before: string; after: string }[] | null }[] };
    }>('{ changes(last: 1) { nodes { id values { name before after } } } }');
    return changes.nodes[0];
  };
  const revert = (id: string | undefined) =>
    owner.data(
      `mutation ($id: ID!) { revertChange(id: $id) { __typename ... on ValidationError { fields { path reason } } } }`,
      { id },
    );
  const read = async (id: string | undefined) =>
    (
      await owner.data<{ link: Written }>(
        `{ link(id: "${id}") { id preview { title description imageUrl } } }`,
      )
    ).link;

  test('has the values of a preview, and takes its changes and the deletion of its link back', async () => {
    const { id, preview } = await create({ title: 'Shoes', image: PICTURE });
    await update(id, { title: 'Boots', image: null });
    const change = await values();
    expect(change?.values).toMatchObject([{ name: 'preview' }]);
    expect(JSON.stringify(change?.values)).toContain('/api/preview/');
    expect(await revert(change?.id)).toMatchObject({ revertChange: { __typename: 'RevertedChange' } });
    expect(await read(id)).toMatchObject({ preview });
    await owner.data(`mutation { deleteLink(id: "${id}") { __typename } }`);
    await deleteUnnamed();
    const deletion = await values();
    expect(await revert(deletion?.id)).toMatchObject({ revertChange: { __typename: 'RevertedChange' } });
    expect(await read(id)).toMatchObject({ preview });
  });
});

test('a photo of a camera loses its metadata, and much noise still fits', async () => {
  const photo = dataUrl(await jpegOf(noise(300, 300)), 'jpeg');
  await create({ image: photo });
  const [stored] = await own();
  expect(stored?.size).toBeLessThanOrEqual(100_000);
  expect(Buffer.from(stored?.content ?? '', 'base64')).toHaveLength(stored?.size ?? 0);
});

describe('an export', () => {
  test('as JSON has the preview with its image, which an import makes anew for another account', async () => {
    const { preview } = await create({ title: 'Shoes', description: 'Half price', image: PICTURE });
    const text = await exportOf(server, 'json', account);
    expect(text).toContain('"preview_image":"data:image/jpeg;base64,');
    const csv = await exportOf(server, 'csv', account);
    expect(csv).toContain('preview_title,preview_description,external_id');
    expect(csv).not.toContain('data:image');
    const other = `${account}, moved`;
    await server.caller(other);
    await importInto(server, { text: text.replaceAll('"alias":"', '"alias":"moved-') }, { account: other });
    const { links } = await (await server.caller(other)).data<{ links: { nodes: { preview: Preview }[] } }>(
      '{ links(first: 5) { nodes { preview { title description imageUrl } } } }',
    );
    expect(links.nodes).toMatchObject([{ preview: { title: 'Shoes', description: 'Half price' } }]);
    expect(links.nodes[0]?.preview.imageUrl).not.toBe(preview?.imageUrl);
  });

  test('with a wrong image refuses that link alone, by its column', async () => {
    const line = (alias: string, image: string) => ({
      ...{ kind: 'link', alias, url: 'https://example.com/', preview_image: image },
    });
    const broken = dataUrl(pngOf(halves()).subarray(0, -4));
    const bomb = dataUrl(
      Buffer.concat([PNG_START, pngHeader(9, 9), pngChunk('IDAT', Buffer.from('none')), pngChunk('IEND')]),
    );
    const data = [line('first', broken), line('second', bomb), line('third', PICTURE)];
    const { told, created, refused } = await importInto(
      server,
      { text: JSON.stringify({ data }) },
      { account },
    );
    expect(told.map(({ column }) => column)).toEqual(['preview_image', 'preview_image']);
    expect({ created, refused }).toEqual({ created: 1, refused: 2 });
  });
});
