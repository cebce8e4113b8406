import type { Texts } from './languages/en.ts';
import { loadTexts } from './words/load-texts.ts';

/** All texts, in the language of the page. */
export const texts = await loadTexts<'texts', Texts>('texts', {
  en: () => import('./languages/en.ts'),
  de: () => import('./languages/de.ts'),
  fr: () => import('./languages/fr.ts'),
  es: () => import('./languages/es.ts'),
});
