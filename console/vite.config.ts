import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { print, stripIgnoredCharacters } from 'graphql';
import { defineConfig, type Plugin } from 'vite';
import { foldersIn } from '../scripts/packages.mjs';

/** The most JavaScript that the first view may load, in bytes, compressed by gzip. */
const MAX_BYTES = 150_000;

/** What waits for the texts of rules: where all views have it, all of them would wait. */
const RULE_WORDS = /\/console\/src\/(rule-texts|data\/rule-words)\.ts$/;

/** All that languages import: the first view waits for one, which must not wait for the first view. */
const WORDS = /\/console\/src\/words\//;

const isLanguage = ({ facadeModuleId }: { readonly facadeModuleId: string | null }): boolean =>
  facadeModuleId?.includes('/languages/') === true;

/** Ends the build if the chunks that the browser loads at once, those of the page and what they import statically, are too large. */
const limitFirstView: Plugin = {
  name: 'limit-first-view',
  writeBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
    // The entry itself is no chunk: the page names what it is made of.
    const page = bundle['index.html'];
    const html = page?.type === 'asset' ? String(page.source) : '';
    const first = new Set(chunks.filter(({ fileName }) => html.includes(fileName)));
    if (first.size === 0) this.error('The page of the console names no script.');
    for (const { imports } of first)
      for (const chunk of chunks) if (imports.includes(chunk.fileName)) first.add(chunk);
    // And one of the languages.
    const languages = chunks.filter(isLanguage);
    const sizeOf = ({ code }: { readonly code: string }) => gzipSync(code, { level: 9 }).length;
    const bytes =
      Math.max(0, ...languages.map(sizeOf)) + [...first].reduce((sum, one) => sum + sizeOf(one), 0);
    if (bytes > MAX_BYTES)
      this.error(`The console's first view loads ${bytes} bytes of JavaScript; at most are ${MAX_BYTES}.`);
  },
};

/**
 * Ends the build if a language imports a chunk that waits for a language: each would wait for the other, and the page would stay
 * blank without an error.
 */
const freeLanguages: Plugin = {
  name: 'free-languages',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
    for (const language of chunks.filter(isLanguage)) {
      const reached = new Set([language]);
      for (const { imports } of reached)
        for (const chunk of chunks) if (imports.includes(chunk.fileName)) reached.add(chunk);
      if (![...reached].some(({ dynamicImports }) => dynamicImports.includes(language.fileName))) continue;
      const { importedIds = [] } = this.getModuleInfo(language.facadeModuleId ?? '') ?? {};
      const wrong = importedIds.filter((id) => !WORDS.test(id)).map((id) => basename(id));
      this.error(
        `The console would stay blank: languages/${language.name}.ts imports ${wrong.join(' and ') || 'words'}, which waits for a language. Languages may import only src/words.`,
      );
    }
  },
};

/** A generated document: its name, its syntax tree as JSON, and its type. */
const DOCUMENT = /^export const (\w+) = (\{"kind":"Document",.*\}) as unknown as /gm;

/** Sends documents as texts, which are parsed when they are first used: their trees are ten times as large. */
const textDocuments: Plugin = {
  name: 'text-documents',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/console/src/generated/documents.ts')) return null;
    const toText = (_all: string, name: string, tree: string) =>
      `export const ${name} = /*#__PURE__*/ documentOf(${JSON.stringify(stripIgnoredCharacters(print(JSON.parse(tree))))}) as unknown as `;
    return {
      code: `import { documentOf } from '../data/document.ts';\n${code.replace(DOCUMENT, toText)}`,
      map: null,
    };
  },
};

/** Writes the folders of the packages that it contains, for the licences of a package of the service. */
const listPackages: Plugin = {
  name: 'list-packages',
  writeBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []));
    writeFileSync(
      new URL('../src/generated/console-packages.json', import.meta.url),
      JSON.stringify(foldersIn(modules)),
    );
  },
};

// scripts/console.mjs builds it, and compresses the files.
export default defineConfig({
  base: '/console/',
  plugins: [textDocuments, freeLanguages, limitFirstView, listPackages],
  build: {
    outDir: '../src/generated/console',
    emptyOutDir: true,
    target: 'es2023',
    // Files are only ever sent by the service itself, and its policy forbids inlined fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'words', test: WORDS, priority: 1 },
            // One request, where each module that views share would be one of its own.
            { name: 'first', tags: ['$initial'] },
            { name: 'views', test: (id) => !RULE_WORDS.test(id), minShareCount: 3, maxModuleSize: 8_000 },
          ],
        },
      },
    },
  },
});
