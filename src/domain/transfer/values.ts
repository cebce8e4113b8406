import { timeOf } from './times.ts';
import { textOf, wrong } from './wrong-value.ts';

/** The name of a folder or tag, or of an object with one. */
export function nameOf(value: unknown): string {
  const isNamed = typeof value === 'object' && value !== null && 'name' in value;
  return textOf(isNamed ? value.name : value);
}

/** A number of clicks; commas may separate thousands. */
export function countOf(value: unknown): number {
  const allowed = `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`;
  const text = textOf(value, allowed).replace(/^(\d{1,3})((?:,\d{3})+)$/, (all) => all.replaceAll(',', ''));
  const count = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return count <= Number.MAX_SAFE_INTEGER ? count : wrong(value, allowed);
}

/** Whether a cell means yes: any value except a no, such as a time. */
export function isSet(value: unknown): boolean {
  return typeof value === 'object' || !/^(0|false|no|off|n|f)$/i.test(String(value));
}

/** A yes or no, or the time since when it is so. */
export function yesOrNo(value: unknown): boolean {
  const allowed = '1 or 0, true or false, yes or no, or a time';
  if (!isSet(value)) return false;
  if (/^(1|true|yes|on|y|t)$/i.test(textOf(value, allowed))) return true;
  try {
    return timeOf(value) !== null;
  } catch {
    return wrong(value, allowed);
  }
}

export function numberOf(value: unknown): number {
  const allowed = 'a whole number';
  return /^-?\d{1,15}$/.test(textOf(value, allowed)) ? Number(value) : wrong(value, allowed);
}

/** A list, or its JSON text from a cell. */
export function listOf(value: unknown): unknown[] {
  let list: unknown = value;
  try {
    if (typeof value === 'string') list = JSON.parse(value);
  } catch {
    // Reported below.
  }
  return Array.isArray(list) ? list : wrong(value, 'a list in JSON, such as the export writes');
}

/** The items of a list, of its JSON text, or of another text with something between them; any other value is the only one. */
export function listIn(value: unknown, between: RegExp): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return [value];
  try {
    return listOf(value);
  } catch {
    return value.split(between).filter((item) => item !== '');
  }
}

export function tagsOf(value: unknown): string[] {
  const list = listIn(value, /[,;|]/);
  const names = list.filter((tag) => tag !== null).map((tag) => nameOf(tag).trim());
  return names.filter((tag) => tag !== '');
}
