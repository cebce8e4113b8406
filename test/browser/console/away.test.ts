import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller } from '../../../src/testing/caller.ts';
import { chromiumPath, launchBrowser } from '../../support/browser.ts';
import { rowOf, signIn } from '../../support/console.ts';
import { startProgram } from '../../support/process.ts';

const KEY = 'a-key-of-more-than-thirty-two-characters';

describe.runIf(chromiumPath)('the console while the service is away, in a browser', () => {
  let browser: Browser;
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-console-'));
  const env = {
    DATABASE_URL: `file:${join(folder, 'links.db')}`,
    INITIAL_API_KEY: KEY,
    BASE_URL: 'https://s.example',
  };
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('says so, reads again what others changed as soon as it is back, and makes a link that was sent meanwhile once', async () => {
    const first = await startProgram(env);
    const { page } = await signIn(browser, { origin: first.origin, key: KEY });
    await page.getByText('No links yet').waitFor();
    await first.end('SIGTERM');
    const notice = page.getByText('The service does not answer. What you see may be old');
    await notice.waitFor();
    await page.getByLabel('Destination of a new link').fill('https://example.com/meanwhile');
    await page.keyboard.press('Enter');
    const second = await startProgram({ ...env, PORT: new URL(first.origin).port });
    const caller = new Caller(second.origin, KEY);
    const { alias } = await caller.link({ title: 'By somebody else' });
    await rowOf(page, alias).waitFor();
    await notice.waitFor({ state: 'hidden' });
    const again = page.getByRole('button', { name: 'Shorten' });
    const ready = page.getByText('Your link is ready');
    // It was sent again by itself, unless the service was away for too long.
    await expect
      .poll(async () => {
        if (!(await ready.isVisible()) && (await again.isEnabled())) await again.click();
        return ready.isVisible();
      })
      .toBe(true);
    const query = '{ links(filter: { search: "meanwhile", searchBy: URL }) { totalCount } }';
    expect(await caller.data(query)).toEqual({ links: { totalCount: 1 } });
    const third = await caller.link({ title: 'Live again' });
    await rowOf(page, third.alias).waitFor();
    await second.end('SIGTERM');
  });
});
