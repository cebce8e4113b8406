/** The operating systems that a link can target. */
export const platforms = {
  IOS: 'iOS',
  ANDROID: 'Android',
  WINDOWS: 'Windows',
  OS_X: 'OS X, which is macOS',
  LINUX: 'Linux other than Ubuntu',
  UBUNTU: 'Ubuntu',
  CHROME_OS: 'Chrome OS',
} as const;

export type Platform = keyof typeof platforms;
