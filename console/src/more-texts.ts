import { loadTexts } from './words/load-texts.ts';

/** The texts of comparisons over time and of the columns of imports. Only what is loaded lazily may import them: the page would wait for them. */
export const moreTexts = await loadTexts('moreTexts', {
  en: () => import('./languages/en-more.ts'),
  de: () => import('./languages/de-more.ts'),
  fr: () => import('./languages/fr-more.ts'),
  es: () => import('./languages/es-more.ts'),
});
