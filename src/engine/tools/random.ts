/** A random integer from 0 to below the given number. */
export type Random = (below: number) => number;

/** A random text of some of these characters. */
export function randomText(length: number, characters: string, random: Random): string {
  return Array.from({ length }, () => characters.charAt(random(characters.length))).join('');
}
