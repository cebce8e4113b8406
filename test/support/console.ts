import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { hashToken } from '../../src/domain/access/actor.ts';
import type { Role } from '../../src/domain/access/role.ts';
import { beginSession } from '../../src/domain/access/session.ts';
import { createUser } from '../../src/domain/access/user.ts';
import { UserPasswords } from '../../src/domain/password.ts';
import type { TestServer } from '../../src/testing/server.ts';
import { newTab } from './browser.ts';

export interface ConsoleOptions {
  /** The path below /console; for somebody who is signed in, below the account. */
  readonly path?: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly role?: Role;
}

interface Opened {
  readonly page: Page;
  /** The browser's errors and warnings. */
  readonly complaints: string[];
}

/**
 * Gives a page twenty times as long for what a test has to be faster than: to look for what gets the focus (3 s), to show a message
 * (6 s), to let something be undone (15 s), and to wait for an answer.
 */
const PATIENT = `(() => {
  const limits = [3_000, 6_000, 15_000];
  const begin = window.setTimeout.bind(window);
  window.setTimeout = (call, after, ...rest) => begin(call, limits.includes(after) ? after * 20 : after, ...rest);
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (after) => timeout(after * 20);
})()`;

async function openTab({ colorScheme = 'light', width = 1280 }: ConsoleOptions): Promise<Opened> {
  const page = await newTab();
  await page.addInitScript(PATIENT);
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  return { page, complaints };
}

/** A new tab on the console, before anybody has signed in. */
export async function openConsole(origin: string, options: ConsoleOptions = {}): Promise<Opened> {
  const opened = await openTab(options);
  await opened.page.goto(`${origin}/console${options.path ?? ''}`);
  return opened;
}

export const PASSWORD = 'correct horse battery';

const passwords = new UserPasswords({ N: 2 ** 10, r: 8, p: 1 });

type Server = Pick<TestServer, 'origin' | 'database' | 'clock'>;

/** Makes a user a member of the account of a key. */
export async function addMember(
  { database, clock }: Server,
  key: string,
  userId: number,
  role: Role = 'OWNER',
): Promise<number> {
  const where = { hash: hashToken(key) };
  const { accountId } = await database.prisma.apiKey.findUniqueOrThrow({ where });
  await database.prisma.membership.create({ data: { accountId, userId, role, createdAt: clock.now } });
  return accountId;
}

/** Makes a user, whose password is `PASSWORD`, in the account of a key. */
export async function addUser(server: Server, key: string, role: Role = 'OWNER') {
  const email = `${role.toLowerCase()}-${crypto.randomUUID()}@example.com`;
  const hash = await passwords.hash(PASSWORD);
  const user = await createUser(server.database, { name: 'Kim', email }, hash, server.clock.now);
  return { accountId: await addMember(server, key, user.id, role), user };
}

/** Gives the browser of a page a session. */
export async function giveSession(
  page: Page,
  { origin, database, clock }: Server,
  userId: number,
): Promise<void> {
  const user = await database.prisma.user.findUniqueOrThrow({ where: { id: userId } });
  const { token } = await beginSession(database, user, 'a test', clock.now);
  // Its prefix asks for an address with https; browsers send it to this machine without that, too.
  const url = origin.replace('http:', 'https:');
  const cookie = { name: '__Host-linkspace', value: token, url, httpOnly: true, secure: true };
  await page.context().addCookies([cookie]);
}

/** A new tab on the console, where a new user of the key's account is signed in, by default an owner. */
export async function signIn(
  { server, key }: { server: Server; key: string },
  options: ConsoleOptions = {},
): Promise<Opened & { accountId: number; userId: number }> {
  const { accountId, user } = await addUser(server, key, options.role);
  const opened = await openTab(options);
  await giveSession(opened.page, server, user.id);
  await opened.page.goto(`${server.origin}/console/${accountId}${options.path ?? '/links'}`);
  await opened.page.locator('#main').waitFor();
  return { ...opened, accountId, userId: user.id };
}

/** Waits until it is visible; after 0.3 s Playwright's own ways to wait look only twice a second. */
export async function shown(locator: Locator): Promise<Locator> {
  await expect.poll(() => locator.isVisible()).toBe(true);
  return locator;
}

/** Waits until the scripts are there that a page of the console loads ahead, for the view of a link. */
export async function loadedAhead(page: Page): Promise<void> {
  const missing = `(() => {
    const all = [...document.querySelectorAll('link[rel=modulepreload]')].map(({ href }) => href);
    const isLoaded = (href) => performance.getEntriesByName(href)[0]?.responseStatus === 200;
    return all.some((href) => href.includes('/link-view-')) ? all.filter((href) => !isLoaded(href)) : ['link-view'];
  })()`;
  await expect.poll(() => page.evaluate(missing)).toEqual([]);
}

/** Follows an address of the account within the page, as a link in it would. */
export async function follow(page: Page, path: string): Promise<void> {
  const [account] = /(?<=^\/console\/)\d+/.exec(new URL(page.url()).pathname) ?? [''];
  await page.evaluate(`history.pushState(null, '', '/console/${account}${path || '/'}')`);
}

/** The rows of the list, by their short URLs. */
export function rowOf(page: Page, alias: string) {
  return page
    .locator('.row')
    .filter({ has: page.getByRole('link', { name: `s.example/${alias}`, exact: true }) });
}

/** The field of a new link, whose form is opened first if it is not. */
export async function newUrl(page: Page): Promise<Locator> {
  const button = page.locator('#new-link');
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
  return page.getByLabel('Destination of a new link');
}

/** Closes the form of a link over the list, and keeps what is typed. */
export async function closeSheet(page: Page): Promise<void> {
  await page.locator('.panel').getByRole('button', { name: 'Close' }).click();
  await page.locator('.panel').waitFor({ state: 'detached' });
}

/** Opens the parts of a form that are folded. */
export async function unfold(page: Page): Promise<void> {
  await shown(page.locator('.fold').first());
  await page.locator('.fold').evaluateAll((folds) => {
    for (const fold of folds) fold.setAttribute('open', '');
  });
}

/** Chooses what the menu of the account offers, such as signing out. */
export async function chooseInAccount(page: Page, name: string): Promise<void> {
  await page.locator('.account').click();
  await page.locator('.account + .menu:popover-open').getByText(name, { exact: true }).click();
}

/** Does with the selected links what the menu of their bar offers, such as deleting them. */
export async function chooseForSelected(page: Page, name: string): Promise<void> {
  const bar = page.getByRole('region', { name: 'Selected links' });
  await bar.getByRole('button', { name: 'Actions for Selected links' }).click();
  await bar.getByRole('menuitem', { name, exact: true }).click();
}
