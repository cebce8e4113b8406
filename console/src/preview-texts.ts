import { loadTexts } from './words/load-texts.ts';

/** The texts of previews of links in the language of the page. Only what is loaded lazily may import them: the page would wait for them. */
export const previewTexts = await loadTexts('previewTexts', {
  en: () => import('./languages/en-previews.ts'),
  de: () => import('./languages/de-previews.ts'),
  fr: () => import('./languages/fr-previews.ts'),
  es: () => import('./languages/es-previews.ts'),
});
