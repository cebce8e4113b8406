import type { AppTexts } from './en-apps.ts';

export const appTexts: AppTexts = {
  title: (name) => `Apps von ${name}`,
  lead: 'Apps, die Links dieses Hosts auf Handys öffnen. Eine App je Zeile.',
  apple: 'iOS',
  appleHint: 'Team-ID, Bundle-ID und Pfade: ABCDE12345.com.example.app /a/*, NOT /b/*. Ohne Pfade: alle.',
  android: 'Android',
  androidHint: 'Paketname und SHA-256-Fingerabdrücke: com.example.app 1F:2E:…',
  line: (at, text) => `Zeile ${at}: ${text}`,
};
