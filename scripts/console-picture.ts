// npm run picture: makes docs/images/console.png for the README: the console's list with the data of `npm run demo`, and a new
// link. Needs Chromium (CHROMIUM_PATH if it is not in a usual place).
import { statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startTestServer } from '../src/testing/server.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { addUser, giveSession, newUrl } from '../test/support/console.ts';
import { fillServer } from '../test/support/demo.ts';
import { withFewShades } from './small-png.ts';

const PICTURE = fileURLToPath(new URL('../docs/images/console.png', import.meta.url));

const server = await startTestServer();
server.clock.now = new Date('2026-09-30T12:00:00Z');
const { caller } = await fillServer(server, 7, { now: server.clock.now });
const browser = await launchBrowser();
try {
  const context = await browser.newContext({
    viewport: { width: 1180, height: 820 },
    deviceScaleFactor: 1.5,
    locale: 'en-US',
    bypassCSP: true,
  });
  const tab = await context.newPage();
  await tab.clock.setFixedTime(server.clock.now);
  const { accountId, user } = await addUser(server, caller.key);
  await giveSession(tab, server, user.id);
  await tab.goto(`${server.origin}/console/${accountId}/links`);
  await (await newUrl(tab)).fill('https://lindenhof.example/magazine/2026/autumn/ten-tours');
  await tab.keyboard.press('Enter');
  await tab.getByText('Your link is ready').waitFor();
  await tab.locator('.created img').waitFor();
  await tab.locator('.row').nth(1).waitFor();
  // Shadows would need more colours than a small picture has.
  await tab.addStyleTag({ content: ':root { --shadow: none !important }' });
  await tab.evaluate('document.activeElement.blur()');
  const whole = `data:image/png;base64,${(await tab.screenshot()).toString('base64')}`;
  // With rounded corners and a transparent background.
  const frame = await context.newPage();
  await frame.setContent(
    `<style>body { margin: 0; background: transparent } img { display: block; width: 100%; border-radius: 16px }</style><img src="${whole}">`,
  );
  writeFileSync(PICTURE, withFewShades(await frame.locator('img').screenshot({ omitBackground: true })));
  console.log(`wrote ${PICTURE}, ${Math.round(statSync(PICTURE).size / 1000)} kB`);
} finally {
  await browser.close();
  await server.stop();
}
