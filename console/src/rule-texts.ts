import { loadTexts } from './words/load-texts.ts';

/** The texts of rules in the language of the page. Only what is loaded lazily may import them: the page would wait for them. */
export const ruleTexts = await loadTexts('ruleTexts', {
  en: () => import('./languages/en-rules.ts'),
  de: () => import('./languages/de-rules.ts'),
  fr: () => import('./languages/fr-rules.ts'),
  es: () => import('./languages/es-rules.ts'),
});
