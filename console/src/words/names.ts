import type { PixelType, Platform } from '../generated/documents.ts';

/** Words for values of the API, which may get new ones: those are shown as they are. */
export type Words<Value extends string> = Readonly<Record<Value, string> & Partial<Record<string, string>>>;

// Names that are equal in every language.

export const platforms: Words<Platform> = {
  IOS: 'iOS',
  ANDROID: 'Android',
  WINDOWS: 'Windows',
  OS_X: 'macOS',
  LINUX: 'Linux',
  UBUNTU: 'Ubuntu',
  CHROME_OS: 'ChromeOS',
};

/** Names of a country besides its usual one, in the languages of the console. */
export const countryWords: Readonly<Partial<Record<string, readonly string[]>>> = {
  AE: ['UAE', 'Emirates', 'VAE', 'Emirate', 'EAU', 'Émirats', 'Emiratos', 'Dubai', 'Abu Dhabi'],
  BY: ['White Russia', 'Weißrussland', 'Biélorussie', 'Bielorrusia'],
  CD: ['DR Congo', 'DRC', 'Zaire'],
  CI: ['Ivory Coast', 'Elfenbeinküste', 'Costa de Marfil'],
  CN: ['PRC'],
  CV: ['Cape Verde', 'Kapverden', 'Cap-Vert'],
  CZ: ['Czech Republic', 'Tschechische Republik', 'République tchèque', 'República Checa'],
  GB: [
    ...[
      'UK',
      'Great Britain',
      'England',
      'Scotland',
      'Wales',
      'Northern Ireland',
      'Großbritannien',
      'Schottland',
    ],
    ...['Grande-Bretagne', 'Angleterre', 'Écosse', 'Gran Bretaña', 'Inglaterra', 'Escocia'],
  ],
  IR: ['Persia', 'Persien', 'Perse'],
  LK: ['Ceylon'],
  MD: ['Moldavia', 'Moldawien', 'Moldavie'],
  MK: ['Macedonia', 'Mazedonien', 'Macédoine'],
  MM: ['Burma', 'Birma', 'Birmanie', 'Birmania'],
  NL: ['Holland', 'Hollande', 'Holanda'],
  SZ: ['Swaziland', 'Swasiland'],
  TL: ['East Timor', 'Osttimor'],
  TR: ['Turkey', 'Türkei', 'Turquie', 'Turquía'],
  US: ['USA', 'America', 'Amerika', 'Amérique', 'América', 'EE. UU.', 'EE.UU.', 'EEUU', 'Etats-Unis'],
};

/** Other words that people look for when they mean a system. */
export const platformWords: Readonly<Partial<Record<string, readonly string[]>>> = {
  IOS: ['iPhone', 'iPad'],
  OS_X: ['Mac', 'OS X', 'MacBook'],
  WINDOWS: ['PC'],
  CHROME_OS: ['Chromebook'],
};

export const pixelTypes: Words<PixelType> = {
  ADROLL: 'AdRoll',
  BING: 'Microsoft Advertising (Bing)',
  FACEBOOK: 'Meta (Facebook)',
  GOOGLE_ADS: 'Google Ads',
  GOOGLE_ANALYTICS: 'Google Analytics',
  GOOGLE_TAG_MANAGER: 'Google Tag Manager',
  LINKEDIN: 'LinkedIn',
  PINTEREST: 'Pinterest',
  QUORA: 'Quora',
  X: 'X (Twitter)',
};

/** The place in which a network shows the id of a pixel, by the English names of its menus, and an example of one. */
export const pixelIds: Readonly<Record<PixelType, { readonly place: string; readonly example: string }>> = {
  ADROLL: {
    place: 'AdRoll › Settings › AdRoll Pixel › adroll_adv_id:adroll_pix_id',
    example: 'ABCDEF123456:GHIJKL789012',
  },
  BING: { place: 'Microsoft Advertising › Tools › UET tag › Tag ID', example: '12345678' },
  FACEBOOK: { place: 'Meta Events Manager › Data sources › Pixel ID', example: '1234567890' },
  GOOGLE_ADS: { place: 'Google Ads › Tools › Data manager › Google tag', example: 'AW-123456789' },
  GOOGLE_ANALYTICS: {
    place: 'Google Analytics › Admin › Data streams › Measurement ID',
    example: 'G-ABC1234567',
  },
  GOOGLE_TAG_MANAGER: { place: 'Google Tag Manager › Workspace › Container ID', example: 'GTM-ABC123' },
  LINKEDIN: {
    place: 'LinkedIn Campaign Manager › Data › Signals manager › Insight Tag › Partner ID',
    example: '123456',
  },
  PINTEREST: { place: 'Pinterest Ads › Conversions › Tag ID', example: '2612345678901' },
  QUORA: { place: 'Quora Ads Manager › Pixels & Events › Pixel ID', example: '0123456789abcdef' },
  X: { place: 'X Ads › Tools › Events Manager › Pixel ID', example: 'o1abc' },
};
