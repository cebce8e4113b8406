import type { Language } from '../language.ts';
import { inDigits } from './format.ts';

/** A language's way to count things. */
export interface Counting {
  /** Chooses between two words or sentences by a number. */
  plural(count: number, single: string, several: string): string;
  /** A number in digits, and what is counted. */
  counted(count: number, single: string, several: string): string;
  /** The counted things, behind a number that stands elsewhere. */
  unit(count: number, single: string, several: string): string;
}

/**
 * Counts in a language, by the rules that browsers know.
 * @param many the words behind millions, if they are no plain plural
 */
export function countingIn(language: Language, many: (several: string) => string = String): Counting {
  const rules = new Intl.PluralRules(language);
  const plural: Counting['plural'] = (count, single, several) =>
    rules.select(count) === 'one' ? single : several;
  const unit: Counting['unit'] = (count, single, several) =>
    rules.select(count) === 'many' ? many(several) : plural(count, single, several);
  return { plural, unit, counted: (...given) => `${inDigits(given[0])} ${unit(...given)}` };
}
