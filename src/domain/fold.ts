/**
 * Text with differences of case taken out, beyond ASCII too, for search and sorting: the databases' own notions of
 * case differ, so neither is asked. Upper case first, so that "ß" meets "SS"; then lower case letter by letter, so that
 * a Greek sigma does not depend on its place in the word.
 */
export function foldCase(text: string): string {
  const upper = text.normalize('NFC').toUpperCase();
  return Array.from(upper, (character) => character.toLowerCase())
    .join('')
    .normalize('NFC');
}
