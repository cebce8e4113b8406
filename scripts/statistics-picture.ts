// npm run picture: makes docs/images/statistics.png for the README: a page of statistics with the data of `npm run demo`.
// Needs Chromium (CHROMIUM_PATH if it is not in a usual place).
import { statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startTestServer } from '../src/testing/server.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { fillServer } from '../test/support/demo.ts';
import { withFewShades } from './small-png.ts';

const PICTURE = fileURLToPath(new URL('../docs/images/statistics.png', import.meta.url));

const server = await startTestServer();
// The end of a day, so that the last day is complete.
server.clock.now = new Date('2026-09-30T23:59:00Z');
await fillServer(server, 7, { now: server.clock.now });
const browser = await launchBrowser();
try {
  const context = await browser.newContext({
    viewport: { width: 1080, height: 830 },
    deviceScaleFactor: 1.5,
    locale: 'en-US',
    bypassCSP: true,
  });
  const tab = await context.newPage();
  await tab.goto(`${server.origin}/shop+?days=90`);
  // Shadows would need more colours than a small picture has.
  await tab.addStyleTag({ content: ':root { --shadow: none !important }' });
  const whole = `data:image/png;base64,${(await tab.screenshot()).toString('base64')}`;
  // With rounded corners and a transparent background.
  await tab.goto('about:blank');
  await tab.setContent(
    `<style>body { margin: 0; background: transparent } img { display: block; width: 100%; border-radius: 16px }</style><img src="${whole}">`,
  );
  writeFileSync(PICTURE, withFewShades(await tab.locator('img').screenshot({ omitBackground: true })));
  console.log(`wrote ${PICTURE}, ${Math.round(statSync(PICTURE).size / 1000)} kB`);
} finally {
  await browser.close();
  await server.stop();
}
