import { type Language, language } from './language.ts';
import type { MoreTexts } from './languages/en-more.ts';
import { isolating } from './words/isolated.ts';

const loaders: Readonly<Record<Language, () => Promise<{ readonly moreTexts: MoreTexts }>>> = {
  en: () => import('./languages/en-more.ts'),
  de: () => import('./languages/de-more.ts'),
  fr: () => import('./languages/fr-more.ts'),
  es: () => import('./languages/es-more.ts'),
};

const loaded = await loaders[language]();

/** The texts of comparisons over time and of the columns of imports. Only what is loaded lazily may import them: the page would wait for them. */
export const moreTexts = isolating(loaded.moreTexts);
