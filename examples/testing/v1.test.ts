import { expect, onTestFinished, test } from 'vitest';
import { encodeForm } from '../../packages/client/src/v1.ts';
import { startLinkspace } from '../../src/testing/linkspace.ts';

/** The client of v1 that is tested: it makes a link, and returns its short URL. */
async function shorten(origin: string, key: string, fields: object): Promise<string> {
  const response = await fetch(`${origin}/api/v1/links`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: encodeForm(fields),
  });
  const answer = (await response.json()) as { data?: { short_url: string }; message?: string };
  if (!answer.data) throw new Error(answer.message);
  return answer.data.short_url;
}

test('a link ends tomorrow', async () => {
  const linkspace = await startLinkspace({ now: new Date('2026-11-20T12:00:00Z') });
  onTestFinished(() => linkspace.close());
  const { url } = linkspace;
  const key = `${linkspace.key}`;
  const fields = {
    url: 'https://shop.example/',
    country: [{ key: 'DE', value: 'https://shop.example/de' }],
    target_type: 1,
    expiration_date: '2026-11-21',
  };
  const shortUrl = await shorten(url, key, fields);
  const german = { country: 'DE' };
  expect((await linkspace.visit(shortUrl, german)).location).toBe('https://shop.example/de');
  linkspace.advance(24 * 60 * 60 * 1000);
  expect((await linkspace.visit(shortUrl, german)).status).toBe(410);
  const reader = await linkspace.key({ scopes: ['read'] });
  await expect(shorten(url, reader, fields)).rejects.toThrow();
});
