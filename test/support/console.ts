import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { newTab } from './browser.ts';

export interface ConsoleOptions {
  /** The path below /console. */
  readonly path?: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
}

/** A new tab on the console, before anybody has signed in; `complaints` are the browser's errors and warnings. */
export async function openConsole(
  origin: string,
  { path = '', colorScheme = 'light', width = 1280 }: ConsoleOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const page = await newTab();
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(`${origin}/console${path}`);
  return { page, complaints };
}

export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** A new tab on the console, signed in. */
export async function signIn(
  { origin, key }: { origin: string; key: string },
  options: ConsoleOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const opened = await openConsole(origin, options);
  await enterKey(opened.page, key);
  await opened.page.locator('#main').waitFor();
  return opened;
}

/** Waits until it is visible; after 0.3 s Playwright's own ways to wait look only twice a second. */
export async function shown(locator: Locator): Promise<Locator> {
  await expect.poll(() => locator.isVisible()).toBe(true);
  return locator;
}

/** Follows an address within the page, as a link in it would; a new load would ask for the key again. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '/console${path}')`);
}

/** The rows of the list, by their short URLs. */
export function rowOf(page: Page, alias: string) {
  return page
    .locator('.row')
    .filter({ has: page.getByRole('link', { name: `s.example/${alias}`, exact: true }) });
}
