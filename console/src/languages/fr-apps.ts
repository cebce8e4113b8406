import type { AppTexts } from './en-apps.ts';

export const appTexts: AppTexts = {
  title: (name) => `Applications de ${name}`,
  lead: 'Applications qui ouvrent les liens de cet hôte sur mobile. Une par ligne.',
  apple: 'iOS',
  appleHint:
    'Équipe, application et chemins : ABCDE12345.com.example.app /a/*, NOT /b/*. Sans chemin : tous.',
  android: 'Android',
  androidHint: 'Paquet et empreintes SHA-256 : com.example.app 1F:2E:…',
  line: (at, text) => `Ligne ${at} : ${text}`,
};
