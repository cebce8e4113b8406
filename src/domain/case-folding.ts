/**
 * Case-folds text, also beyond ASCII, for search and sorting: the databases' own case functions differ. Upper case comes
 * before lower case, so that "ß" equals "SS", and lower case before that, so that "ẞ" does, too. The last step converts each letter
 * separately, so that a Greek sigma does not depend on its position in the word.
 */
export function foldCase(text: string): string {
  // A shortcut for ASCII, since most texts are URLs.
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  const upper = text.normalize('NFC').toLowerCase().toUpperCase();
  return Array.from(upper, (character) => character.toLowerCase())
    .join('')
    .normalize('NFC');
}
