import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { Caller } from '../../../src/testing/caller.ts';
import { startTestServer } from '../../../src/testing/server.ts';
import { chromiumPath, closeTabs } from '../../support/browser.ts';
import {
  chooseInAccount,
  closeSheet,
  follow,
  loadedAhead,
  newUrl,
  openConsole,
  PASSWORD,
  rowOf,
  shown,
  signIn,
} from '../../support/console.ts';
import { startService } from '../../support/service.ts';

const KEY = 'a-key-of-more-than-thirty-two-characters';

describe.runIf(chromiumPath)('the console while the service is away, in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-console-'));
  const env = {
    DATABASE_URL: `file:${join(folder, 'links.db')}`,
    INITIAL_API_KEY: KEY,
    BASE_URL: 'https://s.example',
  };
  afterEach(closeTabs);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('says so, reads again what others changed as soon as it is back, and makes a link that was sent meanwhile once', async () => {
    const first = await startService(env);
    const [, welcome = ''] = /(\/console\/welcome#\S+)/.exec(first.stdout) ?? [];
    const { page } = await openConsole(first.origin, { path: welcome.replace('/console', '') });
    await page.getByLabel('Your name').fill('Kim');
    await page.getByLabel('Email address').fill('kim@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page.getByText('No links yet').waitFor();
    // Many browsers keep that a script could not be loaded, also one that is loaded ahead.
    await loadedAhead(page);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText('No links yet').waitFor();
    await first.stop();
    const notice = page.getByText('The service does not answer. Keep this page open');
    const unread = page.getByText('Not available while the service does not answer.');
    // Those that were read before stay.
    const figures = page.locator('.totals');
    // Of an account without clicks, there are none yet.
    const steps = page.getByRole('region', { name: 'Get started' });
    await shown(notice);
    // Also in a tab without the stream of changes, where nothing is asked for.
    await shown(other.getByText('The service does not answer. Keep this page open'));
    await other.close();
    // Once, whatever cannot be read.
    await page.getByRole('link', { name: 'Overview' }).click();
    await shown(page.getByRole('heading', { name: 'Overview' }));
    await shown(figures.or(unread).or(steps).filter({ visible: true }).first());
    await expect.poll(() => notice.count()).toBe(1);
    // Where messages stand, in sight wherever the page is scrolled to.
    await expect.poll(() => notice.locator('..').locator('..').getAttribute('class')).toBe('toasts');
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page.getByRole('link', { name: 'Spaces' }).click();
    await page.goBack();
    // Left before it fails.
    await page.goForward();
    await page.goBack();
    await (await newUrl(page)).fill('https://example.com/meanwhile');
    await page.keyboard.press('Enter');
    await shown(page.getByText('Not done: the service does not answer. Press again when it is back.'));
    await expect.poll(() => page.getByText('does not answer').count()).toBe(1);
    const second = await startService({ ...env, PORT: new URL(first.origin).port });
    const caller = new Caller(second.origin, KEY);
    const { alias } = await caller.link({ title: 'By somebody else' });
    await fetch(`${second.origin}/${alias}`, { redirect: 'manual' });
    await shown(rowOf(page, alias));
    await shown(page.getByText('The service is back.'));
    const ready = page.getByText('Your link is ready');
    await expect
      .poll(async () => {
        // The form goes when the link is made.
        await page.evaluate(`document.querySelector('.new-link form')?.requestSubmit()`);
        return ready.isVisible();
      })
      .toBe(true);
    const query = '{ links(filter: { search: "meanwhile", searchBy: URL }) { totalCount } }';
    await expect.poll(() => caller.data(query)).toEqual({ links: { totalCount: 1 } });
    const third = await caller.link({ title: 'Live again' });
    await shown(rowOf(page, third.alias));
    await page.getByRole('link', { name: 'Spaces' }).click();
    await shown(page.getByText('No spaces yet'));
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await shown(rowOf(page, third.alias));
    await second.stop();
    await shown(notice);
    // Links of another search are not shown as what this one finds.
    await page.getByLabel('Search links').fill('nothing');
    await shown(unread);
    await expect.poll(() => page.locator('.row').count()).toBe(0);
    // A part that could not be loaded comes by itself.
    await page.getByRole('link', { name: 'Tags' }).click();
    const last = await startService({ ...env, PORT: new URL(first.origin).port });
    await shown(page.getByText('No tags yet'));
    await last.stop();
    // Nor need statistics be asked for again.
    await page.getByRole('link', { name: 'Overview' }).click();
    await shown(notice);
    await shown(figures.or(unread).or(steps).filter({ visible: true }).first());
    const fourth = await startService({ ...env, PORT: new URL(first.origin).port });
    await shown(figures);
    await page.getByRole('button', { name: /^Period: / }).click();
    const week = await shown(page.getByRole('button', { name: '7 days', exact: true }));
    await fourth.stop();
    // Figures of another period are not shown as those of this one.
    await week.click();
    await shown(unread);
    await expect.poll(() => figures.count()).toBe(0);
  });

  test('loads itself again once if another version is installed, but not over what somebody typed', async () => {
    const server = await startTestServer();
    const caller = await server.caller();
    const { alias } = await caller.link();
    const { page } = await signIn({ server, key: caller.key });
    let loads = 0;
    page.on('load', () => loads++);
    let isOld = true;
    // The scripts of the old version are not there any more, and pages name those of another one.
    await page.route(
      (url) => /assets\/(pixels|link-view)-/.test(url.pathname),
      (route) => (isOld ? route.fulfill({ status: 404, contentType: 'text/html' }) : route.continue()),
    );
    await page.route(`${server.origin}/console`, async (route) => {
      const response = await route.fetch();
      const body = await response.text();
      await route.fulfill({
        response,
        body: isOld ? body.replace(/first-[\w-]+\.js/, 'first-new.js') : body,
      });
    });
    await page.getByRole('link', { name: 'Pixels' }).click();
    await shown(page.getByText('A new version of the console is installed.'));
    expect(loads).toBe(1);
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page.evaluate('sessionStorage.clear()');
    await (await newUrl(page)).fill('https://example.com/typed');
    await closeSheet(page);
    await rowOf(page, alias).locator('.short').click();
    await shown(page.getByText('Not saved yet: the new link.'));
    expect(loads).toBe(1);
    isOld = false;
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByRole('heading', { name: `s.example/${alias}` }).waitFor();
    // The console may be asking for its version right now.
    await page.unrouteAll({ behavior: 'wait' });
    await server.stop();
  });

  test('keeps the card of a link that was just made if another version is installed', async () => {
    const server = await startTestServer();
    const { page } = await signIn({ server, key: (await server.caller()).key });
    let loads = 0;
    page.on('load', () => loads++);
    // Only the part of the card with the QR code is not there any more.
    await page.route(
      (url) => /assets\/qr-/.test(url.pathname),
      (route) => route.fulfill({ status: 404, contentType: 'text/html' }),
    );
    await page.route(`${server.origin}/console`, async (route) => {
      const response = await route.fetch();
      const body = await response.text();
      await route.fulfill({ response, body: body.replace(/first-[\w-]+\.js/, 'first-new.js') });
    });
    await (await newUrl(page)).fill('https://example.com/made');
    await page.keyboard.press('Enter');
    const card = page.getByRole('region', { name: 'Your link is ready' });
    await shown(card.getByText('A new version of the console is installed.'));
    expect(loads).toBe(0);
    await shown(card.getByRole('button', { name: 'Copy' }));
    await card.getByRole('button', { name: 'Load again' }).click();
    await expect.poll(() => loads).toBe(1);
    await page.unrouteAll({ behavior: 'wait' });
    await server.stop();
  });

  test('says so also where only a part that somebody opens finds it out', async () => {
    const server = await startTestServer();
    const { page } = await signIn({ server, key: (await server.caller()).key });
    await loadedAhead(page);
    const context = page.context();
    try {
      await context.setOffline(true);
      await page.getByRole('link', { name: 'Keys' }).click();
      await shown(page.getByText('The service does not answer. Keep this page open'));
    } finally {
      await context.setOffline(false);
    }
    await shown(page.getByText('The service is back.'));
    await server.stop();
  });

  test('says no longer that it does not answer as soon as it does, wherever that was said', async () => {
    const server = await startTestServer();
    const { page } = await signIn({ server, key: (await server.caller()).key }, { path: '/spaces' });
    await shown(page.getByText('No spaces yet'));
    await page.getByRole('button', { name: 'New space' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Launch');
    const context = page.context();
    try {
      await context.setOffline(true);
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await shown(page.getByRole('dialog').getByText('Not done: the service does not answer.'));
    } finally {
      await context.setOffline(false);
    }
    await expect.poll(() => page.getByText('does not answer').count()).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await shown(page.getByText('Launch'));
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await (await newUrl(page)).fill('https://example.com/later');
    try {
      await context.setOffline(true);
      await page.keyboard.press('Enter');
      await shown(page.getByText('Not done: the service does not answer.'));
    } finally {
      await context.setOffline(false);
    }
    await shown(page.getByText('The service is back. What you did meanwhile was not done.'));
    await expect.poll(() => page.getByText('does not answer').count()).toBe(0);
    await server.stop();
  });

  test('asks again for what broke off while the service was there', async () => {
    const server = await startTestServer();
    const caller = await server.caller();
    const { alias } = await caller.link();
    const { page } = await signIn({ server, key: caller.key }, { path: '/spaces' });
    await shown(page.getByText('No spaces yet'));
    await loadedAhead(page);
    await page.clock.install();
    let broken: string | null = null;
    await page.route(/\/(graphql|auth)/, (route, request) => {
      if (broken === null || !`${request.url()} ${request.postData()}`.includes(broken))
        return route.continue();
      broken = null;
      return route.abort('connectionreset');
    });
    for (const [part, open, there] of [
      [
        '"operationName":"Links"',
        () => page.getByRole('link', { name: 'Links', exact: true }).click(),
        rowOf(page, alias),
      ],
      [
        'auth/profile',
        () => chooseInAccount(page, 'Profile'),
        page.getByRole('heading', { name: 'Passkeys' }),
      ],
    ] as const) {
      broken = part;
      await open();
      await shown(page.getByText('The service does not answer. Check your connection'));
      await page.clock.runFor(5_000);
      await shown(there);
      expect(await page.getByText('does not answer').count()).toBe(0);
    }
    await server.stop();
  });

  test('is shown by itself after an outage, also before anybody is signed in', async () => {
    const server = await startTestServer();
    const { page } = await openConsole(server.origin);
    await page.getByLabel('Email address').fill('kim@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    const context = page.context();
    try {
      await context.setOffline(true);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await shown(page.getByText('the service does not answer'));
    } finally {
      await context.setOffline(false);
    }
    await expect.poll(() => page.getByText('does not answer').count()).toBe(0);
    await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe('kim@example.com');
    // As behind a proxy without a service.
    const gone = /\/(auth|readyz|graphql)/;
    await page.route(gone, (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
    await page.reload();
    await shown(page.getByRole('button', { name: 'Try again' }));
    await page.unroute(gone);
    await shown(page.getByLabel('Email address'));
    await server.stop();
  });

  test('shows lists again where it was there, but its database was not', async () => {
    const server = await startTestServer();
    const caller = await server.caller();
    const { alias } = await caller.link();
    const { page } = await signIn({ server, key: caller.key }, { path: '/spaces' });
    await shown(page.getByText('No spaces yet'));
    const error = { message: 'Later.', extensions: { code: 'UNAVAILABLE' } };
    const refuse = {
      status: 503,
      contentType: 'application/json',
      body: JSON.stringify({ errors: [error] }),
    };
    await page.route(/\/(graphql|readyz)$/, (route) => route.fulfill(refuse));
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await shown(
      page
        .getByText('The service does not answer. Keep this page open')
        .or(page.locator('.empty.wrong'))
        .first(),
    );
    await page.unroute(/\/(graphql|readyz)$/);
    await shown(rowOf(page, alias));
    await expect.poll(() => page.getByText('does not answer').count()).toBe(0);
    await expect.poll(() => page.locator('.wrong').count()).toBe(0);
    await server.stop();
  });

  test('shows what cannot be read as one card, which reads it again, in views, sheets, dialogs and parts of a view', async () => {
    const server = await startTestServer();
    const caller = await server.caller();
    const { alias } = await caller.link();
    const { page } = await signIn({ server, key: caller.key }, { path: '/spaces' });
    await shown(page.getByText('No spaces yet'));
    const errors = [{ message: 'Broken.', extensions: { code: 'INTERNAL' } }];
    const refuse = { contentType: 'application/json', body: JSON.stringify({ errors }) };
    const card = page.getByRole('alert').filter({ has: page.getByRole('heading', { name: 'Not loaded' }) });
    for (const [open, there] of [
      [() => follow(page, '/links'), rowOf(page, alias)],
      [() => rowOf(page, alias).locator('.short').click(), page.locator('.panel .form')],
      [() => follow(page, '/overview'), page.getByRole('region', { name: 'Get started' })],
      [() => follow(page, '/activity'), page.locator('.history')],
      [() => follow(page, '/settings'), page.getByLabel('Account name')],
      [() => follow(page, '/keys'), page.locator('.records')],
      [() => page.keyboard.press('Control+k'), page.getByRole('option', { name: alias })],
    ] as const) {
      await page.route('**/graphql', (route) => route.fulfill(refuse));
      await open();
      await shown(card.first());
      await page.unroute('**/graphql');
      await card.first().getByRole('button', { name: 'Try again' }).click();
      await shown(there);
      await expect.poll(() => card.count()).toBe(0);
    }
    await server.stop();
  });

  test('offers to load the page again where a part of it does not come', async () => {
    const server = await startTestServer();
    const caller = await server.caller();
    await caller.link();
    const { page } = await signIn({ server, key: caller.key });
    await page.route(/assets\/spaces-.*js/, (route) => route.abort());
    await page.getByRole('link', { name: 'Spaces' }).click();
    await shown(page.getByText('This part of the page could not be loaded or shown.'));
    await page.unroute(/assets\/spaces-.*js/);
    await page.getByRole('button', { name: 'Load again' }).click();
    await shown(page.getByText('No spaces yet'));
    // A dialog says it where messages stand.
    await page.route(/assets\/bulk-tags-.*js/, (route) => route.abort());
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page
      .getByRole('checkbox', { name: /^Select / })
      .first()
      .check();
    await page.getByRole('button', { name: 'Tags', exact: true }).click();
    const told = page.locator('.toasts').getByText('This part of the page could not be loaded or shown.');
    await shown(told);
    await server.stop();
  });

  test('says so, and offers to try again, where its own script does not come', async () => {
    const server = await startTestServer();
    const { page } = await openConsole(server.origin);
    await page.route(/assets\/first-.*js/, (route) => route.abort());
    await page.reload();
    // It is shown after some seconds.
    await page.evaluate('for (const one of document.getAnimations()) one.finish()');
    await page.getByText('The console could not be loaded yet.').waitFor();
    await page.unroute(/assets\/first-.*js/);
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.getByLabel('Email address').waitFor();
    await server.stop();
  });
});
