import { local } from './data/storage.ts';

const names = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;

export type Language = keyof typeof names;

/** The languages of the console, by their own names. */
export const languages: Readonly<Record<Language, string>> = names;

const KEY = 'linkspace.language';

const isLanguage = (code: string | null): code is Language => code !== null && Object.hasOwn(names, code);

/** The parameter that names the language where the browser keeps nothing. */
const PARAMETER = 'language';

/** Outside a browser there is no address. */
const named = (): string | null => new URLSearchParams(globalThis.location?.search).get(PARAMETER);

const baseLanguage = (tag: string): string => tag.split('-', 1)[0]?.toLowerCase() ?? '';

/** The language of this page: the one that was chosen in this browser, or else the browser's own. */
function chosen(): Language {
  const own = local.get(KEY) ?? named();
  if (isLanguage(own)) return own;
  return navigator.languages.map(baseLanguage).find(isLanguage) ?? 'en';
}

export const language = chosen();

/** The browser's own variant of the language, such as en-GB, for numbers and times. */
export const locale = navigator.languages.find((tag) => baseLanguage(tag) === language) ?? language;

/** Chooses the language, in this browser, and loads the page anew. */
export function chooseLanguage(code: string): void {
  const to = new URL(location.href);
  const isKept = local.set(KEY, code);
  if (!isKept) to.searchParams.set(PARAMETER, code);
  if (isKept) location.reload();
  else location.assign(to);
}
