import { type Language, language } from './language.ts';
import type { Texts } from './languages/en.ts';
import { isolating } from './words/isolated.ts';

const loaders: Readonly<Record<Language, () => Promise<{ readonly texts: Texts }>>> = {
  en: () => import('./languages/en.ts'),
  de: () => import('./languages/de.ts'),
  fr: () => import('./languages/fr.ts'),
  es: () => import('./languages/es.ts'),
};

const loaded = await loaders[language]();

/** All texts, in the language of the page; the others are not loaded. */
export const texts = isolating(loaded.texts);
