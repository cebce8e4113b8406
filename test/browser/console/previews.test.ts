import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import { newUrl, shown, signIn } from '../../support/console.ts';
import { exifWith, halves, jpegOf, withExif } from '../../support/images.ts';

// Costs more than 3 s of processor time: it starts a browser.
describe.runIf(chromiumPath)('the preview of a link in the console, in a browser', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ background: true });
  });
  afterEach(closeTabs);
  afterAll(() => server.stop());

  const file = async (name = 'photo.jpg') => ({
    name,
    mimeType: 'image/jpeg',
    // Turned, and with a second picture behind its end, as some phones write them.
    buffer: Buffer.concat([withExif(await jpegOf(halves(640, 320)), exifWith(6)), Buffer.from('more')]),
  });

  test('is entered with a picture, drawn as networks show it, and kept, changed and removed', async () => {
    const caller = await server.caller('cards');
    const { page, accountId, complaints } = await signIn({ server, key: caller.key }, { width: 390 });
    await (await newUrl(page)).fill('https://example.com/shoes');
    const fold = page.getByText('Preview', { exact: true });
    await (await shown(fold)).click();
    await page.getByLabel('Title', { exact: true }).fill('Shoes of 2026');
    const cards = page.getByRole('region', { name: 'How it looks' });
    await page.getByLabel('Text', { exact: true }).fill('Half price until Sunday');
    await shown(cards);
    expect(await cards.getByText('Shoes of 2026').count()).toBe(4);
    await page.getByLabel('Title of the card').fill('Shoes');
    await page.getByLabel('Image', { exact: true }).setInputFiles(await file());
    await expect.poll(() => cards.getByRole('presentation').count()).toBe(4);
    // Upright
    const size = await cards
      .locator('img')
      .first()
      .evaluate((image) => [Reflect.get(image, 'naturalWidth'), Reflect.get(image, 'naturalHeight')]);
    expect(size).toEqual([320, 640]);
    for (const name of ['Slack', 'WhatsApp', 'LinkedIn', 'X'])
      await shown(cards.getByText(name, { exact: true }));
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(overflow).toBe(false);

    await page.getByLabel('Image', { exact: true }).setInputFiles({
      ...{ name: 'page.jpg', mimeType: 'image/jpeg' },
      buffer: Buffer.from('<!doctype html>'),
    });
    await shown(page.getByText('This file is no image that can be read.'));
    await (await newUrl(page)).press('Enter');
    await shown(page.getByRole('region', { name: 'Your link is ready' }));

    const { prisma } = server.database;
    const stored = async () =>
      (await prisma.link.findFirst({ where: { url: 'https://example.com/shoes' } })) ?? null;
    const link = await stored();
    expect(link).toMatchObject({ previewTitle: 'Shoes', previewDescription: 'Half price until Sunday' });
    expect(link?.previewImage).toMatch(/^[0-9a-f]{40}$/);

    await page.goto(`${server.origin}/console/${accountId}/links/${link?.id}`);
    await (await shown(fold)).click();
    await expect.poll(() => cards.locator('img').count()).toBe(4);
    await expect
      .poll(() =>
        cards
          .locator('img')
          .first()
          .evaluate((image) => Reflect.get(image, 'naturalWidth')),
      )
      .toBe(320);
    await page.getByRole('button', { name: 'Remove the image' }).click();
    await page.getByLabel('Title of the card').fill('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(stored).toMatchObject({
      previewTitle: null,
      previewDescription: 'Half price until Sunday',
      previewImage: null,
    });
    expect(complaints).toEqual([]);
  });
});
