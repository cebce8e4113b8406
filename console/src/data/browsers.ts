/** The browsers that people use, by their names in the statistics; the service knows more, which are mostly programs. */
export const browsers = [
  ...['Chrome', 'Safari', 'Microsoft Edge', 'Firefox', 'Opera', 'Samsung Internet for Android', 'Brave'],
  ...['Amazon Silk', 'Android Browser', 'Chromium', 'DuckDuckGo', 'Focus', 'Google Search', 'HeyTap Browser'],
  ...['Internet Explorer', 'LibreWolf', 'Maxthon', 'NAVER Whale Browser', 'Pale Moon', 'Puffin'],
  ...['QQ Browser', 'UC Browser', 'Vivaldi', 'Vivo Browser', 'WeChat', 'Yandex Browser'],
];
