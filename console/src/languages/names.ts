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
