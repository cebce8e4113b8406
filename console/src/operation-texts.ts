import { loadTexts } from './words/load-texts.ts';

/** The texts of saved operations in the language of the page. Only what is loaded lazily may import them: the page would wait for them. */
export const operationTexts = await loadTexts('operationTexts', {
  en: () => import('./languages/en-operations.ts'),
  de: () => import('./languages/de-operations.ts'),
  fr: () => import('./languages/fr-operations.ts'),
  es: () => import('./languages/es-operations.ts'),
});
