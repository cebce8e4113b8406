import { isAscii } from '../../engine/rules/input.ts';

/** The longest alias, in code points, and in bytes of UTF-8: both databases index it. */
export const MAX_ALIAS = 255;
export const MAX_ALIAS_BYTES = 1_000;
/** Maximum number of segments, which slashes separate. */
export const MAX_SEGMENTS = 8;
/** The form of an alias, for descriptions. */
export const ALIAS_RULE =
  `1 to ${MAX_ALIAS} letters and digits of any script, emoji, \`-\` and \`_\`, with \`.\` and \`/\` inside: ` +
  `at most ${MAX_SEGMENTS} segments and ${MAX_ALIAS_BYTES} bytes, and one script in each segment`;

/** A pattern that each alias matches, for programs: no pattern that all of them know has the whole rule. */
export const ALIAS_FORM = String.raw`^[^\s/+]+(?:/[^\s/+]+){0,${MAX_SEGMENTS - 1}}$`;

/** One segment of ASCII, as most aliases are: they need no further look. */
const plain = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ALIAS}}$`);

/** True for an alias of one segment with only ASCII letters, digits, `-` and `_`. */
export function isPlainAlias(text: string): boolean {
  return plain.test(text);
}

/** Selectors between the text and the emoji form of a character; people cannot see which one a text has. */
const PRESENTATION = /[\uFE0E\uFE0F]/g;

/** An alias as it is stored and looked up: in NFC, without the selectors of emoji. */
export function normalizeAlias(text: string): string {
  return isPlainAlias(text) ? text : text.replace(PRESENTATION, '').normalize('NFC');
}

/** The flag of patterns with sets, which every supported Node knows, but not the version of the language that is checked. */
const SETS: string = 'v';

/** Emoji as Unicode recommends them for general interchange, with their selectors. */
const EMOJI = new RegExp(String.raw`\p{RGI_Emoji}`, `g${SETS}`);
/**
 * Characters after which such an emoji has the selector: by themselves they are text. A skin tone in its place makes them
 * emoji as well.
 */
const UNSELECTED = new RegExp(
  String.raw`[\p{Emoji}--\p{Emoji_Presentation}--[0-9#*]](?!\p{Emoji_Modifier})|[0-9#*](?=\u20E3)`,
  `g${SETS}`,
);
/** Letters, digits and marks that people can see, and the ASCII punctuation of aliases. */
const ALLOWED = new RegExp(String.raw`^[[[\p{L}\p{M}\p{Nd}]--\p{Default_Ignorable_Code_Point}]\-_.]*$`, SETS);

/** True if all characters of a normalized segment are those of aliases. */
function hasAllowedCharacters(segment: string): boolean {
  if (/^[\w.-]*$/.test(segment)) return true;
  // What is left is checked by itself, so no pattern has to try several ways to read a sequence.
  return ALLOWED.test(segment.replace(UNSELECTED, '$&\uFE0F').replace(EMOJI, ''));
}

/** The codes of scripts, but for Common and Inherited, which go with all others. */
const SCRIPTS =
  'Adlm Aghb Ahom Arab Armn Armi Avst Bali Bamu Bass Batk Beng Bhks Bopo Brah Brai Bugi Buhd Cakm Cans Cari Cham Cher Chrs ' +
  'Copt Cpmn Cprt Cyrl Deva Diak Dogr Dsrt Dupl Egyp Elba Elym Ethi Gara Geor Glag Gong Gonm Goth Gran Grek Gujr Gukh Guru ' +
  'Hang Hani Hano Hatr Hebr Hira Hluw Hmng Hmnp Hung Ital Java Kali Kana Kawi Khar Khmr Khoj Kits Knda Krai Kthi Lana Laoo ' +
  'Latn Lepc Limb Lina Linb Lisu Lyci Lydi Mahj Maka Mand Mani Marc Medf Mend Merc Mero Mlym Modi Mong Mroo Mtei Mult Mymr ' +
  'Nagm Nand Narb Nbat Newa Nkoo Nshu Ogam Olck Onao Orkh Orya Osge Osma Ougr Palm Pauc Perm Phag Phli Phlp Phnx Plrd Prti ' +
  'Rjng Rohg Runr Samr Sarb Saur Sgnw Shaw Shrd Sidd Sind Sinh Sogd Sogo Sora Soyo Sund Sunu Sylo Syrc Tagb Takr Tale Talu ' +
  'Taml Tang Tavt Telu Tfng Tglg Thaa Thai Tibt Tirh Tnsa Todr Toto Tutg Ugar Vaii Vith Wara Wcho Xpeo Xsux Yezi Yiii Zanb';
/** Scripts that are written together. */
const JAPANESE: ReadonlySet<string> = new Set(['Latn', 'Hani', 'Hira', 'Kana']);

let patterns: readonly (readonly [script: string, pattern: RegExp])[] | undefined;

/** A pattern for each script that this Node knows; made once an alias needs them. */
function scriptPatterns(): NonNullable<typeof patterns> {
  patterns ??= SCRIPTS.split(' ').flatMap((script) => {
    try {
      return [[script, new RegExp(`\\p{Script=${script}}`, 'u')] as const];
    } catch {
      return [];
    }
  });
  return patterns;
}

/** The codes of the scripts of a text, without Common and Inherited. */
function listScripts(text: string): string[] {
  if (isAscii(text)) return /[a-z]/i.test(text) ? ['Latn'] : [];
  return scriptPatterns().flatMap(([script, pattern]) => (pattern.test(text) ? script : []));
}

/** True if a segment has one script, or Latin letters with Chinese or Japanese ones. */
function hasOneScript(segment: string): boolean {
  const scripts = listScripts(segment);
  return scripts.length <= 1 || scripts.every((script) => JAPANESE.has(script));
}

/**
 * Latin letters that look like others: those of phonetics and of old texts, but for some that African languages have, and
 * the dotless ones. An i with one more dot looks like one without.
 */
const LIKE_OTHERS = new RegExp(
  String.raw`[\p{Script=Latin}--[A-Za-z\u00AA\u00BA\u00C0-\u024F\u1E00-\u1EF9ɓɔɖɗəɛɣɨɲʃʉʊ]]` +
    String.raw`|[ıĸƄƅƖƧƨƷƼƽƿǀ-ǃǮǯȜȝȢȣȷɁɂẜẝẟ]|[ij]\p{M}*\u0307`,
  SETS,
);

/** Letters and digits that no keyboard for Latin has, such as those of formulas, or that look like others. */
const hasLookAlikes = (alias: string): boolean =>
  [...alias].some((one) => /[\p{L}\p{Nd}]/u.test(one) && one.normalize('NFKC') !== one) ||
  /(?!\p{Script=Latin})\p{L}/u.test(alias) ||
  LIKE_OTHERS.test(alias);

/** True if an alias has letters of another script than Latin, or other forms of Latin ones. */
export function hasOtherLetters(alias: string): boolean {
  if (isAscii(alias)) return false;
  return hasLookAlikes(alias) || listScripts(alias).some((script) => script !== 'Latn');
}

/** The rule against a segment that a browser would leave out, or that is no file's name. */
const WRONG_DOTS = /^\.|\.$/;

/** A rule of aliases besides their length, which a field checks itself. */
export type AliasFault =
  | 'ALIAS_CHARACTERS'
  | 'ALIAS_SEGMENTS'
  | 'ALIAS_DOTS'
  | 'ALIAS_SCRIPTS'
  | 'ALIAS_BYTES';

/** The first rule that a normalized alias breaks, besides its length in characters; null for none. */
export function findAliasFault(alias: string): AliasFault | null {
  if (isPlainAlias(alias)) return null;
  const segments = alias.split('/');
  if (!segments.every(hasAllowedCharacters)) return 'ALIAS_CHARACTERS';
  if (segments.length > MAX_SEGMENTS || segments.includes('')) return 'ALIAS_SEGMENTS';
  if (segments.some((segment) => WRONG_DOTS.test(segment))) return 'ALIAS_DOTS';
  if (!segments.every(hasOneScript)) return 'ALIAS_SCRIPTS';
  return Buffer.byteLength(alias) > MAX_ALIAS_BYTES ? 'ALIAS_BYTES' : null;
}

/** The number of code points. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** True for an alias that a new link may have, apart from reserved ones. */
export function isAlias(text: string): boolean {
  if (isPlainAlias(text)) return true;
  return (
    text !== '' &&
    text.length <= 2 * MAX_ALIAS &&
    countCharacters(text) <= MAX_ALIAS &&
    text.isWellFormed() &&
    normalizeAlias(text) === text &&
    findAliasFault(text) === null
  );
}

/** Characters that no segment has by any version of Unicode; keycaps may have # and *. */
const NEVER = /[\0-"$-),+/:-@[-^`{-\x7f\p{Cc}\p{Z}\p{Cs}\p{Bidi_Control}]/u;

/**
 * True if a link may have this segment. It asks less than the rule for new aliases: those of a newer Unicode are links, too.
 * @param segment a normalized one
 */
export function mayBeSegment(segment: string): boolean {
  return segment !== '' && !WRONG_DOTS.test(segment) && !NEVER.test(segment);
}

/** True if a link may have this alias, by its segments. */
export function mayBeAlias(segments: readonly string[]): boolean {
  const alias = segments.join('/');
  return (
    segments.length <= MAX_SEGMENTS &&
    alias.length <= 2 * MAX_ALIAS &&
    segments.every(mayBeSegment) &&
    countCharacters(alias) <= MAX_ALIAS &&
    Buffer.byteLength(alias) <= MAX_ALIAS_BYTES
  );
}

/** An alias as a URL has it, in ASCII. */
export function encodeAlias(alias: string): string {
  return isPlainAlias(alias) ? alias : alias.split('/').map(encodeURIComponent).join('/');
}

/** The aliases above this one, the longest first: `a/b` and `a` of `a/b/c`. */
export function listAbove(alias: string): string[] {
  const above: string[] = [];
  for (let end = alias.lastIndexOf('/'); end !== -1; end = alias.lastIndexOf('/', end - 1))
    above.push(alias.slice(0, end));
  return above;
}

/** An alias with a suffix of ASCII, cut to the limits of aliases before it, between two characters. */
export function withSuffix(alias: string, suffix: string): string {
  const characters = Array.from(alias);
  const tooLong = () => Buffer.byteLength(characters.join('')) + suffix.length > MAX_ALIAS_BYTES;
  characters.splice(MAX_ALIAS - suffix.length);
  while (tooLong()) characters.pop();
  // Half of an emoji, or what only a mark ended, is no alias.
  while (characters.length > 0 && !isAlias(`${characters.join('')}${suffix}`)) characters.pop();
  return `${characters.join('')}${suffix}`;
}
