import { createServer } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createWelcome } from '../../../src/domain/access/sign-in.ts';
import { startTestServer, type TestServer } from '../../../src/testing/server.ts';
import { BROWSER_TIMEOUT, chromiumPath, closeTabs } from '../../support/browser.ts';
import {
  addMember,
  addUser,
  chooseInAccount,
  follow,
  giveSession,
  newUrl,
  openConsole,
  PASSWORD,
  rowOf,
  shown,
  signIn,
} from '../../support/console.ts';
import { CLIENT, startProvider } from '../../support/openid-provider.ts';

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address ? address.port : 0;
}

/** Enters who somebody is, and that they want to begin; an invitation has an email address already. */
async function enterPerson(page: Page, name: string, email: string | null, button: string): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  if (email !== null) await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: button }).click();
}

describe.runIf(chromiumPath)('people in the console, in a browser', () => {
  let server: TestServer;
  const others: BrowserContext[] = [];
  beforeAll(async () => {
    server = await startTestServer({ background: true });
    await server.caller('default');
  });
  afterEach(async () => {
    await closeTabs();
    await Promise.all(others.splice(0).map((context) => context.close()));
  });
  afterAll(async () => {
    await server.stop();
  });

  /** A tab of a browser of somebody else. */
  async function tabOfAnother(page: Page, address: string): Promise<Page> {
    const context = await page.context().browser()?.newContext();
    if (!context) throw new Error('there is no browser');
    context.setDefaultTimeout(BROWSER_TIMEOUT);
    others.push(context);
    const tab = await context.newPage();
    await tab.goto(address);
    return tab;
  }

  /** Chooses what the menu of somebody offers. */
  async function choose(page: Page, name: string, item: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.locator('.menu:popover-open').getByRole('menuitem', { name: item }).click();
  }

  test('an owner comes in by a link, and invites a viewer, who changes nothing until they get another role, and is removed with their keys', async () => {
    const token = await createWelcome(server.database, server.clock.now);
    const { page } = await openConsole(server.origin, { path: '/welcome' });
    await page.getByText('This page needs the whole link that you got.').waitFor();
    await page.goto(`${server.origin}/console/welcome#${token}`);
    await page.getByLabel('Your name').waitFor();
    await expect.poll(() => page.evaluate('location.href')).toBe(`${server.origin}/console/welcome`);
    await enterPerson(page, 'Ana', 'ana@example.com', 'Begin');
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByText('ana@example.com').waitFor();
    // The last owner can neither leave nor get another role.
    await expect.poll(() => page.getByRole('button', { name: 'Actions for Ana' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    await page.getByLabel('Email address').fill('Ana@example.com');
    await page.getByText('Ana is a member already, as Owner').waitFor();
    await page.getByLabel('Email address').fill('nobody');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByText('The email address must be an address such as name@example.com.').waitFor();
    await page.getByLabel('Email address').fill('vic@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('Viewer');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await page.getByRole('dialog').locator('code').innerText();
    expect(link).toMatch(/^https:\/\/s\.example\/console\/accept#[\w-]{43}$/);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('vic@example.com').waitFor();

    const vic = await tabOfAnother(page, link.replace('https://s.example', server.origin));
    await vic.getByText('Ana invites you to “default”, as Viewer.').waitFor();
    await expect.poll(() => vic.getByLabel('Email address').inputValue()).toBe('vic@example.com');
    await enterPerson(vic, 'Vic', null, 'Join');
    await vic.locator('#main').waitFor();
    await vic.getByText('Viewer', { exact: true }).waitFor();
    expect(await vic.getByLabel('Destination of a new link').count()).toBe(0);
    await vic.getByRole('link', { name: 'People' }).click();
    await vic.getByText('ana@example.com').waitFor();
    expect(await vic.getByRole('button', { name: /Invite|Actions for Ana|Rename/ }).count()).toBe(0);

    // Somebody who gets a higher role has what it allows at once.
    await page.getByText('Vic', { exact: true }).waitFor();
    await choose(page, 'Vic', 'Change the role');
    await page.getByLabel('Role', { exact: true }).selectOption('Admin');
    await page.getByRole('button', { name: 'Save' }).click();
    await vic.getByRole('link', { name: 'Keys' }).click();
    await vic.getByRole('button', { name: 'New key' }).click();
    await expect
      .poll(() => vic.getByLabel('Role', { exact: true }).locator('option').allInnerTexts())
      .toEqual(['Viewer', 'Editor', 'Admin']);
    await vic.getByLabel('Name').fill('Nightly report');
    await vic.getByRole('button', { name: 'Create' }).click();
    const key = await vic.getByRole('dialog').locator('code').first().innerText();
    await vic.getByRole('button', { name: 'I have copied it' }).click();
    const caller = server.callerWith(key);
    const { alias } = await caller.link({ title: 'By the key' });

    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText(/^by the key Nightly report, ls_/).waitFor();
    for (const deed of [
      'Key Nightly report (Editor) created',
      'Member Vic (Admin) changed: role',
      'Member Vic (Admin) joined',
      'Invitation ended',
    ])
      await page.locator('.deed', { hasText: deed }).waitFor();
    await page
      .getByText(/^by Vic ·/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'People' }).click();
    await choose(page, 'Vic', 'Remove');
    await page.getByRole('dialog').getByText('1 key stops working at once:').waitFor();
    await page.getByRole('dialog').getByText('Nightly report').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await vic.getByText('Your session is over.').waitFor();
    // A member of no account still has a profile.
    await vic.getByLabel('Email address').fill('vic@example.com');
    await vic.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await vic.getByRole('button', { name: 'Sign in' }).click();
    await vic.getByRole('heading', { name: 'You have no account' }).waitFor();
    await vic.getByRole('link', { name: 'Profile' }).click();
    await vic.getByRole('region', { name: 'Where you are signed in' }).locator('li').waitFor();
    await vic.getByRole('button', { name: 'Change: Password' }).click();
    await vic.getByLabel('New password').fill('another good password');
    await vic.getByRole('button', { name: 'Save' }).click();
    await vic.getByText('The password is changed.').waitFor();
    await vic.getByRole('link', { name: 'Back to the console' }).click();
    await vic.getByRole('button', { name: 'Sign out' }).click();
    await vic.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(async () => (await caller.rest('GET', '/links')).status).toBe(401);
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await rowOf(page, alias).waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page
      .getByText(/^by Former member ·/)
      .first()
      .waitFor();
  });

  test('a key is made after a new sign-in where the last was long ago, is shown once, and stops when it is revoked', async () => {
    const { key } = await server.caller('with keys');
    const { page } = await signIn({ server, key }, { path: '/keys', role: 'ADMIN' });
    const before = server.clock.now;
    server.clock.now = new Date(before.getTime() + 20 * 60_000);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('For a script');
    await page.getByRole('button', { name: 'Create' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByRole('button', { name: 'Go on' }).click();
    await again.locator('.field').getByText('The password may not be empty.').waitFor();
    await again.getByLabel('Password', { exact: true }).fill('not the password');
    await again.getByRole('button', { name: 'Go on' }).click();
    await again.getByText('The email address or the password is wrong.').waitFor();
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await again.getByText('The email address or the password is wrong.').waitFor({ state: 'hidden' });
    await again.getByRole('button', { name: 'Go on' }).click();
    const made = await page.getByRole('dialog', { name: 'The new key' }).locator('code').first().innerText();
    const dialog = page.getByRole('dialog', { name: 'The new key' });
    await expect
      .poll(() => dialog.locator('pre').last().innerText())
      .toBe(`curl -H 'Authorization: Bearer ${made}' '${server.origin}/api/v1/links'`);
    const caller = server.callerWith(made);
    expect((await caller.rest('GET', '/links')).status).toBe(200);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await expect.poll(() => page.locator('body').innerText()).not.toContain(made);
    const row = page.locator('.record', { hasText: 'For a script' });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'hidden' });
    await expect.poll(async () => (await caller.rest('GET', '/links')).status).toBe(401);
    server.clock.now = before;
  });

  test('a sign-in tells empty fields below them, as other forms do, and wrong ones until they are changed', async () => {
    const { page } = await openConsole(server.origin);
    const errors = page.locator('.field .error');
    const wrong = page.getByText('The email address or the password is wrong.');
    const marked = page.locator('.gate [aria-invalid="true"]');
    const send = () => page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await send();
    await expect
      .poll(() => errors.allInnerTexts())
      .toEqual(['The email address may not be empty.', 'The password may not be empty.']);
    const email = page.getByLabel('Email address');
    await expect.poll(() => email.evaluate((one) => one === document.activeElement)).toBe(true);
    await email.fill('nobody');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await send();
    await expect
      .poll(() => errors.allInnerTexts())
      .toEqual(['The email address must be an address such as name@example.com.']);
    await email.fill('nobody@example.com');
    await send();
    await shown(wrong);
    expect([await errors.count(), await marked.count()]).toEqual([0, 2]);
    await page.getByLabel('Password', { exact: true }).fill('');
    await wrong.waitFor({ state: 'hidden' });
    expect(await marked.count()).toBe(0);
    await send();
    await expect.poll(() => errors.allInnerTexts()).toEqual(['The password may not be empty.']);
    expect(await wrong.count()).toBe(0);
  });

  test('on a phone, a viewer who signs in begins at the top, and reads on the page of a link that others change it', async () => {
    const caller = await server.caller('with a viewer');
    const { id } = await caller.link({ title: 'To look at' });
    const { accountId, user } = await addUser(server, caller.key, 'VIEWER');
    const { page } = await openConsole(server.origin, { path: `/${accountId}/`, width: 390 });
    await page.getByLabel('Email address').fill(user.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('To look at').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    await follow(page, `/links/${id}`);
    await page.getByText('Editors, admins and owners can change this link.').waitFor();
    await expect.poll(() => page.getByLabel('Destination', { exact: true }).isDisabled()).toBe(true);
  });

  test.each([
    '/console/../phish',
    '/console/%2e%2e/phish',
    '//evil.example/console',
    '/graphql/..//evil.example',
  ])('whoever has signed in does not go to %s', async (to) => {
    const caller = await server.caller(crypto.randomUUID());
    const { page } = await signIn({ server, key: caller.key });
    await page.goto(`${server.origin}/console/sign-in?${new URLSearchParams({ to })}`);
    await page.waitForURL(/\/console\/\d+\//);
  });

  test('what somebody typed and did not save is not shown to the next one in the same browser', async () => {
    const caller = await server.caller(crypto.randomUUID());
    const { page } = await signIn({ server, key: caller.key });
    await (await newUrl(page)).fill('https://example.com/secret');
    const { user } = await addUser(server, caller.key);
    await giveSession(page, server, user.id);
    await page.reload();
    await expect.poll(async () => (await newUrl(page)).inputValue()).toBe('');
    await expect.poll(() => page.evaluate('JSON.stringify({ ...localStorage })')).toBe('{}');
  });

  test('a switch of the account changes the address, and what was begun in one account stays there', async () => {
    const [first, second] = [await server.caller('first'), await server.caller('second')];
    const { page, accountId, userId } = await signIn({ server, key: first.key });
    const otherId = await addMember(server, second.key, userId, 'EDITOR');
    await page.reload();
    const destination = page.getByLabel('Destination of a new link');
    // The first is sent while the account is the first, and answered later.
    let release = () => {};
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('createLink('))
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      await route.continue();
    });
    await (await newUrl(page)).fill('https://example.com/of-the-first');
    await page.keyboard.press('Enter');
    await expect.poll(() => String(release)).not.toBe('() => {}');
    const switchTo = (name: string) => chooseInAccount(page, name);
    await switchTo('second');
    await page.waitForURL(`${server.origin}/console/${otherId}/links`);
    await page.getByText('Editor', { exact: true }).waitFor();
    await expect.poll(() => destination.count()).toBe(0);
    release();
    const urlsOf = async (caller: typeof first) =>
      (
        await caller.data<{ links: { nodes: { url: string }[] } }>('{ links { nodes { url } } }')
      ).links.nodes.map(({ url }) => url);
    await expect.poll(() => urlsOf(first)).toEqual(['https://example.com/of-the-first']);
    await page.unroute('**/graphql');
    await (await newUrl(page)).fill('https://example.com/of-the-second');
    await switchTo('first');
    await page.waitForURL(`${server.origin}/console/${accountId}/links`);
    await page.getByText('Owner', { exact: true }).waitFor();
    await expect.poll(() => destination.count()).toBe(0);
    await page.goBack();
    await expect.poll(() => destination.inputValue()).toBe('https://example.com/of-the-second');
    await expect.poll(() => urlsOf(second)).toEqual([]);
    // An account of others shows nothing, and says so.
    await server.caller('of others');
    await page.goto(`${server.origin}/console/${otherId + 1}/`);
    await page.getByRole('heading', { name: 'Not your account' }).waitFor();
    await page.getByRole('link', { name: 'second' }).click();
    await page.waitForURL(`${server.origin}/console/${otherId}/links`);
  });

  test('an owner renames the account, and everybody changes their name, email and password, and ends their other sessions', async () => {
    const { key } = await server.caller('to be renamed');
    const { page, userId } = await signIn({ server, key }, { path: '/settings' });
    await page.getByLabel('Account name').fill('Marketing');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.account').getByText('Marketing').waitFor();
    const elsewhere = await tabOfAnother(page, server.origin);
    await giveSession(elsewhere, server, userId);
    await chooseInAccount(page, 'Profile');
    const sessions = page.getByRole('region', { name: 'Where you are signed in' });
    await shown(
      sessions.getByText('stays in this browser for a day, for you alone. Signing out, another person'),
    );
    await expect.poll(() => sessions.locator('li').count()).toBe(2);
    await sessions.getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => sessions.locator('li').count()).toBe(1);
    await elsewhere.goto(`${server.origin}/console`);
    await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('button', { name: 'Change: Kim' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Kim Berg');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.account').getByText('Kim Berg').waitFor();
    await page.getByRole('button', { name: 'Change: owner-' }).click();
    await page.getByRole('dialog').getByLabel('Email address').fill('kim.berg@example.com');
    await page.getByText('It counts at once: check it').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The email address is changed.').waitFor();
    await page.getByText('kim.berg@example.com').waitFor();
    await page.getByRole('button', { name: 'Change: Password' }).click();
    await page.getByLabel('New password').fill('kim.berg@example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The password may not be the email address.').waitFor();
    await page.getByLabel('New password').fill('another good password');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await elsewhere.getByLabel('Email address').fill('kim.berg@example.com');
    await elsewhere.getByLabel('Password', { exact: true }).fill('another good password');
    await elsewhere.getByRole('button', { name: 'Sign in' }).click();
    await elsewhere.locator('#main').waitFor();
  });

  test('somebody who has a user accepts an invitation after they signed in, and a tab notices that another user signed in', async () => {
    const [here, there] = [await server.caller('here'), await server.caller('there')];
    const { page } = await signIn({ server, key: here.key }, { path: '/people' });
    const { user } = await addUser(server, there.key);
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    await page.getByLabel('Email address').fill(user.email);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = (await page.locator('code').innerText()).replace('https://s.example', server.origin);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const tab = await page.context().newPage();
    await tab.goto(link);
    await tab.getByText(`It is for ${user.email}, and you are signed in as owner-`).waitFor();
    await tab.getByRole('button', { name: 'Sign out, and go on' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await enterPerson(tab, 'Kim', null, 'Join');
    await tab.getByText('This email address has a user already').waitFor();
    await expect.poll(() => tab.getByLabel('Email address').inputValue()).toBe(user.email);
    await tab.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('button', { name: 'Accept the invitation' }).click();
    await tab.getByText('Editor', { exact: true }).waitFor();
    // The first tab shows the same account, as the other user.
    await page.locator('.account').getByText('Editor').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Invite somebody' }).count()).toBe(0);
  });
});

describe.runIf(chromiumPath)('ways to sign in to the console, in a browser', () => {
  const servers: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    await closeTabs();
    await Promise.all(servers.splice(0).map((one) => one.stop()));
  });

  /** A new server on a host, without https, and the first owner's token. */
  async function startOn(host: string, options: Parameters<typeof startTestServer>[0] = {}) {
    const baseUrl = host === 'localhost' ? undefined : `http://${host}`;
    const server = await startTestServer({ background: true, baseUrl, ...options });
    servers.push(server);
    await server.caller('default');
    const token = await createWelcome(server.database, server.clock.now);
    const origin = `http://${host}:${new URL(server.origin).port}`;
    return { server, origin, path: `/welcome#${token}` };
  }

  /** Starts a new server where people may also sign in with a provider. */
  async function startWithProvider(options: Parameters<typeof startTestServer>[0] = {}) {
    const port = await freePort();
    const client = { redirect_uris: [`http://localhost:${port}/auth/oidc/callback`] };
    const provider = await startProvider({ client });
    servers.push(provider);
    const started = await startOn('localhost', {
      ...{ port, oidcIssuer: provider.issuer, oidcName: 'Company' },
      ...{ oidcClientId: CLIENT.id, oidcClientSecret: CLIENT.secret, ...options },
    });
    provider.people.set('ana', { email: 'ana@example.com', name: 'Ana' });
    provider.people.set('vic', { email: 'vic@example.com', name: 'Vic' });
    provider.next = 'ana';
    return { ...started, provider };
  }

  test('a passkey is added, signs somebody in, does for a new sign-in, and is removed', async () => {
    const { server, origin, path } = await startOn('localhost');
    const { page } = await openConsole(origin, { path });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    await enterPerson(page, 'Ana', 'ana@example.com', 'Begin');
    await chooseInAccount(page, 'Profile');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('Laptop', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('There is a passkey of yours on this device already').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await chooseInAccount(page, 'Sign out');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Laptop', { exact: true }).waitFor();
    server.clock.now = new Date(server.clock.now.getTime() + 20 * 60_000);
    await page.getByRole('button', { name: 'Remove: Laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Laptop', { exact: true }).waitFor({ state: 'hidden' });
  });

  test('where mail is set up, a forgotten password and a new email address are changed by the links of mails', async () => {
    const links: string[] = [];
    const sendMail = ({ text }: { text: string }) =>
      void links.push(/\/console(\/\S+)/.exec(text)?.[1] ?? '');
    /** The page of the newest mail with a link to it. */
    const mailed = async (page: string) => {
      const link = () => links.findLast((one) => one.startsWith(`/${page}`));
      await expect.poll(link).toBeDefined();
      return link() ?? '';
    };
    const { origin, path } = await startOn('localhost', { sendMail });
    const { page } = await openConsole(origin, { path });
    await enterPerson(page, 'Ana', 'ana@example.com', 'Begin');
    await chooseInAccount(page, 'Profile');
    await page.getByRole('button', { name: 'Change: ana@example.com' }).click();
    await page.getByRole('dialog').getByLabel('Email address').fill('ana.berg@example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Open the link in the mail to your new address.').waitFor();
    await page.getByText('ana@example.com').waitFor();
    await page.goto(`${origin}/console${await mailed('confirm')}`);
    await page.getByText('You will sign in with ana.berg@example.com from now on.').waitFor();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('The address is confirmed.').waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'To the console' }).click();
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email address').fill('ana.berg@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('If this address is registered, a link is on its way.').waitFor();
    const reset = `${origin}/console${await mailed('reset')}`;
    await page.goto(reset);
    await page.getByLabel('New password').fill('another good password');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Owner', { exact: true }).waitFor();
    // The link works once.
    await page.goto(reset);
    await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
    expect(await page.getByLabel('New password').count()).toBe(0);
    // The old address takes the change back.
    await page.goto(`${origin}/console${await mailed('undo')}`);
    await page.getByText('ana@example.com').waitFor();
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByText('The address is yours again.').waitFor();
  });

  test('a provider is linked by somebody who signed in, signs them in, and tells why it does not', async () => {
    const { server, origin, path, provider } = await startWithProvider();
    const { page } = await openConsole(origin, { path });
    await enterPerson(page, 'Ana', 'ana@example.com', 'Begin');
    await page.locator('#main').waitFor();
    await chooseInAccount(page, 'Profile');
    await page.getByRole('button', { name: 'Link Company' }).click();
    await page.getByText(provider.issuer).waitFor();
    await follow(page, '/spaces');
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole('link', { name: 'Sign in with Company' }).click();
    await page.getByText('No spaces yet').waitFor();
    // A new sign-in is in a tab of its own, and what waits for it goes on.
    server.clock.now = new Date(server.clock.now.getTime() + 20 * 60_000);
    await follow(page, '/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Made later');
    await page.getByRole('button', { name: 'Create' }).click();
    const popup = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Sign in with Company' }).click();
    await (await popup).getByText('You are signed in. Close this page').waitFor();
    await page.getByRole('dialog', { name: 'The new key' }).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.context().clearCookies();
    await page.reload();
    provider.next = 'vic';
    await page.getByRole('link', { name: 'Sign in with Company' }).click();
    await page.getByText('The provider knows you, but nobody gave you a role here.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
  });

  test('where a provider alone signs people in, the first owner comes in by it', async () => {
    const { origin, path, provider } = await startWithProvider({ oidcOnly: true });
    const { page } = await openConsole(origin, { path });
    await page.getByRole('button', { name: 'Sign in with Company' }).click();
    await page.getByText('Owner', { exact: true }).waitFor();
    await chooseInAccount(page, 'Profile');
    await page.getByText(provider.issuer).waitFor();
    expect(await page.getByText('Password').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
  });

  test('over plain http on a name of a local network everything works but passkeys, and a line says what https would bring', async () => {
    const { server, origin, path } = await startOn('lan.example');
    const { page } = await openConsole(origin, { path });
    const streams: string[] = [];
    page.on('request', (request) => {
      if (request.headers().accept === 'text/event-stream') streams.push(request.url());
    });
    await page.getByText('This address is not encrypted').waitFor();
    await enterPerson(page, 'Ana', 'ana@example.com', 'Begin');
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await (await newUrl(page)).fill('https://example.com/');
    await page.keyboard.press('Enter');
    await page.getByText('Your link is ready').waitFor();
    await (await newUrl(page)).fill('nothing');
    await page.keyboard.press('Enter');
    await page.locator('#new-url-error').getByText('Begin it with').waitFor();
    await expect.poll(() => page.getByText('Your link is ready').count()).toBe(0);
    await (await server.caller('default')).link({ title: 'Live' });
    // Without locks, streams of several tabs would take all the connections that a browser opens.
    await page.getByText('Live', { exact: true }).waitFor();
    expect(streams).toEqual([]);
    await chooseInAccount(page, 'Profile');
    await page.getByText('need https and a host name').waitFor();
    await page.reload();
    await page.getByText('Where you are signed in').waitFor();
    await chooseInAccount(page, 'Sign out');
    await page.getByText('This address is not encrypted').waitFor();
  });
});
