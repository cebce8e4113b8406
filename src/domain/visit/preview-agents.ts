/** A program that reads a link to show a preview of it. */
export interface PreviewAgent {
  /** The chat, the network or the service that shows the preview. */
  readonly shownBy: string;
  /** A word of its user agents, by which it is known: a part of a regular expression. */
  readonly word: string;
  /** A user agent that it has sent, as the source has it. */
  readonly userAgent: string;
  readonly source: string;
  /** The day on which the source got it, or it was seen there. */
  readonly since: string;
}

const META = 'https://developers.facebook.com/docs/sharing/webmasters/crawler/';
const SLACK = 'https://api.slack.com/robots';
/** A list of crawlers with their user agents, as of 2 July 2026. */
const LIST = 'https://github.com/monperrus/crawler-user-agents';
/** For those that no page of their maker confirms. */
const SEEN = 'logs and tests in public repositories';

/**
 * The known programs. Search engines are not among them, nor are programs that read for a language model: a link leads them to its
 * destination, as it leads people. Known by a word, since versions change.
 */
export const previewAgents: readonly PreviewAgent[] = [
  {
    shownBy: 'Facebook, Messenger and Instagram',
    word: 'facebookexternalhit/',
    userAgent: 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    source: META,
    since: '2012-05-07',
  },
  {
    shownBy: 'Facebook, Messenger and Instagram',
    word: 'facebookexternalhit/',
    userAgent: 'facebookexternalhit/1.1',
    source: META,
    since: '2012-05-07',
  },
  {
    shownBy: 'Facebook',
    word: 'Facebot',
    userAgent: 'Facebot/1.0',
    source: 'https://developers.facebook.com/docs/sharing/best-practices#crawl',
    since: '2014-12-30',
  },
  {
    shownBy: "Facebook's catalogs",
    word: 'facebookcatalog/',
    userAgent: 'facebookcatalog/1.0',
    source: 'https://developers.facebook.com/docs/sharing/webmasters/web-crawlers',
    since: '2024-10-03',
  },
  {
    shownBy: 'Facebook',
    word: 'Meta-ExternalHit/',
    userAgent:
      'Mozilla/5.0 (compatible; Meta-ExternalHit/1.1; +http://www.facebook.com/externalhit_uatext.php)',
    source: LIST,
    since: '2026-04-17',
  },
  {
    shownBy: 'Messages of Apple',
    word: 'facebookexternalhit/',
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
    source: SEEN,
    since: '2026-11-30',
  },
  {
    shownBy: 'KakaoTalk',
    word: 'facebookexternalhit/',
    userAgent: 'facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984',
    source: SEEN,
    since: '2021-02-05',
  },
  {
    shownBy: 'LINE',
    word: 'facebookexternalhit/',
    userAgent: 'facebookexternalhit/1.1;line-poker/1.0',
    source: SEEN,
    since: '2026-02-17',
  },
  {
    shownBy: 'X',
    word: 'Twitterbot/',
    userAgent: 'Twitterbot/1.0',
    source: 'https://dev.twitter.com/cards/getting-started',
    since: '2014-09-12',
  },
  {
    shownBy: 'LinkedIn',
    word: 'LinkedInBot/',
    userAgent: 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    source: LIST,
    since: '2026-07-02',
  },
  {
    shownBy: 'LinkedIn',
    word: 'LinkedInBot/',
    userAgent:
      'LinkedInBot/1.0 (compatible; Mozilla/5.0; Jakarta Commons-HttpClient/4.3 +http://www.linkedin.com)',
    source: LIST,
    since: '2026-07-02',
  },
  {
    shownBy: 'Slack',
    word: 'Slackbot-LinkExpanding',
    userAgent: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    source: SLACK,
    since: '2016-11-03',
  },
  {
    shownBy: 'Slack',
    word: 'Slackbot-LinkExpanding',
    userAgent: 'Slackbot-LinkExpanding (+https://api.slack.com/robots)',
    source: SLACK,
    since: '2016-11-03',
  },
  {
    shownBy: 'Slack',
    word: 'Slack-ImgProxy',
    userAgent: 'Slack-ImgProxy (+https://api.slack.com/robots)',
    source: SLACK,
    since: '2016-04-25',
  },
  {
    shownBy: 'Discord',
    word: 'Discordbot/',
    userAgent: 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    source: LIST,
    since: '2017-09-22',
  },
  {
    shownBy: 'Telegram',
    word: 'TelegramBot',
    userAgent: 'TelegramBot (like TwitterBot)',
    source: LIST,
    since: '2017-10-01',
  },
  {
    shownBy: 'WhatsApp',
    word: '^WhatsApp(?:/|$)',
    userAgent: 'WhatsApp/2.19.330 A',
    source: LIST,
    since: '2016-11-15',
  },
  {
    shownBy: 'WhatsApp',
    word: '^WhatsApp(?:/|$)',
    userAgent: 'WhatsApp/2.19.92 i',
    source: LIST,
    since: '2016-11-15',
  },
  {
    shownBy: 'Skype and Teams',
    word: 'SkypeUriPreview',
    userAgent: 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
    source: LIST,
    since: '2016-10-10',
  },
  {
    shownBy: 'Reddit',
    word: 'redditbot/',
    userAgent: 'Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)',
    source: LIST,
    since: '2016-11-03',
  },
  {
    shownBy: 'Pinterest',
    word: '^Pinterest/',
    userAgent: 'Pinterest/0.2 (+http://www.pinterest.com/bot.html)',
    source: 'http://www.pinterest.com/bot.html',
    since: '2017-03-03',
  },
  {
    shownBy: 'Pinterest',
    word: 'Pinterestbot/',
    userAgent: 'Mozilla/5.0 (compatible; Pinterestbot/1.0; +http://www.pinterest.com/bot.html)',
    source: 'http://www.pinterest.com/bot.html',
    since: '2017-03-03',
  },
  {
    shownBy: 'VK',
    word: 'vkShare',
    userAgent: 'Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)',
    source: 'http://vk.com/dev/Share',
    since: '2018-07-02',
  },
  {
    shownBy: 'Odnoklassniki',
    word: 'OdklBot/',
    userAgent: 'Mozilla/5.0 (compatible; OdklBot/1.0 like Linux; klass@odnoklassniki.ru)',
    source: LIST,
    since: '2023-05-24',
  },
  {
    shownBy: 'Viber',
    word: '^Viber(?:/|$)',
    userAgent: 'Viber',
    source: LIST,
    since: '2021-04-27',
  },
  {
    shownBy: 'Snapchat',
    word: 'Snap URL Preview Service',
    userAgent: 'Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots',
    source: 'https://developers.snap.com/robots',
    since: '2022-11-13',
  },
  {
    shownBy: 'Snapchat',
    word: 'SnapURLPreview/',
    userAgent: 'Mozilla/5.0 (compatible; SnapURLPreview/1.0; +https://www.snapchat.com)',
    source: 'https://business.snapchat.com/legal/snapchat-automated-crawler',
    since: '2026-04-17',
  },
  {
    shownBy: 'Bluesky',
    word: 'Bluesky Cardyb/',
    userAgent: 'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)',
    source: SEEN,
    since: '2026-11-30',
  },
  {
    shownBy: 'Mastodon',
    word: '\\(Mastodon/|^Mastodon/',
    userAgent: 'http.rb/2.2.2 (Mastodon/1.5.1; +https://example-masto-instance.org/)',
    source: LIST,
    since: '2017-11-02',
  },
  {
    shownBy: 'Misskey',
    word: 'SummalyBot/',
    userAgent: 'SummalyBot/5.1.0',
    source: 'https://github.com/misskey-dev/summaly',
    since: '2025-02-10',
  },
  {
    shownBy: 'Lemmy',
    word: '^Lemmy/',
    userAgent: 'Lemmy/0.19.8; +https://leminal.space',
    source: LIST,
    since: '2025-02-11',
  },
  {
    shownBy: 'Matrix',
    word: '^Synapse \\(bot;',
    userAgent: 'Synapse (bot; +https://github.com/matrix-org/synapse)',
    source: 'https://github.com/matrix-org/synapse',
    since: '2023-09-08',
  },
  {
    shownBy: 'Mattermost',
    word: 'Mattermost-Bot/',
    userAgent: 'Mattermost-Bot/1.1',
    source: 'https://datadome.co/bots/mattermost-bot/',
    since: '2026-04-17',
  },
  {
    shownBy: 'Tumblr',
    word: '^Tumblr/',
    userAgent: 'Tumblr/14.0.835.186',
    source: LIST,
    since: '2026-04-17',
  },
  {
    shownBy: 'Notion',
    word: '^Notion/',
    userAgent: 'Notion/1.0 (https://notion.so; team@makenotion.com)',
    source: LIST,
    since: '2026-04-17',
  },
  {
    shownBy: 'Iframely, for Atlassian and others',
    word: 'Iframely/',
    userAgent: 'Iframely/1.3.1 (+https://iframely.com/docs/about) Atlassian',
    source: 'https://iframely.com/docs/about',
    since: '2023-09-08',
  },
  {
    shownBy: 'Embedly',
    word: 'Embedly[ /]',
    userAgent: 'Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)',
    source: 'http://support.embed.ly',
    since: '2016-04-25',
  },
  {
    shownBy: "Steam's chat",
    word: 'SteamChatURLLookup',
    userAgent: 'Valve/Steam HTTP Client 1.0 (SteamChatURLLookup)',
    source: LIST,
    since: '2023-05-24',
  },
];

const KNOWN = new RegExp([...new Set(previewAgents.map(({ word }) => word))].join('|'), 'i');

/** True if a user agent is that of a known program that shows previews. */
export function isPreviewAgent(userAgent: string): boolean {
  return KNOWN.test(userAgent);
}
