import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** A console with one language: its page waits for the texts, as ours does. */
const sources: Readonly<Record<string, string>> = {
  'index.html': '<!doctype html><script type="module" src="/src/main.ts"></script>',
  'src/main.ts': "import { title } from './parts/title.ts'; document.title = title();",
  'src/texts.ts': "export const { texts } = await import('./languages/en.ts');",
  'src/parts/title.ts':
    "import { texts } from '../texts.ts'; import { many } from '../words/many.ts'; export const title = () => texts.name + many(2);",
  'src/words/many.ts': 'export const many = (count: number): string => count.toLocaleString();',
  'src/languages/en.ts':
    "import { many } from '../words/many.ts'; export const texts = { name: many(location.href.length) };",
};

/** Builds these sources by the configuration of the console; returns its exit code and its error. */
function built(changed: Readonly<Record<string, string>> = {}): { code: number | null; error: string } {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-console-'));
  const root = join(folder, 'console');
  for (const [name, text] of Object.entries({ ...sources, ...changed })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const options = ['--config', 'console/vite.config.ts', '--outDir', join(folder, 'out')];
  const { status, stderr } = spawnSync('node_modules/.bin/vite', ['build', root, ...options], {
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  rmSync(folder, { recursive: true });
  return { code: status, error: /The console would.*/.exec(stderr)?.[0] ?? '' };
}

describe('the build of the console', () => {
  test('accepts a language that imports words', () => {
    expect(built()).toEqual({ code: 0, error: '' });
  });

  test('refuses a language that imports what waits for a language', () => {
    const language = "import { title } from '../parts/title.ts'; export const texts = { name: title.name };";
    expect(built({ 'src/languages/en.ts': language })).toEqual({
      code: 1,
      error:
        'The console would stay blank: languages/en.ts imports title.ts, which waits for a language. Languages may import only src/words.',
    });
  });

  test('refuses words that wait for a language', () => {
    const words =
      "import { texts } from '../texts.ts'; export const many = (count: number) => texts.name + count;";
    const { code, error } = built({ 'src/words/many.ts': words });
    expect({ code, error }).toMatchObject({ code: 1, error: expect.stringContaining('en.ts imports words') });
  });
});
