import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of a browser, from `CHROMIUM_PATH` or the usual places; undefined if there is none. */
export const chromiumPath = [process.env.CHROMIUM_PATH ?? '', ...PLACES].find(
  (path) => path && existsSync(path),
);

export function launchBrowser(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
  ];
  return chromium.launch({ executablePath: chromiumPath, args });
}

/** A page that can reach only the server; requests to other hosts are in `elsewhere`. */
export async function openPage(
  browser: Browser,
  origin: string,
): Promise<{ page: Page; elsewhere: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
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
