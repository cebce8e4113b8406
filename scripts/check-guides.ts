// Part of `npm run typecheck`: checks the types of the TypeScript in the guides, but for files that they show.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { allBlocks, type Block } from '../test/support/markdown.ts';

/** TypeScript's errors in the blocks, by their places. */
function typeErrors(blocks: readonly Block[]): string[] {
  // In a folder of the project, so that packages resolve.
  const folder = mkdtempSync(join('test', '.docs-'));
  const require = createRequire(resolve('package.json'));
  const isInstalled = (name: string) => {
    try {
      return require.resolve(name) !== '';
    } catch {
      return false;
    }
  };
  try {
    // Packages of front ends that this project does not have: their imports have any type.
    const unknown = new Map<string, Set<string>>();
    for (const [index, { text, place }] of blocks.entries()) {
      for (const [, imported = '', name = ''] of text.matchAll(/^import (.*?) from '([^']+)'/gm)) {
        if (!name.startsWith('.')) {
          if (isInstalled(name)) continue;
          const names = imported.match(/\w+/g)?.filter((word) => word !== 'type') ?? [];
          unknown.set(name, new Set([...(unknown.get(name) ?? []), ...names]));
        } else if (!existsSync(join(folder, name))) {
          // Generated files.
          const isJson = name.endsWith('.json');
          const made = isJson
            ? '{ "__schema": { "queryType": { "name": "Query" } } }'
            : 'declare const made: any; export default made;';
          writeFileSync(join(folder, isJson ? name : `${name}.d.ts`), made);
        }
      }
      writeFileSync(join(folder, `block-${index}.ts`), `// ${place}\n${text}`);
    }
    const modules = [...unknown].map(([name, names]) => {
      const exported = [...names].map((one) => `export const ${one}: any; export type ${one} = any;`);
      return `declare module '${name}' { ${exported.join(' ')} }`;
    });
    writeFileSync(join(folder, 'unknown.d.ts'), modules.join('\n'));
    const compilerOptions = {
      module: 'ESNext',
      moduleResolution: 'Bundler',
      resolveJsonModule: true,
      allowImportingTsExtensions: true,
      rewriteRelativeImportExtensions: false,
      // Without the types of such packages, parameters of callbacks have none.
      noImplicitAny: false,
      types: ['node'],
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] }),
    );
    const tsc = resolve('node_modules/typescript/bin/tsc');
    // With several threads, each would check the types of the schema and of Prisma again, which is most of the work.
    const args = [tsc, '--singleThreaded', '-p', folder];
    return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const blocks = allBlocks.filter(({ language, shows }) => language === 'ts' && shows === null);
const wrong = {
  file: '',
  place: 'a deliberate mistake',
  language: 'ts',
  text: "export const wrong: number = 'text';",
  shows: null,
};
// That the compiler finds the mistake shows that it reads the blocks.
const isDeliberate = (line: string) =>
  line.includes(`block-${blocks.length}.ts`) && line.includes('error TS2322: ');
const errors = typeErrors([...blocks, wrong]);
const others = errors.filter((line) => !isDeliberate(line));
if (errors.length !== others.length + 1) others.push('The TypeScript in the guides was not checked.');
if (others.length > 0) {
  console.error(others.join('\n'));
  process.exit(1);
}
