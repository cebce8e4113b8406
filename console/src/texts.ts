import { type Language, language } from './language.ts';
import type { Texts } from './languages/en.ts';

const loaders: Readonly<Record<Language, () => Promise<{ readonly texts: Texts }>>> = {
  en: () => import('./languages/en.ts'),
  de: () => import('./languages/de.ts'),
  fr: () => import('./languages/fr.ts'),
  es: () => import('./languages/es.ts'),
};

/** All texts, in the language of the page; the others are not loaded. */
export const { texts } = await loaders[language]();
