// Renders the guides in docs as pages at /docs/guides/NAME, and their search index. A dead link ends the build.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Marked } from 'marked';
import { root } from './stamp.mjs';

/** The first guides in the navigation; others follow by name. */
const FIRST = [
  ...[
    'graphql',
    'clients',
    'changes',
    'rest-v1',
    'saved-operations',
    'agents',
    'redirects',
    'rules',
    'statistics',
    'webhooks',
  ],
  ...['people', 'moving', 'operations', 'stability', 'testing'],
];

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text) => text.replace(/[&<>"']/g, (one) => escapes[one]);

/** Returns a heading's anchor, as GitHub makes it. */
function makeAnchor(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** An anchor that a guide names itself: the only HTML that is kept. */
const OWN_ANCHOR = /^<a id="([\w-]+)">(?:<\/a>)?$/;

/** A comment, such as the one that names the file that a block of code shows. */
const COMMENT = /^<!--[\s\S]*?-->$/;
const SHOWN_FILE = /^<!-- file (\S+) -->$/;

/** Returns the text of tokens without their marks. */
function plainText(tokens = []) {
  return tokens
    .map(({ type, text = '', tokens: inner }) => (type === 'html' ? '' : inner ? plainText(inner) : text))
    .join('');
}

/** Returns all tokens, those within others included. */
function allTokens(marked, tokens) {
  const found = [];
  marked.walkTokens(tokens, (token) => void found.push(token));
  return found;
}

/** Reads a guide: its tokens, title, and the anchors that links may name. */
function readGuide(marked, folder, name) {
  const text = readFileSync(join(folder, `${name}.md`), 'utf8');
  const tokens = marked.lexer(text);
  const all = allTokens(marked, tokens);
  const headings = all.filter(({ type }) => type === 'heading');
  const own = all.flatMap(({ type, raw }) =>
    type === 'html' ? (OWN_ANCHOR.exec(raw.trim())?.[1] ?? []) : [],
  );
  const title = plainText(headings[0]?.tokens);
  for (const [index, { type, raw }] of all.entries()) {
    const [, shows] = (type === 'html' && SHOWN_FILE.exec(raw.trim())) || [];
    if (shows && all[index + 1]?.type === 'code') all[index + 1].shows = shows;
  }
  const shown = all.flatMap(({ shows }) => shows ?? []);
  const saysCommands = /npm run /.test(text);
  const anchors = new Set([...headings.map((heading) => makeAnchor(plainText(heading.tokens))), ...own]);
  return { name, tokens, title, anchors, shown, saysCommands };
}

/** Returns the parts of a guide between headings, with their texts in one line, for the search. */
function sectionsIn({ name, title, tokens }) {
  const sections = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = plainText(token.tokens);
      const anchor = sections.length === 0 ? '' : `#${makeAnchor(heading)}`;
      sections.push({ address: `/docs/guides/${name}${anchor}`, guide: title, heading, text: '' });
    } else {
      const last = sections.at(-1);
      const words = token.raw.replace(/[`*]|\]\([^)]*\)|\[|<[^>]*>/g, '').replace(/\|/g, ' ');
      if (last) last.text = `${last.text} ${words}`.replace(/\s+/g, ' ').trim();
    }
  }
  return sections;
}

/** True where only a part of the repository is, as in the build of a container: files that guides name may be missing. */
const isPart = (folder) => folder === join(root, 'docs') && !existsSync(join(root, 'test'));

/** Returns the address of a link's target; null for a file of the repository that is no guide. @throws Error if it is dead */
function resolveLink(folder, guides, { name, anchors }, target) {
  if (/^https?:/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const dead = () => new Error(`docs/${name}.md links to ${target}, which does not exist.`);
  const guide = path === '' ? { name, anchors } : guides.get(/^([\w-]+)\.md$/.exec(path)?.[1]);
  if (guide) {
    if (anchor !== undefined && !guide.anchors.has(anchor)) throw dead();
    return `${path === '' ? '' : `/docs/guides/${guide.name}`}${anchor === undefined ? '' : `#${anchor}`}`;
  }
  if (!isPart(folder) && !existsSync(join(folder, path))) throw dead();
  return null;
}

/** The words at the head of a guide with commands: readers of the package have no clone. */
const AS_PACKAGE =
  '<p class="head">Commands are those of a clone. In an <a href="/docs/guides/operations#as-a-package">installed package</a>, ' +
  "the operator's <code>npm run keys -- list</code> is <code>npx linkspace keys list</code>. " +
  'Commands for development, such as <code>npm test</code>, need a clone.</p>\n';

/** Returns the files of the project that a shown file imports, and that no guide shows. */
function unshownImports(folder, guides, file, text) {
  const shown = [...guides.values()].flatMap((guide) => guide.shown);
  const imported = [...text.matchAll(/^(?:import|export)\b.*? from '(\.[^']+)'/gm)].map(([, path]) =>
    join(dirname(file), path),
  );
  return imported.filter(
    (path) =>
      !shown.includes(path) && !path.includes('__generated__') && existsSync(join(dirname(folder), path)),
  );
}

/** Returns the renderer of one guide's tokens. @param assetFor gives the address of an image by its path below docs */
function makeRenderer(folder, guides, guide, assetFor) {
  /** The imported files that the guide has shown. */
  const added = new Set();
  return {
    html: ({ raw }) => {
      if (COMMENT.test(raw.trim())) return '';
      const [, anchor] = OWN_ANCHOR.exec(raw.trim()) ?? [];
      if (anchor !== undefined) return `<a id="${anchor}"></a>`;
      return raw.trim() === '</a>' ? '' : escapeHtml(raw);
    },
    heading({ tokens, depth }) {
      const anchor = makeAnchor(plainText(tokens));
      const content = this.parser.parseInline(tokens);
      const head = guide.saysCommands ? AS_PACKAGE : '';
      if (depth === 1) return `<h1>${content}</h1>\n${head}`;
      return `<h${depth} id="${escapeHtml(anchor)}"><a href="#${escapeHtml(anchor)}">${content}</a></h${depth}>\n`;
    },
    link({ href, tokens }) {
      const content = this.parser.parseInline(tokens);
      const address = resolveLink(folder, guides, guide, href);
      if (address === null) return `<span title="${escapeHtml(href)}, in the source code">${content}</span>`;
      const isElsewhere = /^https?:/.test(address);
      return `<a href="${escapeHtml(address)}"${isElsewhere ? ' rel="noreferrer"' : ''}>${content}</a>`;
    },
    image({ href, text }) {
      if (!existsSync(join(folder, href)))
        throw new Error(`docs/${guide.name}.md shows ${href}, which does not exist.`);
      return `<img src="${escapeHtml(assetFor(href))}" alt="${escapeHtml(text)}" loading="lazy">`;
    },
    code({ text, lang, shows }) {
      const name = lang ? ` class="language-${escapeHtml(lang)}"` : '';
      const block = (code) => `<pre tabindex="0"><code${name}>${escapeHtml(code)}</code></pre>\n`;
      const files = shows ? unshownImports(folder, guides, shows, text) : [];
      const others = files
        .filter((path) => !added.has(path))
        .map((path) => {
          added.add(path);
          const code = readFileSync(join(dirname(folder), path), 'utf8').trimEnd();
          return `<details><summary><code>${escapeHtml(path)}</code>, imported above</summary>\n${block(code)}</details>\n`;
        });
      return block(text) + others.join('');
    },
  };
}

/**
 * Returns the pages of all guides as `{ name, title, body }`, their navigation for each, and the search index.
 * @param assetFor gives the address of an image by its path below docs
 * @throws Error for a link or an image that is dead
 */
export function renderGuides(assetFor, folder = join(root, 'docs')) {
  const marked = new Marked({ gfm: true });
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
  const names = files.map((file) => file.slice(0, -3)).sort();
  const place = (name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const ordered = names.toSorted((one, other) => place(one) - place(other));
  const list = ordered.map((name) => readGuide(marked, folder, name));
  const guides = new Map(list.map((guide) => [guide.name, guide]));
  const navigation = (current) =>
    list
      .map(({ name, title }) => {
        const here = name === current ? ' aria-current="page"' : '';
        return `<li><a href="/docs/guides/${name}"${here}>${escapeHtml(title)}</a></li>`;
      })
      .join('\n');
  const pages = list.map((guide) => {
    const own = new Marked({ gfm: true, renderer: makeRenderer(folder, guides, guide, assetFor) });
    const body = own
      .parser(guide.tokens)
      // Screen readers would announce an empty header.
      .replaceAll('<th></th>', '<td></td>')
      .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>');
    return { name: guide.name, title: guide.title, body, navigation: navigation(guide.name) };
  });
  return { pages, index: list.flatMap(sectionsIn), navigation: navigation(null) };
}
