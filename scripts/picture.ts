// npm run picture: makes docs/images/answers.png for the README: one link, requested over GraphQL and v1, with the real
// answers of a server. Needs Chromium (CHROMIUM_PATH if it is not in a usual place).
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestServer } from '../src/testing/server.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { visit } from '../test/support/visit.ts';
import { withFewShades } from './small-png.ts';

const PICTURE = fileURLToPath(new URL('../docs/images/answers.png', import.meta.url));
/** The maximum number of characters on a line of an answer. */
const COLUMNS = 57;

const query = (id: number) => `query Link {
  link(id: ${id}) {
    shortUrl
    url
    title
    status
    clicks
    domain { name }
    space { name color }
    expiration { at }
    targeting { type }
    createdAt
  }
}`;

interface RequestInfo {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The body of the request, if it has one. */
  readonly sent: string | null;
  readonly status: number;
  readonly answer: string;
}

/** JSON in which everything that fits on a line is on one line. */
function layOut(value: unknown, indent = '', taken = 0): string {
  const short = JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/\[ | ]/g, (bracket) => bracket.trim());
  if (typeof value !== 'object' || value === null || indent.length + taken + short.length < COLUMNS) {
    return short;
  }
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => layOut(item, inner))
    : Object.entries(value).map(([key, item]) => `"${key}": ${layOut(item, inner, key.length + 5)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.map((line) => inner + line).join(',\n')}\n${indent}${close}`;
}

async function readAnswer(response: Response): Promise<object> {
  const answer = (await response.json()) as object;
  if (response.status !== 200 || 'errors' in answer) throw new Error(JSON.stringify(answer));
  return answer;
}

/** Creates a link, visits it, and requests it from both APIs. */
async function ask(): Promise<RequestInfo[]> {
  const server = await startTestServer();
  try {
    const caller = await server.caller();
    const space = await caller.space('Launch', { color: 3 });
    const { id, alias } = await caller.link({
      url: 'https://example.com/autumn',
      alias: 'autumn',
      title: 'Autumn sale',
      space_id: space,
      expiration_date: '2027-01-01',
    });
    for (let i = 0; i < 3; i++) await visit(server.origin, `/${alias}`);
    await server.flush();
    const text = query(id);
    const graphql = await caller.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: text }),
    });
    const path = `/api/v1/links/${id}`;
    const rest = await caller.fetch(path);
    return [
      {
        name: 'GraphQL',
        method: 'POST',
        path: '/graphql',
        sent: text,
        status: graphql.status,
        answer: layOut(await readAnswer(graphql)),
      },
      {
        name: 'REST v1',
        method: 'GET',
        path,
        sent: null,
        status: rest.status,
        answer: layOut(await readAnswer(rest)),
      },
    ];
  } finally {
    await server.stop();
  }
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string): string => text.replace(/[&<>]/g, (one) => escapes[one] ?? one);
const span = (kind: string, text: string): string => `<span class="${kind}">${escaped(text)}</span>`;

/** The text with coloured tokens: the first matching group of the pattern determines the kind of a token. */
function coloured(text: string, pattern: RegExp, kinds: readonly string[]): string {
  let html = '';
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const kind = kinds[match.slice(1).findIndex((group) => group !== undefined)] ?? 'plain';
    html += escaped(text.slice(at, match.index)) + span(kind, match[0]);
    at = match.index + match[0].length;
  }
  return html + escaped(text.slice(at));
}

const json = (text: string): string =>
  coloured(text, /("[^"]*")(?=:)|("(?:[^"\\]|\\.)*")|(\b(?:true|false|null|\d+)\b)|([{}[\],:])/g, [
    'key',
    'string',
    'value',
    'sign',
  ]);
const graphql = (text: string): string =>
  coloured(text, /\b(query)\b|(\b\d+\b)|([{}(),:])|(\w+)/g, ['word', 'value', 'sign', 'key']);

function panel({ name, method, path, sent, status, answer }: RequestInfo): string {
  return `<section>
    <h2>${name}</h2>
    <pre class="line">${span('word', method)} ${escaped(path)}</pre>
    ${sent === null ? '' : `<pre>${graphql(sent)}</pre>`}
    <pre class="line answer">${span('status', String(status))} application/json</pre>
    <pre class="grows">${json(answer)}</pre>
  </section>`;
}

const page = (exchanges: readonly RequestInfo[]): string => `<!doctype html>
<style>
  body { margin: 0; background: transparent; }
  main { display: flex; gap: 14px; width: 980px; }
  section { flex: 1; display: flex; flex-direction: column; background: #1c2128; border: 1px solid #444c56; border-radius: 10px; overflow: hidden; }
  h2 { margin: 0; padding: 11px 16px 10px; font: 600 15px/1 'Liberation Sans', Arial, sans-serif; letter-spacing: .02em; color: #f0f3f6; }
  pre { margin: 0; padding: 11px 16px; font: 13px/1.42 'DejaVu Sans Mono', Menlo, Consolas, monospace; color: #cdd9e5; }
  .line { padding-block: 5px; background: #2d333b; color: #f0f3f6; border-block: 1px solid #444c56; }
  .line + .line { border-top: 0; }
  .grows { flex: 1; }
  .word { color: #f69d50; } .key { color: #82c3ff; } .string { color: #a5dfb0; } .value { color: #e6c07b; } .sign { color: #8b98a5; } .status { color: #6bd58a; }
</style>
<main>${exchanges.map(panel).join('')}</main>`;

const exchanges = await ask();
const browser = await launchBrowser();
try {
  const context = await browser.newContext({
    viewport: { width: 980, height: 800 },
    // Sharp on high-resolution screens.
    deviceScaleFactor: 2,
  });
  const tab = await context.newPage();
  await tab.setContent(page(exchanges));
  mkdirSync(dirname(PICTURE), { recursive: true });
  writeFileSync(PICTURE, withFewShades(await tab.locator('main').screenshot({ omitBackground: true })));
  console.log(`wrote ${PICTURE}, ${Math.round(statSync(PICTURE).size / 1000)} kB`);
} finally {
  await browser.close();
}
