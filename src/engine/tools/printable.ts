/** Control characters, and those that change the direction of a text. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** The text for a terminal: what comes from files and records could contain commands to it. JSON stays the same JSON. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
