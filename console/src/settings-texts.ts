import { type Language, language } from './language.ts';
import type { SettingsTexts } from './languages/en-settings.ts';
import { isolating } from './words/isolated.ts';

const loaders: Readonly<Record<Language, () => Promise<{ readonly settingsTexts: SettingsTexts }>>> = {
  en: () => import('./languages/en-settings.ts'),
  de: () => import('./languages/de-settings.ts'),
  fr: () => import('./languages/fr-settings.ts'),
  es: () => import('./languages/es-settings.ts'),
};

const loaded = await loaders[language]();

/** The texts of domains and their apps, people, webhooks, settings, the quick search and first steps, in the language of the page. Only what is loaded lazily may import them: the page would wait for them. */
export const settingsTexts = isolating(loaded.settingsTexts);
