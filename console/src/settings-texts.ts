import { loadTexts } from './words/load-texts.ts';

/** The texts of domains and their apps, people, webhooks, settings, the quick search and first steps, in the language of the page. Only what is loaded lazily may import them: the page would wait for them. */
export const settingsTexts = await loadTexts('settingsTexts', {
  en: () => import('./languages/en-settings.ts'),
  de: () => import('./languages/de-settings.ts'),
  fr: () => import('./languages/fr-settings.ts'),
  es: () => import('./languages/es-settings.ts'),
});
