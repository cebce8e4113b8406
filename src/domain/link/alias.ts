import { textOf } from '../input.ts';

/** First parts of the paths that the service itself answers, or will; in any case, as Express takes them. */
const reserved: ReadonlySet<string> = new Set(['api', 'docs', 'graphql', 'livez', 'readyz']);

/** Whether the service itself answers paths that begin with this part. */
export function isReserved(part: string): boolean {
  return reserved.has(part.toLowerCase());
}

const pattern = /^[A-Za-z0-9_-]{1,255}$/;

/** Whether any link could have this alias. */
export function isAlias(text: string): boolean {
  return pattern.test(text);
}

/** The only part of a path, decoded; an empty one where there are more, or none. */
function partOfPath(path: string): string {
  const [, part = ''] = /^\/([^/]+)\/?$/.exec(path) ?? [];
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

/** The alias that a path asks for; an empty one, which no link has, where it can be none. */
export function aliasOfPath(path: string): string {
  const part = partOfPath(path);
  return isAlias(part) ? part : '';
}

/** The alias whose statistics a path asks for, as `alias+`; an empty one where it does not. */
export function statisticsAliasOfPath(path: string): string {
  const part = path.includes('+') || path.includes('%') ? partOfPath(path) : '';
  const alias = part.slice(0, -1);
  return part.endsWith('+') && isAlias(alias) ? alias : '';
}

/** The path of a link under its domain. Case counts. */
export const aliasInput = textOf(1, 255)
  .refine((alias) => /^[\w-]*$/.test(alias), 'may have only the letters a to z and A to Z, digits, - and _')
  .refine((alias) => !isReserved(alias), 'is a path of the service itself')
  .meta({ pattern: pattern.source });

/** Without vowels and what looks like one, so that no words come about; without what is easily misread or misheard. */
const CHARACTERS = 'bcdfghjkmnpqrstvwxz2456789';
const SHORTEST = 6;
const TRIES_PER_LENGTH = 3;

/**
 * An alias to try. It grows by a character after every third try: three of a length were taken only where that length
 * is filling up.
 * @param random a whole number from 0 up to, and without, the given one
 */
export function generateAlias(attempt: number, random: (below: number) => number): string {
  const length = SHORTEST + Math.floor(attempt / TRIES_PER_LENGTH);
  return Array.from({ length }, () => CHARACTERS.charAt(random(CHARACTERS.length))).join('');
}
