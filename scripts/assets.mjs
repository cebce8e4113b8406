// Makes src/generated/assets, the web pages and their assets, and src/generated/look.ts, the styles and the logo of the pages
// that the server builds itself. The name of an asset contains a hash of its contents, so that browsers may cache it for ever;
// everything is compressed, too.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { renderGuides } from './guides.mjs';
import { root } from './stamp.mjs';

const OUTPUT = join(root, 'src/generated/assets');
/** Brotli's maximum quality takes ten times as long, for a tenth less. */
const QUALITY = 9;

const page = (name) => readFileSync(join(root, 'web', name), 'utf8');
const font = readFileSync(join(root, 'web/inter.woff2'));
/** The typeface, at the same path on every host; browsers keep it until its hash is another one. */
const fontStyle = () => page('font.css').replace('./inter.woff2', `/inter.woff2?${shortHash(font)}`);
const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The assets of pages, by name. */
async function sources(guides) {
  // The package exports only a function that renders one page of nine MB; these are its parts.
  const graphiql = await import(
    pathToFileURL(join(root, 'node_modules/@graphql-yoga/render-graphiql/esm/graphiql.js')).href
  );
  return {
    'graphiql.js': graphiql.js,
    'graphiql.css': graphiql.css,
    'graphiql-editor-worker.js': graphiql.editorWorkerService,
    'graphiql-json-worker.js': graphiql.jsonWorker,
    'graphiql-graphql-worker.js': graphiql.graphqlWorker,
    'look.css': page('look.css') + fontStyle(),
    'graphiql-page.js': page('graphiql-page.js'),
    'graphiql-page.css': page('graphiql-page.css'),
    'swagger-ui.css': readFileSync(join(swagger, 'swagger-ui.css'), 'utf8'),
    'swagger-ui-bundle.js': readFileSync(join(swagger, 'swagger-ui-bundle.js'), 'utf8'),
    'docs-page.js': page('docs-page.js'),
    'docs-page.css': page('docs-page.css'),
    'guide-page.js': page('guide-page.js'),
    'guide-page.css': page('guide-page.css') + page('cards.css'),
    'guides.json': JSON.stringify(guides.index),
  };
}

function shortHash(text) {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/** An image of the guides, by its path below docs, and its name among the assets. */
const image = (path) => readFileSync(join(root, 'docs', path));
const imageName = (path) => hashedName(basename(path), image(path));

function hashedName(name, text) {
  return name.replace(/\.(\w+)$/, `-${shortHash(text)}.$1`);
}

/** Writes a file, and its compressed versions beside it. */
export async function writeCompressed(folder, name, text) {
  const bytes = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: QUALITY }),
  ]);
  writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, `${name}.br`), brotli);
  writeFileSync(join(folder, `${name}.gz`), gzipped);
}

/** Without comments, line breaks and indentation. */
const short = (css) => css.replace(/\/\*.*?\*\/|\n\s*/gs, '');

/** The logo for a page's HTML; a text beside it names it. */
const logo = () => page('logo.svg').trim();

function writeLook() {
  const style = (...names) => short(page('look.css') + fontStyle() + names.map(page).join(''));
  const values = {
    startStyle: style('start-page.css', 'cards.css'),
    visitorStyle: style('visitor-page.css'),
    statisticsStyle: style('statistics-page.css'),
    logo: logo(),
    favicon: logo(),
  };
  const lines = Object.entries(values).map(
    ([name, text]) => `export const ${name} = ${JSON.stringify(text)};\n`,
  );
  writeFileSync(join(OUTPUT, '../look.ts'), lines.join(''));
}

const write = (name, text) => writeCompressed(OUTPUT, name, text);

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text) => text.replace(/[&<>"]/g, (one) => escapes[one]);

/** The links to explore beside the guides, for developers; GraphiQL, which may be off, is the first. */
const explored = [
  ['/graphql', 'GraphiQL', 'Explore the GraphQL API and run the examples.'],
  ['/docs', 'REST API v1', 'Read the reference of the REST API, and try its operations.'],
  ['/schema.graphql', 'schema.graphql', 'The GraphQL schema, for code generators.'],
  ['/openapi.json', 'openapi.json', 'The REST API as OpenAPI 3.1, for code generators.'],
];

export async function makeAssets() {
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  const images = new Set();
  const guides = renderGuides((path) => {
    images.add(path);
    return `/docs/assets/${imageName(path)}`;
  });
  const files = await sources(guides);
  const names = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, hashedName(name, text)]),
  );
  const filled = (name) =>
    page(name)
      .replace(/\{\{asset:([\w.-]+)\}\}/g, (_, asset) => `/docs/assets/${names[asset]}`)
      .replaceAll('{{logo}}', logo())
      .replace(/\{\{text:([\w.-]+)\}\}/g, (_, file) => escapeHtml(page(file)));
  const guidePage = ({ title, navigation, body }) =>
    filled('guide.html')
      .replace('{{title}}', () => escapeHtml(title))
      .replace('{{navigation}}', () => navigation)
      .replace('{{body}}', () => body);
  const cards = explored.map(
    ([address, name, text]) => `<li><a class="card" href="${address}"><b>${name}</b>${text}</a></li>`,
  );
  /** The entrance of developers, under a title. */
  const entrance = (title, from) =>
    guidePage({
      title,
      navigation: guides.navigation,
      body: `<h1>${title}</h1>
<h2>Explore</h2>
<p>Programs and the REST reference need an API key.</p>
<ul class="cards">
${cards.slice(from).join('\n')}
</ul>
<h2>Guides</h2>
<ul>
${guides.navigation}
</ul>`,
    });
  writeLook();
  for (const path of images) writeFileSync(join(OUTPUT, imageName(path)), image(path));
  // It is compressed already. Its licence stays with it.
  writeFileSync(join(OUTPUT, 'inter.woff2'), font);
  writeFileSync(join(OUTPUT, 'inter-LICENSE.txt'), page('inter-LICENSE.txt'));
  await Promise.all([
    ...Object.entries(files).map(([name, text]) => write(names[name], text)),
    write('graphiql.html', filled('graphiql.html')),
    write('docs.html', filled('docs.html')),
    ...[
      ['guides', 0],
      ['guides-without-graphiql', 1],
    ].flatMap(([name, from]) => [
      write(`${name}.html`, entrance('Guides and APIs', from)),
      write(`no-${name}.html`, entrance('There is no such page', from)),
    ]),
    ...guides.pages.map((guide) => write(`guide-${guide.name}.html`, guidePage(guide))),
  ]);
}
