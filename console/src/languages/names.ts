import type { PixelType, Platform } from '../generated/documents.ts';

/** Words for values of the API, which may get new ones: those are shown as they are. */
export type Words<Value extends string> = Readonly<Record<Value, string> & Partial<Record<string, string>>>;

// What has the same name in every language.

export const platforms: Words<Platform> = {
  IOS: 'iOS',
  ANDROID: 'Android',
  WINDOWS: 'Windows',
  OS_X: 'macOS',
  LINUX: 'Linux',
  UBUNTU: 'Ubuntu',
  CHROME_OS: 'ChromeOS',
};

/** What else people look for when they mean a system. */
export const platformWords: Readonly<Partial<Record<string, readonly string[]>>> = {
  IOS: ['iPhone', 'iPad'],
  OS_X: ['Mac', 'OS X', 'MacBook'],
  WINDOWS: ['PC'],
  CHROME_OS: ['Chromebook'],
};

export const pixelTypes: Words<PixelType> = {
  ADROLL: 'AdRoll',
  BING: 'Microsoft Advertising',
  FACEBOOK: 'Meta',
  GOOGLE_ADS: 'Google Ads',
  GOOGLE_ANALYTICS: 'Google Analytics',
  GOOGLE_TAG_MANAGER: 'Google Tag Manager',
  LINKEDIN: 'LinkedIn',
  PINTEREST: 'Pinterest',
  QUORA: 'Quora',
  X: 'X',
};
