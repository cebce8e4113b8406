import { trimPasted } from '../words/format.ts';

/** An alias as it is sent: one with white space becomes small letters, with a hyphen for each gap. Slashes stay. */
export function toAlias(text: string): string {
  const given = trimPasted(text);
  if (!/\s/.test(given)) return given;
  return given
    .toLowerCase()
    .replace(/\s*\/\s*/g, '/')
    .replace(/-*\s[\s-]*/g, '-');
}
