/** An invalid value; the message continues a sentence that starts with the field's name. */
export class WrongValue extends Error {}

const MAX_SHOWN = 60;

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'an object of very many levels';
  }
}

/** A text, shortened for a message. */
export function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function shown(value: unknown): string {
  return `"${shortened(typeof value === 'string' ? value : asJson(value))}"`;
}

export function wrong(value: unknown, allowed: string): never {
  throw new WrongValue(`is ${shown(value)}; it must be ${allowed}`);
}

/** A text; JSON may have a number or a boolean in its place. */
export function textOf(value: unknown, allowed = 'a text'): string {
  // The text of a list would be that of its items, of however many levels.
  return typeof value === 'object' ? wrong(value, allowed) : String(value);
}
