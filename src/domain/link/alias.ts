import { textSchema, trimPasted, withoutEnd } from '../../engine/rules/input.ts';
import { isOnHost, pathIn } from '../../engine/rules/url.ts';
import { type Random, randomText } from '../../engine/tools/random.ts';
import { refusal } from '../rules.ts';

/** First segments of the service's own paths, now or in future; case-insensitive, as in Express. */
const reserved: ReadonlySet<string> = new Set(['api', 'console', 'docs', 'graphql', 'livez', 'readyz']);

/** True if paths that begin with this segment belong to the service itself. */
export function isReserved(part: string): boolean {
  return reserved.has(part.toLowerCase());
}

/** The longest alias, in characters. */
export const MAX_ALIAS = 255;
/** The form of an alias, for descriptions. */
export const ALIAS_RULE = `1 to ${MAX_ALIAS} letters, digits, \`-\` and \`_\``;
const pattern = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ALIAS}}$`);

export function isAlias(text: string): boolean {
  return pattern.test(text);
}

const plainPath = new RegExp(`^/([A-Za-z0-9_-]{1,${MAX_ALIAS}})/?$`);

/**
 * A character that texts or programs append to a short URL, and that ends no alias: punctuation, spaces, invisible
 * characters.
 */
const ADDED = /^(?![-_])(?:[\p{P}\p{Z}\p{Cf}\s<>`|~=$^]|\uFE0F)$/u;

/** The longest path that is decoded: every character of an alias may be percent-encoded. */
const MAX_PATH = 4 * MAX_ALIAS;

/** A path without its first slash, decoded, and without what was added to its end; empty if it is too long or not valid. */
function meantBy(path: string): string {
  if (path.length > MAX_PATH) return '';
  try {
    // A percent sign that encodes nothing is one that was added.
    return withoutEnd(decodeURIComponent(path.slice(1).replace(/%(?![\da-f]{2})/gi, '%25')), ADDED);
  } catch {
    return '';
  }
}

/** A character of an alias in a path, which may be percent-encoded. */
const SENT = String.raw`(?:[\w-]|%(?:2d|3\d|[46][1-9a-f]|[57][\da]|5f))`;

/**
 * The characters of an alias at the beginning of a path, a plus sign that asks for statistics, and then a character that no alias
 * has. A further segment makes another path, and a plus sign before more, or before a control character, belongs to no link.
 */
const BEGINNING = new RegExp(
  `^/(${SENT}{1,${MAX_ALIAS}})(?!${SENT})((?:\\+|%2b)(?!%[01]))?(?!${SENT}|\\+|%2b|(?:/|%2f)+${SENT})`,
  'i',
);

/** The alias before what texts and programs put behind a short URL without a space, such as an emoji or Chinese letters. */
function matchBeginning(path: string): { alias: string; asksForStatistics: boolean } | null {
  const [, sent, plus] = BEGINNING.exec(path) ?? [];
  return sent === undefined
    ? null
    : { alias: decodeURIComponent(sent), asksForStatistics: plus !== undefined };
}

/** The alias of a path; empty, which no link has, if it is not valid. */
export function aliasOfPath(path: string): string {
  const [, plain] = plainPath.exec(path) ?? [];
  if (plain !== undefined) return plain;
  const alias = meantBy(path);
  if (isAlias(alias)) return alias;
  const beginning = matchBeginning(path);
  return beginning === null || beginning.asksForStatistics ? '' : beginning.alias;
}

/** Returns the alias of a path in any form that finds its link; otherwise the path itself. */
export function normalizePlace(path: string): string {
  // Requests' paths have one slash at the start.
  const single = path.replace(/^\/+/, '/');
  return aliasOfPath(single) || single;
}

/**
 * True if an address is the requested one, so that a redirect to it would loop. The scheme is ignored, since a proxy
 * may change it. The query is ignored, since the redirect keeps it.
 * @param place result of `placeOf` for the requested path
 * @param hosts the requested host, to which a proxy may add its port, and the name of its domain
 */
export function isItself(address: string, place: string, hosts: readonly string[]): boolean {
  return normalizePlace(pathIn(address)) === place && hosts.some((host) => isOnHost(address, host));
}

/** The alias of a path `/alias+`, which asks for statistics; empty for any other path. */
export function statisticsAliasOfPath(path: string): string {
  if (!(path.includes('+') || path.includes('%'))) return '';
  const part = meantBy(path);
  const alias = withoutEnd(part.slice(0, -1), ADDED);
  if (part.endsWith('+') && isAlias(alias)) return alias;
  const beginning = matchBeginning(path);
  return beginning?.asksForStatistics ? beginning.alias : '';
}

/** The path of a link on its domain; case-sensitive. */
export const aliasInput = textSchema(1, MAX_ALIAS, trimPasted)
  .refine((alias) => /^[\w-]*$/.test(alias), refusal('ALIAS_CHARACTERS'))
  .refine((alias) => !isReserved(alias), refusal('SERVICE_PATH'))
  .meta({ pattern: pattern.source });

/** Without vowels and similar digits, so that no words appear; without characters that are easily confused. */
const CHARACTERS = 'bcdfghjkmnpqrstvwxz2456789';
const MIN_RANDOM = 6;
const TRIES_PER_LENGTH = 3;

/**
 * A function that generates another random alias each time, none of them reserved. Aliases get a character longer after every third
 * try: three taken ones in a row are likely only if most of that length are taken.
 */
export function generatedAliases(random: Random, lists: { reserves(alias: string): boolean }): () => string {
  let attempt = 0;
  return () => {
    for (;;) {
      const length = MIN_RANDOM + Math.floor(attempt++ / TRIES_PER_LENGTH);
      const alias = randomText(length, CHARACTERS, random);
      if (!lists.reserves(alias)) return alias;
    }
  };
}
