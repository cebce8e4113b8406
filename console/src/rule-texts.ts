import { type Language, language } from './language.ts';
import type { RuleTexts } from './languages/en-rules.ts';
import { isolating } from './words/isolated.ts';

const loaders: Readonly<Record<Language, () => Promise<{ readonly ruleTexts: RuleTexts }>>> = {
  en: () => import('./languages/en-rules.ts'),
  de: () => import('./languages/de-rules.ts'),
  fr: () => import('./languages/fr-rules.ts'),
  es: () => import('./languages/es-rules.ts'),
};

const loaded = await loaders[language]();

/** The texts of rules in the language of the page. Only what is loaded lazily may import them: the page would wait for them. */
export const ruleTexts = isolating(loaded.ruleTexts);
