import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isEnumType } from 'graphql';
import { afterAll, expect, test } from 'vitest';
import { renderGuides } from '../../scripts/guides.mjs';
import { schema } from '../../src/schema/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'linkspace-guides-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Renders a guide that stands beside one with the heading “A place”. */
function render(text: string) {
  writeFileSync(join(folder, 'one.md'), `# One\n\n${text}\n`);
  writeFileSync(join(folder, 'other.md'), '# Other\n\n## A place\n\nWords about places.\n');
  const { pages, index } = renderGuides((path) => `/assets/${path}`, folder);
  return { body: pages.find(({ name }) => name === 'one')?.body ?? '', index };
}

test.each([
  ['[to](other.md#a-place)', '<a href="/docs/guides/other#a-place">to</a>'],
  ['[to](other.md)', '<a href="/docs/guides/other">to</a>'],
  ['## Here & now\n\n[to](#here--now)', '<a href="#here--now">to</a>'],
  [
    '[to](https://example.com/?a=1&b=2)',
    '<a href="https://example.com/?a=1&amp;b=2" rel="noreferrer">to</a>',
  ],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['a <b onclick="x()">b</b>', 'a &lt;b onclick=&quot;x()&quot;&gt;b&lt;/b&gt;'],
  ['<a id="mine"></a>Here, [to](#mine)', '<a id="mine"></a>Here'],
  ['```sh\na < b && c\n```', '<code class="language-sh">a &lt; b &amp;&amp; c</code>'],
])('renders %s', (text, html) => {
  expect(render(text).body).toContain(html);
});

test.each([
  '[to](missing.md)',
  '[to](other.md#missing)',
  '[to](#missing)',
  '![](missing.png)',
  '[to](../missing.ts)',
])('a dead link ends the build: %s', (text) => {
  expect(() => render(text)).toThrow(/^docs\/one\.md (links to|shows) .*missing.*, which does not exist\.$/);
});

test('names a file of the source code without a link', () => {
  writeFileSync(join(folder, 'file.ts'), '');
  expect(render('[the file](file.ts)').body).toContain(
    '<span title="file.ts, in the source code">the file</span>',
  );
});

test('shows no comments, and the files that a shown file imports unless a guide shows them', () => {
  const examples = mkdtempSync(join(folder, 'examples-'));
  const name = examples.slice(folder.length + 1);
  const docs = join(folder, 'docs');
  mkdirSync(docs, { recursive: true });
  writeFileSync(join(examples, 'shared.ts'), "export const TITLES = '<b>';\n");
  writeFileSync(join(examples, 'shown.ts'), 'export const SHOWN = 1;\n');
  const first = `import { TITLES } from './shared.ts';\nimport { SHOWN } from './shown.ts';`;
  const shown = (file: string, text: string) => `<!-- file ${name}/${file} -->\n\`\`\`ts\n${text}\n\`\`\`\n`;
  writeFileSync(
    join(docs, 'one.md'),
    `# One\n\n${shown('first.ts', first)}\n${shown('second.ts', first)}\n${shown('shown.ts', 'export const SHOWN = 1;')}`,
  );
  const { pages } = renderGuides((path) => `/assets/${path}`, docs);
  const { body = '' } = pages[0] ?? {};
  expect(body).not.toContain('&lt;!--');
  expect(body.match(/<details>[\s\S]*?<\/details>/g)).toEqual([
    `<details><summary><code>${name}/shared.ts</code>, imported above</summary>\n<pre tabindex="0"><code class="language-ts">export const TITLES = &#39;&lt;b&gt;&#39;;</code></pre>\n</details>`,
  ]);
});

test('says how commands are written as a package, in guides that have some', () => {
  expect(render('```sh\nnpm run keys -- list\n```').body).toMatch(
    /^<h1>One<\/h1>\n<p class="head">.*npx linkspace keys/,
  );
  expect(render('Words.').body).not.toContain('npx');
});

test('no guide of the project shows a comment', () => {
  const { pages, index } = renderGuides((path) => `/assets/${path}`);
  // The heads of guides link to it.
  expect(index.map(({ address }) => address)).toContain('/docs/guides/operations#as-a-package');
  for (const { name, body } of pages) expect([name, body.includes('&lt;!-- file')]).toEqual([name, false]);
});

test('has each section in the index of the search', () => {
  expect(render('Text with `code` and [a link](other.md).').index).toEqual([
    { address: '/docs/guides/one', guide: 'One', heading: 'One', text: 'Text with code and a link.' },
    { address: '/docs/guides/other', guide: 'Other', heading: 'Other', text: '' },
    {
      address: '/docs/guides/other#a-place',
      guide: 'Other',
      heading: 'A place',
      text: 'Words about places.',
    },
  ]);
});

test('each code of an error links to the part of a guide that explains it', () => {
  const { index } = renderGuides((path) => `/assets/${path}`);
  const known = new Set(index.map(({ address }) => address));
  const codes = schema.getType('ErrorCode');
  const values = isEnumType(codes) ? codes.getValues() : [];
  expect(values.length).toBeGreaterThan(10);
  const dead = values.filter(({ description }) => {
    const [, address = ''] = / \[Guide\]\((\S+)\)$/.exec(description ?? '') ?? [];
    return !known.has(address);
  });
  expect(dead.map(({ name }) => name)).toEqual([]);
});
