import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of a browser, from `CHROMIUM_PATH` or the usual places; undefined if there is none. */
export const chromiumPath = [process.env.CHROMIUM_PATH ?? '', ...PLACES].find(
  (path) => path && existsSync(path),
);

/** @param more further arguments */
export function launchBrowser(...more: string[]): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    ...more,
  ];
  return chromium.launch({ executablePath: chromiumPath, args });
}

/** How long a page may take, in milliseconds: on a busy machine much longer than in a browser that people use. */
export const BROWSER_TIMEOUT = 60_000;

/** A page that can reach only the server; requests to other hosts are in `elsewhere`. */
export async function openPage(
  browser: Browser,
  origin: string,
): Promise<{ page: Page; elsewhere: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(BROWSER_TIMEOUT);
  const page = await context.newPage();
  const elsewhere: string[] = [];
  await page.route(
    (url) => url.origin !== origin && !['data:', 'blob:'].includes(url.protocol),
    (route) => {
      elsewhere.push(route.request().url());
      return route.abort();
    },
  );
  return { page, elsewhere };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Loads axe into the page, once. */
export async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
}

/** Rules that the elements of Swagger UI break; we can change its styles, but not its elements. */
const SWAGGER_BREAKS = ['heading-order', 'nested-interactive', 'region'];

/** Resolves when the page shows its colours: it gets those of another scheme by a script, or by transitions. */
const SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished)))`;

/** The accessibility violations that axe finds: the rules, and the elements that break them. */
export async function faultsFor(page: Page): Promise<string[]> {
  await loadAxe(page);
  await page.evaluate(SETTLED);
  const isSwagger = (await page.locator('.swagger-ui').count()) > 0;
  const rules = Object.fromEntries(SWAGGER_BREAKS.map((rule) => [rule, { enabled: !isSwagger }]));
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { target: string[] }[] }[] }>(
    `axe.run({ rules: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
