import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const PLACES = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`);
/** A browser without windows, which needs less of the processor, and knows fewer switches. */
const HEADLESS = '/usr/bin/chromium-headless-shell';

const firstOf = (...paths: string[]) => paths.find((path) => path && existsSync(path));
const given = process.env.CHROMIUM_PATH ?? '';

/** The path of a whole browser, from `CHROMIUM_PATH` or the usual places; undefined if there is none. */
export const chromiumPath = firstOf(given, ...PLACES);

/** @param more further arguments */
export function launchBrowser(more: string[] = [], executablePath = chromiumPath): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    ...more,
  ];
  return chromium.launch({ executablePath, args });
}

/** Milliseconds that a page may take: on a busy machine far more than in a browser that people use. */
export const BROWSER_TIMEOUT = 180_000;

let shared: Promise<BrowserContext> | undefined;

async function launchShared(): Promise<BrowserContext> {
  const rules =
    '--host-resolver-rules=MAP lan.example 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost';
  // All tabs run in one process, which has compiled the scripts of earlier ones; an empty tab keeps it.
  const browser = await launchBrowser(
    [rules, '--renderer-process-limit=1'],
    firstOf(given, HEADLESS, ...PLACES),
  );
  const context = await browser.newContext({
    ...{ viewport: { width: 1280, height: 800 }, locale: 'en-GB' },
    // Where something still moves, Playwright scrolls the page before it clicks, and a panel beside its button follows a frame later.
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(BROWSER_TIMEOUT);
  await context.newPage();
  return context;
}

/**
 * A new tab in the browser that the test files of this process share, which reaches nothing but the machine itself. It ends with
 * the process. Tabs share one context, as each costs a second of the processor: call `closeTabs` after each test.
 */
export async function newTab(): Promise<Page> {
  shared ??= launchShared();
  return (await shared).newPage();
}

/** Closes all tabs of `newTab`, and forgets what they stored. */
export async function closeTabs(): Promise<void> {
  const context = await shared;
  if (!context) return;
  const [, ...tabs] = context.pages();
  await Promise.all(
    tabs.map(async (page) => {
      await page.evaluate('localStorage.clear()').catch(() => {});
      await page.close();
    }),
  );
  await context.clearCookies();
  await context.clearPermissions();
}

/** A new tab, and the requests to other hosts than the server's. */
export async function openPage(origin: string): Promise<{ page: Page; elsewhere: string[] }> {
  const page = await newTab();
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !['data:', 'blob:'].includes(url.protocol)) elsewhere.push(url.href);
  });
  return { page, elsewhere };
}

/** Widths and colour schemes to view pages in. Colours depend on the scheme alone, and layout on the width. */
export const APPEARANCES = [
  [390, 'light'],
  [1280, 'dark'],
] as const;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Loads axe into the page, once. */
export async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
}

/** Rules that the elements of Swagger UI break; we can change its styles, but not its elements. */
const SWAGGER_BREAKS = ['heading-order', 'nested-interactive', 'region'];

/** Waits until the page shows its colours: it gets those of another scheme by a script, or by transitions. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    .then(() => Promise.allSettled(document.getAnimations()
      .filter(({ effect, timeline }) =>
        // One that follows a scroll bar never ends.
        timeline === document.timeline && effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished)))`);
}

/** The accessibility violations that axe finds: the rules, and the elements that break them. */
export async function faultsFor(page: Page): Promise<string[]> {
  await loadAxe(page);
  await settle(page);
  const isSwagger = (await page.locator('.swagger-ui').count()) > 0;
  const rules = Object.fromEntries(SWAGGER_BREAKS.map((rule) => [rule, { enabled: !isSwagger }]));
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { target: string[] }[] }[] }>(
    `axe.run({ rules: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
