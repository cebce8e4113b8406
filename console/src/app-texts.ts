import { type Language, language } from './language.ts';
import type { AppTexts } from './languages/en-apps.ts';
import { isolating } from './words/isolated.ts';

const loaders: Readonly<Record<Language, () => Promise<{ readonly appTexts: AppTexts }>>> = {
  en: () => import('./languages/en-apps.ts'),
  de: () => import('./languages/de-apps.ts'),
  fr: () => import('./languages/fr-apps.ts'),
  es: () => import('./languages/es-apps.ts'),
};

const loaded = await loaders[language]();

/** The texts about apps of domains in the language of the page. Only what is loaded lazily may import them: the page would wait for them. */
export const appTexts = isolating(loaded.appTexts);
