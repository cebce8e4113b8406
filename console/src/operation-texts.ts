import { type Language, language } from './language.ts';
import type { OperationTexts } from './languages/en-operations.ts';
import { isolating } from './words/isolated.ts';

const loaders: Readonly<Record<Language, () => Promise<{ readonly operationTexts: OperationTexts }>>> = {
  en: () => import('./languages/en-operations.ts'),
  de: () => import('./languages/de-operations.ts'),
  fr: () => import('./languages/fr-operations.ts'),
  es: () => import('./languages/es-operations.ts'),
};

const loaded = await loaders[language]();

/** The texts of saved operations in the language of the page. Only what is loaded lazily may import them: the page would wait for them. */
export const operationTexts = isolating(loaded.operationTexts);
