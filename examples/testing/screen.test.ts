import { expect, onTestFinished, test } from 'vitest';
import { startLinkspace } from '../../src/testing/linkspace.ts';
import { followTitles } from '../screen/start-urql.ts';

test('a screen shows what a colleague adds', async () => {
  const linkspace = await startLinkspace();
  onTestFinished(() => linkspace.close());
  let shown: (string | null)[] = ['not loaded yet'];
  const headers = { Authorization: `Bearer ${linkspace.key}` };
  const leave = followTitles(`${linkspace.url}/graphql`, headers, ({ links }) => {
    shown = links.edges.map(({ node }) => node.title);
  });
  onTestFinished(leave);
  await expect.poll(() => shown).toEqual([]);
  const colleague = await linkspace.person({ role: 'EDITOR' });
  await colleague.data(
    'mutation { createLink(input: { url: "https://shop.example/", title: "Sale" }) { __typename } }',
  );
  await expect.poll(() => shown).toEqual(['Sale']);
});
