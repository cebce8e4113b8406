import { expect, test } from 'vitest';
import { isBot } from '../../src/domain/visit/bot.ts';
import { isPreviewAgent, previewAgents } from '../../src/domain/visit/preview-agents.ts';

test('at least thirty user agents are known, each by its word, with a source and a day', () => {
  expect(new Set(previewAgents.map(({ userAgent }) => userAgent)).size).toBe(previewAgents.length);
  expect(previewAgents.length).toBeGreaterThanOrEqual(30);
  for (const { word, userAgent, source, since } of previewAgents) {
    expect(userAgent).toMatch(new RegExp(word, 'i'));
    expect(source).not.toBe('');
    expect(since).toMatch(/^20[12]\d-[01]\d-[0-3]\d$/);
  }
});

test.each(previewAgents.map(({ userAgent }) => userAgent))('%s shows previews, and is a bot', (userAgent) => {
  expect(isPreviewAgent(userAgent)).toBe(true);
  expect(isBot({ userAgent })).toBe(true);
});

test.each([
  'WhatsApp/2.23.20.0',
  'WhatsApp/2',
  'Mastodon/4.3.0 (http.rb/5.2.0; +https://mastodon.social/)',
  'Mozilla/5.0 (compatible; Embedly/0.2; snap; +http://support.embed.ly/)',
])('another version of one shows previews: %s', (userAgent) => {
  expect(isPreviewAgent(userAgent)).toBe(true);
  expect(isBot({ userAgent })).toBe(true);
});

test.each([
  // Search engines and language models
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.1; +https://openai.com/gptbot',
  // Slack, but not to expand a link, and other programs
  'Slackbot 1.0 (+https://api.slack.com/robots)',
  'curl/8.5.0',
  '',
  // People
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/500.0.0.0]',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari Line/14.5.0',
  'Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0.0.0 Mobile Safari/537.36 KAKAOTALK/10.8.0',
  'Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36 [Pinterest/Android]',
])('%s shows none', (userAgent) => {
  expect(isPreviewAgent(userAgent)).toBe(false);
});
