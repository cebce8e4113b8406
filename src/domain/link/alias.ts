import type { NewPlace } from '../../db/reading/references.ts';
import { longestFor, textSchema, trimPasted, withoutEnd } from '../../engine/rules/input.ts';
import { isOnHost, pathIn } from '../../engine/rules/url.ts';
import { type Random, randomText } from '../../engine/tools/random.ts';
import { readOnce } from '../../engine/tools/remembered.ts';
import { refusal } from '../rules.ts';
import {
  ALIAS_FORM,
  type AliasFault,
  findAliasFault,
  listAbove,
  MAX_ALIAS,
  MAX_ALIAS_BYTES,
  MAX_SEGMENTS,
  mayBeAlias,
  normalizeAlias,
} from './alias-grammar.ts';
import { isReserved } from './reserved.ts';

const plainPath = new RegExp(`^/([A-Za-z0-9_-]{1,${MAX_ALIAS}})/?$`);

/** The alias of a path that is one segment of ASCII, as in most visits; empty for any other path. */
export function plainAliasOfPath(path: string): string {
  const [, plain = ''] = plainPath.exec(path) ?? [];
  return plain;
}

/**
 * A character that texts or programs append to a short URL, and that ends few aliases: punctuation, spaces, invisible
 * characters.
 */
const ADDED = /^(?![-_])(?:[\p{P}\p{Z}\p{Cf}\s<>`|~=$^]|[\uFE0E\uFE0F])$/u;

/** The longest path that is decoded. Every byte of an alias may be percent-encoded, and forwarded paths may be longer. */
const MAX_PATH = 4 * MAX_ALIAS_BYTES;

/** The segments of a path, decoded once; null if they are too long or not valid. */
function decodeSegments(path: string): readonly string[] | null {
  if (path.length > MAX_PATH) return null;
  try {
    // A percent sign that encodes nothing is one that was added.
    const sent = path.slice(1).replace(/%(?![\da-f]{2})/gi, '%25');
    return sent.split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** Segments without what was added to their end, which may be all of the last ones. */
function withoutAdded(segments: readonly string[]): readonly string[] {
  for (const [at, segment] of [...segments.entries()].toReversed()) {
    const bare = withoutEnd(segment, ADDED);
    if (bare !== '') return [...segments.slice(0, at), bare];
  }
  return [];
}

/** The alias with these segments; empty, which no link has, if no link may have it. */
function aliasOf(segments: readonly string[]): string {
  // A path may have thousands.
  if (segments.length > MAX_SEGMENTS) return '';
  const normal = segments.map(normalizeAlias);
  return normal.length > 0 && mayBeAlias(normal) ? normal.join('/') : '';
}

/** The beginning of a segment before a character that is no letter, digit or mark; not before a plus sign. */
const LETTERS = /^([\p{L}\p{M}\p{Nd}_.-]+)(?!\+|[\p{L}\p{M}\p{Nd}_.-])/u;
/** The beginning before a character that no alias of ASCII has. */
const ASCII = /^([\w-]+)(?!\+|[\w-])/;

/** Aliases with the last segment cut at a character that is not of these. */
function cutLast(segments: readonly string[]): string[] {
  const last = segments.at(-1) ?? '';
  // An encoded slash is a part of its segment, which then is no alias.
  if (last.includes('/')) return [];
  return [LETTERS, ASCII].map((characters) => {
    const cut = withoutEnd(characters.exec(last)?.[1] ?? '', ADDED);
    return aliasOf([...segments.slice(0, -1), cut]);
  });
}

/** A character of an ASCII alias in a path, which may be percent-encoded. */
const SENT = String.raw`(?:[\w-]|%(?:2d|3\d|[46][1-9a-f]|[57][\da]|5f))`;

/**
 * The characters of an alias at the beginning of a path, a plus sign that asks for statistics, and then a character that no such
 * alias has. A further segment makes another path, and a plus sign before more, or before a control character, belongs to no link.
 */
const BEGINNING = new RegExp(
  `^/(${SENT}{1,${MAX_ALIAS}})(?!${SENT})((?:\\+|%2b)(?!%[01]))?(?!${SENT}|\\+|%2b|(?:/|%2f)+${SENT})`,
  'i',
);

/** The alias before what texts and programs put behind a short URL without a space, such as an emoji or Chinese letters. */
function matchBeginning(path: string): { alias: string; asksForStatistics: boolean } {
  const [, sent = '', plus] = BEGINNING.exec(path) ?? [];
  return { alias: decodeURIComponent(sent), asksForStatistics: plus !== undefined };
}

/** The aliases that a path may mean. */
export interface PathMeaning {
  /** The aliases that it may be, and the one that counts first is the first; empty if no link may have it. */
  readonly aliases: readonly string[];
  /** The aliases whose statistics it asks for by a plus sign at its end, in the same order; mostly empty. */
  readonly statisticsOf: readonly string[];
  /** Its beginnings, the longest first, with what follows each; a link of one may forward the rest. */
  readonly beginnings: readonly Candidate[];
  /** The alias of ASCII before further segments that no alias of ASCII has, which counts last; empty for none. */
  readonly head: string;
  /** True if a segment behind the first may go on nowhere: then a domain that forwards paths has no such link. */
  readonly isStray?: boolean;
}

/** An alias that a path may mean. */
export interface Candidate {
  readonly alias: string;
  /** The decoded segments behind an alias at the beginning of the path, which go on to the destination. */
  readonly rest?: readonly string[];
}

/** The aliases that a path may mean, on a domain that forwards paths or not, and the one that counts first is the first. */
export function listCandidates(
  { aliases, beginnings, head, isStray }: PathMeaning,
  forwardsPath: boolean,
): readonly Candidate[] {
  if (forwardsPath && isStray) return [];
  const all = [
    ...aliases.map((alias) => ({ alias })),
    ...(forwardsPath ? beginnings : []),
    ...(head === '' ? [] : [{ alias: head }]),
  ];
  return all.filter(({ alias }, index) => all.findIndex((one) => one.alias === alias) === index);
}

const distinct = (aliases: readonly string[]): string[] => [...new Set(aliases)].filter(Boolean);

/** True for a segment that leads nowhere else in the address of a destination. */
function mayBeForwarded(segment: string): boolean {
  // Some servers read what follows a semicolon as parameters of `..`.
  return !/^\.{0,2}(?:;.*)?$/.test(segment) && !/[/\\\p{Cc}]/u.test(segment);
}

/** The beginnings of a path whose rest may be forwarded; none if one of its segments may not. */
function listBeginnings(sent: readonly string[]): Candidate[] {
  const segments = sent.at(-1) === '' ? sent.slice(0, -1) : sent;
  if (!segments.every(mayBeForwarded)) return [];
  return segments
    .slice(0, MAX_SEGMENTS)
    .map((_, index) => ({ alias: aliasOf(segments.slice(0, index + 1)), rest: sent.slice(index + 1) }))
    .filter(({ alias, rest }) => alias !== '' && rest.join('') !== '')
    .toReversed();
}

const NOTHING: PathMeaning = { aliases: [], statisticsOf: [], beginnings: [], head: '' };

/** Returns what a path may mean: itself, itself without what was added to its end, and its beginnings. */
export function readPath(path: string): PathMeaning {
  const plain = plainAliasOfPath(path);
  if (plain !== '') return { ...NOTHING, aliases: [plain] };
  const beginning = matchBeginning(path);
  const [ofBeginning, ofStatistics] = beginning.asksForStatistics
    ? ['', beginning.alias]
    : [beginning.alias, ''];
  const sent = decodeSegments(path);
  if (sent === null) return { ...NOTHING, statisticsOf: distinct([ofStatistics]), head: ofBeginning };
  const segments = sent.filter((segment) => segment !== '');
  const bare = withoutAdded(segments);
  const last = bare.at(-1) ?? '';
  if (last.endsWith('+')) {
    const unasked = [...bare.slice(0, -1), last.slice(0, -1)];
    const statisticsOf = distinct([aliasOf(unasked), aliasOf(withoutAdded(unasked)), ofStatistics]);
    return { ...NOTHING, statisticsOf };
  }
  // What may not be forwarded is no addition to an alias before it either.
  const isAddition = segments.slice(1).every(mayBeForwarded);
  return {
    aliases: distinct([aliasOf(segments), aliasOf(bare), ...cutLast(bare)]),
    statisticsOf: distinct([ofStatistics]),
    beginnings: listBeginnings(sent),
    isStray: !isAddition,
    head: isAddition ? ofBeginning : '',
  };
}

/** The places of a path, by which addresses are compared: the aliases that it may be, or the path itself. */
export function listPlaces(path: string): readonly string[] {
  // Requests' paths have one slash at the start.
  const single = path.replace(/^\/+/, '/');
  const aliases = listCandidates(readPath(single), false).map(({ alias }) => alias);
  return aliases.length > 0 ? aliases : [single];
}

/**
 * True if an address is the requested one, so that a redirect to it would loop. The scheme is ignored, since a proxy
 * may change it. The query is ignored, since the redirect keeps it.
 * @param place an alias, or one of `listPlaces` for the requested path
 * @param hosts the requested host, to which a proxy may add its port, and the name of its domain
 * @param forwards whether a link of the domain may forward further segments, so that those below it lead to it, too
 */
export function isItself(
  address: string,
  place: string,
  hosts: readonly string[],
  forwards = false,
): boolean {
  const path = pathIn(address);
  const plain = plainAliasOfPath(path);
  // Most addresses have another path, which tells them apart at once.
  if (plain !== '' && plain !== place) return false;
  if (!hosts.some((host) => isOnHost(address, host))) return false;
  if (plain === place || listPlaces(path).includes(place)) return true;
  return forwards && readPath(path).beginnings.some(({ alias }) => alias === place);
}

const faults: Readonly<Record<AliasFault, ReturnType<typeof refusal>>> = {
  ALIAS_CHARACTERS: refusal('ALIAS_CHARACTERS'),
  ALIAS_SEGMENTS: refusal('ALIAS_SEGMENTS', { max: MAX_SEGMENTS }),
  ALIAS_DOTS: refusal('ALIAS_DOTS'),
  ALIAS_SCRIPTS: refusal('ALIAS_SCRIPTS'),
  ALIAS_BYTES: refusal('ALIAS_BYTES', { max: MAX_ALIAS_BYTES }),
};

const asStored = readOnce((text) => normalizeAlias(trimPasted(text)));

/** True if a text that a client sends is the alias that a link has. */
export function isSpellingOf(text: string, alias: string): boolean {
  return text === alias || (text.length <= longestFor(MAX_ALIAS) && asStored(text) === alias);
}

/** The path of a link on its domain; case-sensitive. */
export const aliasInput = textSchema(1, MAX_ALIAS, asStored)
  .superRefine((alias, context) => {
    // An empty one has its own error.
    const fault = alias === '' ? null : findAliasFault(alias);
    if (fault !== null) context.addIssue(faults[fault].issue);
    else if (isReserved(alias)) context.addIssue(refusal('SERVICE_PATH').issue);
  })
  .meta({ pattern: ALIAS_FORM });

/** A new alias on a domain, for the question whether it is above or below another account's. */
export function newPlace(domainId: number, alias: string): NewPlace {
  return { domainId, alias, above: listAbove(alias) };
}

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
