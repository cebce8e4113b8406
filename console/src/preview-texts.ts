import { type Language, language } from './language.ts';
import type { PreviewTexts } from './languages/en-previews.ts';
import { isolating } from './words/isolated.ts';

const loaders: Readonly<Record<Language, () => Promise<{ readonly previewTexts: PreviewTexts }>>> = {
  en: () => import('./languages/en-previews.ts'),
  de: () => import('./languages/de-previews.ts'),
  fr: () => import('./languages/fr-previews.ts'),
  es: () => import('./languages/es-previews.ts'),
};

const loaded = await loaders[language]();

/** The texts of previews of links in the language of the page. Only what is loaded lazily may import them: the page would wait for them. */
export const previewTexts = isolating(loaded.previewTexts);
