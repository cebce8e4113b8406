import { readFileSync } from 'node:fs';
import jsQR from 'jsqr';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verifyHost } from '../../../src/domain/short-domain/admin.ts';
import type { Caller } from '../../../src/testing/caller.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs, newTab } from '../../support/browser.ts';
import { follow, newUrl, rowOf, shown, signIn, unfold } from '../../support/console.ts';

// A CommonJS module, whose default is its exports.
const decode = jsQR as unknown as typeof jsQR.default;

function readOf(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png);
  return decode(new Uint8ClampedArray(data), width, height)?.data;
}

/** A picture of one colour. */
function pictureOf(color: readonly number[]): Buffer {
  const png = new PNG({ width: 60, height: 40 });
  for (let at = 0; at < png.data.length; at += 4) png.data.set(color, at);
  return PNG.sync.write(png);
}

/** The file that a button saves. */
async function saved(page: Page, button: string): Promise<{ name: string; content: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: button }).click(),
  ]);
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}

/** A drawing as a browser shows it. */
async function pictureIn(svg: string): Promise<Buffer> {
  const page = await newTab();
  await page.setContent(`<body style="margin: 0">${svg}</body>`);
  const picture = await page.locator('svg').screenshot();
  await page.close();
  return picture;
}

describe.runIf(chromiumPath)('campaigns in the console, in a browser', () => {
  let server: TestServer;
  let accounts = 0;
  beforeAll(async () => {
    server = await startTestServer({ background: true, verifiesDomains: true });
  });
  afterEach(closeTabs);
  afterAll(async () => {
    await server.stop();
  });

  const newAccount = () => server.caller(`account ${++accounts}`);
  const tabOf = (caller: Caller, role?: 'VIEWER') =>
    signIn({ server, key: caller.key }, { ...(role && { role }) });
  const urlsOf = async (caller: Caller): Promise<Record<string, string>> => {
    const { links } = await caller.data<{ links: { nodes: { alias: string; url: string }[] } }>(
      '{ links(first: 100) { nodes { alias url } } }',
    );
    return Object.fromEntries(links.nodes.map(({ alias, url }) => [alias, url]));
  };
  const withTemplate = (caller: Caller) =>
    caller.data(`mutation { createUtmTemplate(input: { name: "Mail", medium: "email",
      campaign: "spring-{date}", content: "{alias}" }) { __typename } }`);
  const today = () => server.clock.now.toISOString().slice(0, 10);

  test('are parameters of the URL, which the form reads and writes', async () => {
    const caller = await newAccount();
    await caller.link({ alias: 'one', url: 'https://example.com/?b=%7e&utm_campaign=spring#top' });
    const { page, complaints } = await tabOf(caller);
    await rowOf(page, 'one').getByRole('link', { name: 's.example/one' }).click();
    const fold = page.locator('.utm summary');
    await expect.poll(() => fold.innerText()).toMatch(/^Campaign\s+spring$/);
    await fold.click();
    await page.getByLabel('Medium').fill('mail');
    await page.getByLabel('Campaign', { exact: true }).fill('fall & winter');
    const address = page.getByLabel('Destination').first();
    const changed = 'https://example.com/?b=%7e&utm_campaign=fall%20%26%20winter&utm_medium=mail#top';
    await expect.poll(() => address.inputValue()).toBe(changed);
    await expect.poll(() => fold.innerText()).toMatch(/^Campaign\s+fall & winter · mail$/);
    await address.fill('https://example.com/?utm_source=typed');
    await expect.poll(() => page.getByLabel('Source').inputValue()).toBe('typed');
    await address.fill(changed);
    await unfold(page);
    await page.getByRole('checkbox', { name: 'Forward query parameters' }).uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { linkByShortUrl: link } = await caller.data<{ linkByShortUrl: object }>(
      '{ linkByShortUrl(url: "https://s.example/one") { url forwardsQuery } }',
    );
    expect(link).toEqual({ url: changed, forwardsQuery: false });
    await follow(page, '/activity');
    await page.getByText('changed: destination, forwarding of query parameters').waitFor();
    expect(complaints).toEqual([]);
  });

  test('have templates, which editors make, change and delete, and viewers see', async () => {
    const caller = await newAccount();
    const { page, complaints } = await tabOf(caller);
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByText('No templates yet').waitFor();
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByLabel('Name').fill('Mail');
    await page.getByLabel('Medium').fill('email');
    await page.getByLabel('Content').fill('{alias}');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('email · {alias}').waitFor();
    await page.getByRole('button', { name: 'Actions for Mail' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await expect.poll(() => page.getByLabel('Content').inputValue()).toBe('{alias}');
    await page.getByLabel('Content').fill('');
    await page.getByLabel('Name').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The name may not be empty.').waitFor();
    await page.getByLabel('Name').fill('Newsletter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Newsletter', { exact: true }).waitFor();
    await page.getByText('email', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Actions for Newsletter' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No templates yet').waitFor();
    await caller.data('mutation { createUtmTemplate(input: { name: "Kept", source: "x" }) { __typename } }');
    // Tabs share their cookies.
    const viewer = await tabOf(caller, 'VIEWER');
    await follow(viewer.page, '/templates');
    await viewer.page.getByText('Kept').waitFor();
    expect(await viewer.page.getByRole('main').getByRole('button').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('make a link for each of several sources at once, from a template', async () => {
    const caller = await newAccount();
    await withTemplate(caller);
    await caller.link({ alias: 'sale-x', url: 'https://example.com/taken' });
    const { page, complaints } = await tabOf(caller);
    await (await newUrl(page)).fill('https://example.com/sale');
    await page.locator('.utm summary').click();
    await page.getByLabel('Template').selectOption('Mail');
    await expect.poll(() => page.getByLabel('Content').getAttribute('placeholder')).toBe('{alias}');
    await page.getByLabel('Alias').fill('sale');
    await expect.poll(() => page.getByLabel('Content').getAttribute('placeholder')).toBe('sale');
    const sources = page.getByLabel('Several sources at once');
    await sources.fill('Newsletter');
    await sources.press('Enter');
    await sources.pressSequentially('facebook, x');
    // What is typed counts before it is entered.
    await shown(page.getByRole('button', { name: 'Create 3 links' }));
    await expect.poll(() => sources.inputValue()).toBe('x');
    await sources.press('Enter');
    await expect
      .poll(() => page.locator('.utm .chips li').allInnerTexts())
      .toEqual(['Newsletter', 'facebook', 'x']);
    await page.getByText('such as sale-newsletter, sale-facebook, sale-x.').waitFor();
    // What is really made, and Enter in an empty field sends nothing.
    await expect
      .poll(() => page.getByLabel('Content').getAttribute('placeholder'))
      .toBe('sale-newsletter, sale-facebook, sale-x');
    await sources.press('Enter');
    await page.getByLabel('Title', { exact: true }).fill('Sale');
    const create = page.getByRole('button', { name: /^Create \d links$/ });
    await create.click();
    await page.getByText(/sale-x: The alias/).waitFor();
    expect(Object.keys(await urlsOf(caller))).toEqual(['sale-x']);
    await page.getByRole('button', { name: 'Remove x' }).click();
    await expect.poll(() => create.innerText()).toBe('Create 2 links');
    await create.click();
    await page.getByText('2 links are ready').waitFor();
    const rest = (alias: string) => `utm_medium=email&utm_campaign=spring-${today()}&utm_content=${alias}`;
    await expect
      .poll(() => urlsOf(caller))
      .toMatchObject({
        'sale-newsletter': `https://example.com/sale?utm_source=Newsletter&${rest('sale-newsletter')}`,
        'sale-facebook': `https://example.com/sale?utm_source=facebook&${rest('sale-facebook')}`,
      });
    await expect
      .poll(() => page.locator('.created li a').allInnerTexts())
      .toEqual([...['s.example/sale-newsletter', 's.example/sale-facebook']]);
    await page.getByRole('button', { name: 'Copy all short URLs' }).waitFor();
    await rowOf(page, 'sale-facebook').getByText('Sale · facebook').waitFor();
    expect(complaints).toEqual([]);
  });

  test('change selected links, with before and after shown, and take that back', async () => {
    const caller = await newAccount();
    await withTemplate(caller);
    for (const alias of ['first', 'second'])
      await caller.link({ alias, url: `https://example.com/${alias}` });
    const before = await urlsOf(caller);
    const { page, complaints } = await tabOf(caller);
    for (const alias of ['first', 'second']) await rowOf(page, alias).getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Campaign', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nothing changes.').waitFor();
    await dialog.getByLabel('Template').selectOption('Mail');
    await dialog.getByLabel('Campaign', { exact: true }).fill('');
    await expect
      .poll(() => dialog.locator('tbody td').allInnerTexts())
      .toEqual([
        ...['example.com/first', 'example.com/first?utm_medium=email&utm_content=first'],
        ...['example.com/second', 'example.com/second?utm_medium=email&utm_content=second'],
      ]);
    await dialog.getByRole('button', { name: 'Change 2 links' }).click();
    await page.locator('.toast').getByText('Campaign set for 2 links.').waitFor();
    expect((await urlsOf(caller)).second).toBe(
      'https://example.com/second?utm_medium=email&utm_content=second',
    );
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await page.getByText('Undone: ').waitFor();
    await expect.poll(() => urlsOf(caller)).toEqual(before);
    expect(complaints).toEqual([]);
  });

  test('lead whoever opens a host alone to where its owner says', async () => {
    const caller = await newAccount();
    const host = `go${accounts}.example`;
    await caller.domain(host);
    const { page } = await tabOf(caller);
    await follow(page, '/domains');
    await page.getByRole('button', { name: `Actions for ${host}` }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByLabel('The bare domain leads to').fill('example.com/home');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The bare domain leads to https://example.com/home').waitFor();
  });

  test('open in apps that a host names, of which a wrong one is told by its line', async () => {
    const caller = await newAccount();
    const host = `go${accounts}.example`;
    await caller.domain(host);
    await verifyHost(server.database, host, server.clock.now);
    const { page, complaints } = await tabOf(caller);
    await follow(page, '/domains');
    const open = async () => {
      await page.getByRole('button', { name: `Actions for ${host}` }).click();
      await page.getByRole('menuitem', { name: 'Apps on phones' }).click();
    };
    await open();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('iOS').fill('ABCDE12345.com.example.app /a/*\nabc.com.example.app');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await shown(dialog.getByText('Line 2: The team id must be the id of a team'));
    await dialog.getByLabel('iOS').fill('ABCDE12345.com.example.app /a/*');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { domains } = await caller.data<{ domains: { nodes: { apps: object }[] } }>(
      '{ domains { nodes { apps { apple { teamId bundleId paths } android { package } } } } }',
    );
    expect(domains.nodes.at(-1)?.apps).toEqual({
      apple: [{ teamId: 'ABCDE12345', bundleId: 'com.example.app', paths: ['/a/*'] }],
      android: [],
    });
    await open();
    await expect.poll(() => dialog.getByLabel('iOS').inputValue()).toBe('ABCDE12345.com.example.app /a/*');
    expect(complaints).toEqual([]);
  });

  test('are found again by saved views, which others see', async () => {
    const caller = await newAccount();
    await caller.link({ alias: 'seen-off', disabled: 1 });
    await caller.link({ alias: 'seen-on' });
    const { page, complaints } = await tabOf(caller);
    await follow(page, '/links?status=disabled');
    const menu = page.getByRole('button', { name: 'Views', exact: true });
    await menu.waitFor();
    // As high as the filters beside it.
    const order = await page.getByLabel('Order', { exact: true }).boundingBox();
    expect(await menu.boundingBox()).toMatchObject({ y: order?.y, height: order?.height });
    await menu.click();
    await page.getByRole('menuitem', { name: 'New view' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Off');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await caller.data('{ savedViews { nodes { name view query } } }')).toEqual({
      savedViews: { nodes: [{ name: 'Off', view: 'LINKS', query: 'status=disabled' }] },
    });
    // Its cookie replaces the one of the first tab.
    const { page: other } = await tabOf(caller, 'VIEWER');
    await follow(other, '/links');
    await rowOf(other, 'seen-on').waitFor();
    await other.getByRole('button', { name: 'Views', exact: true }).click();
    await other.getByRole('menuitemradio', { name: 'Off' }).click();
    await rowOf(other, 'seen-on').waitFor({ state: 'detached' });
    await rowOf(other, 'seen-off').waitFor();
    await other.getByRole('button', { name: 'Off', exact: true }).click();
    expect(await other.getByRole('menuitem').count()).toBe(0);
    const { page: again, complaints: later } = await tabOf(caller);
    await follow(again, '/links?status=disabled');
    await again.getByRole('button', { name: 'Off', exact: true }).click();
    await again.getByRole('menuitem', { name: 'Delete' }).click();
    const question = again.getByRole('dialog');
    await question.getByRole('button', { name: 'Delete' }).click();
    await question.waitFor({ state: 'detached' });
    await again.getByRole('button', { name: 'Views', exact: true }).waitFor();
    expect(await caller.data('{ savedViews { nodes { name } } }')).toEqual({ savedViews: { nodes: [] } });
    expect([...complaints, ...later]).toEqual([]);
  });

  test('have QR codes in two colours and with a logo, which a reader reads', async () => {
    const caller = await newAccount();
    await caller.link({ alias: 'code' });
    const long = 'x'.repeat(120);
    await caller.link({ alias: long });
    const { page, complaints } = await tabOf(caller);
    const open = async (alias: string) => {
      await rowOf(page, alias)
        .getByRole('button', { name: /Actions/ })
        .click();
      await page.getByRole('menuitem', { name: 'QR code' }).click();
    };
    const ink = page.getByLabel('Colour of the code', { exact: true });
    for (const alias of ['code', long]) {
      await open(alias);
      const dialog = page.getByRole('dialog');
      const shortUrl = `https://s.example/${alias}`;
      await shown(dialog.getByRole('img', { name: `QR code of ${shortUrl}` }));
      for (const size of ['256', '1024']) {
        await dialog.getByLabel('Size').selectOption(size);
        for (const logo of [false, true]) {
          if (logo) {
            const file = { name: 'logo.png', mimeType: 'image/png', buffer: pictureOf([200, 30, 60, 255]) };
            await dialog.getByLabel('Logo in the middle').setInputFiles(file);
            await dialog.getByRole('button', { name: 'Remove the logo' }).waitFor();
          }
          const png = await saved(page, 'Save as PNG');
          expect([png.name, PNG.sync.read(png.content).width]).toEqual([
            `s.example-${alias}.png`,
            Number(size),
          ]);
          expect([size, logo, readOf(png.content)]).toEqual([size, logo, shortUrl]);
          const svg = await saved(page, 'Save as SVG');
          expect(svg.name).toBe(`s.example-${alias}.svg`);
          expect(svg.content.includes('<image')).toBe(logo);
          expect([size, logo, readOf(await pictureIn(svg.content.toString()))]).toEqual([
            size,
            logo,
            shortUrl,
          ]);
        }
        await dialog.getByRole('button', { name: 'Remove the logo' }).click();
      }
      await ink.fill('#0d4f96');
      await dialog.getByLabel('Background', { exact: true }).fill('ffe9a8');
      expect(readOf((await saved(page, 'Save as PNG')).content)).toBe(shortUrl);
      await ink.fill('#ffffff');
      await dialog.getByText('The code must be darker than its background').waitFor();
      await expect.poll(() => dialog.getByRole('button', { name: 'Save as PNG' }).isDisabled()).toBe(true);
      await ink.fill('#000');
      await dialog.getByLabel('Background', { exact: true }).fill('#fff');
      const file = { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('no image') };
      await dialog.getByLabel('Logo in the middle').setInputFiles(file);
      await dialog.getByText('This file has no image').waitFor();
      await page.keyboard.press('Escape');
    }
    // The next code looks like the last one, also on another day.
    await open('code');
    await ink.fill('#0d4f96');
    await page.reload();
    await open('code');
    await expect.poll(() => ink.inputValue()).toBe('#0d4f96');
    expect(complaints).toEqual([]);
  });
});
