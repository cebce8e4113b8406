/**
 * Characters that people do not see, or that change the order of the text around them: control and format characters, and those that
 * fonts leave out. Texts of strangers could hide words in them.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The compact JSON with hidden characters as escapes. It parses to the same value. */
export function escapeHidden(json: string): string {
  return json.replace(HIDDEN, (one) => one.split('').map(escapeUnit).join(''));
}

/** True if a text has hidden characters. */
export function hasHidden(text: string): boolean {
  return text.search(HIDDEN) !== -1;
}
