import { languageOfTexts } from '../domain/visit/visitor.ts';
import { de } from './translations/de.ts';
import { en, type Texts } from './translations/en.ts';
import { es } from './translations/es.ts';
import { fr } from './translations/fr.ts';

const translations = { en, de, es, fr };

/** The messages of pages about the outcome of a visit. */
export type Message = keyof Texts['messages'];

/** The supported language that the visitor prefers, English if none, with its texts. */
export function textsFor(acceptLanguage: string): { language: keyof typeof translations; texts: Texts } {
  const language = languageOfTexts(translations, acceptLanguage);
  return { language, texts: translations[language] };
}

export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
