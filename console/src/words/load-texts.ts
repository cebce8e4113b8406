import { type Language, language } from '../language.ts';
import { isolating } from './isolated.ts';

/** Loads texts in the language of the page, by their name in the files of all languages; the others are not loaded. */
export async function loadTexts<Name extends string, Texts extends object>(
  name: Name,
  files: Readonly<Record<Language, () => Promise<Readonly<Record<Name, Texts>>>>>,
): Promise<Texts> {
  return isolating((await files[language]())[name]);
}
