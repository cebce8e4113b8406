import type { LinkFragment, UpdateLinkInput } from '@linkspace/client';
import type { FileExpiration, FileLink, FileTargeting } from './fields.ts';
import { kept, keptAlias, keptUrl } from './kept.ts';
import { hasRules, hasTests } from './same-rules.ts';

/** A field that changes. */
export interface Difference {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** A link of a file, with ids in the place of names. */
export interface DesiredLink extends Omit<FileLink, 'domain' | 'space' | 'tags'> {
  readonly space?: { readonly id: string; readonly name: string } | null;
  readonly tags?: readonly { readonly id: string; readonly name: string }[];
}

/** Returns true if the service keeps a stored time for this one. A time without seconds stands for its whole minute. */
function isSameTime(wanted: string, stored: string | null): boolean {
  if (stored === null) return false;
  const [time, other] = [Date.parse(wanted), Date.parse(stored)];
  const hasSeconds = /T\d\d:\d\d:/.test(wanted);
  return hasSeconds ? time === other : Math.floor(time / 60_000) === Math.floor(other / 60_000);
}

function isSameExpiration(wanted: FileExpiration | null, stored: LinkFragment['expiration']): boolean {
  const { at, clicks, url } = wanted ?? { at: null, clicks: null, url: null };
  return (
    (at === undefined || (at === null ? stored.at === null : isSameTime(at, stored.at))) &&
    (clicks === undefined || clicks === stored.clicks) &&
    (url === undefined || (url === null ? null : keptUrl(url)) === stored.url)
  );
}

/** Returns targets as lines that can be compared, in any order. */
const asLines = (targets: readonly (readonly [string, string])[]): string =>
  targets
    .map(([visitor, url]) => `${visitor.trim().toLowerCase()} ${keptUrl(url)}`)
    .sort()
    .join('\n');

function isSameTargeting(wanted: FileTargeting | null, stored: LinkFragment['targeting']): boolean {
  const { type, countries, platforms, languages, rotation } = wanted ?? {
    ...{ type: 'NONE', countries: [], platforms: [], languages: [], rotation: [] },
  };
  return (
    type === stored.type &&
    (!countries ||
      asLines(countries.map((one) => [one.country, one.url])) ===
        asLines(stored.countries.map((one) => [one.country, one.url]))) &&
    (!platforms ||
      asLines(platforms.map((one) => [one.platform, one.url])) ===
        asLines(stored.platforms.map((one) => [one.platform, one.url]))) &&
    (!languages ||
      asLines(languages.map((one) => [one.language, one.url])) ===
        asLines(stored.languages.map((one) => [one.language, one.url]))) &&
    (!rotation || rotation.map(keptUrl).join('\n') === stored.rotation.join('\n'))
  );
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  new Set(one).size === new Set(other).size && one.every((value) => other.includes(value));

interface Comparison {
  readonly isSame: boolean;
  /** The name in the file, if the input has another. */
  readonly name?: string;
  readonly from: unknown;
  /** The new value for people, if the input has an id. */
  readonly to?: unknown;
}

const idsOf = (records: readonly { readonly id: string }[]): string[] => records.map(({ id }) => id);
const namesOf = (records: readonly { readonly name: string }[]): string[] => records.map(({ name }) => name);

/** Compares a link with what a file wants of it: absent fields are not compared. */
export function findDifferences(
  wanted: DesiredLink,
  stored: LinkFragment,
): { readonly differences: Difference[]; readonly input: UpdateLinkInput } {
  const differences: Difference[] = [];
  const input: UpdateLinkInput = {};
  const compare = <Field extends keyof UpdateLinkInput>(
    field: Field,
    value: UpdateLinkInput[Field],
    { isSame, name = field, from, to = value }: Comparison,
  ): void => {
    if (isSame) return;
    input[field] = value;
    differences.push({ field: name, from, to });
  };
  const { url, alias, title, disabled, forwardsQuery, privacy, space, tags, pixelIds } = wanted;
  const { notes, archived, startsAt, redirectStatus, expiration, targeting, rules, ruleTests } = wanted;

  compare('url', url, { isSame: keptUrl(url) === stored.url, from: stored.url });
  if (alias !== undefined)
    compare('alias', alias, { isSame: keptAlias(alias) === stored.alias, from: stored.alias });
  if (title !== undefined) {
    const isSame = ((title && kept(title)) || null) === stored.title;
    compare('title', title, { isSame, from: stored.title });
  }
  if (notes !== undefined) {
    const isSame = ((notes && kept(notes)) || null) === stored.notes;
    compare('notes', notes, { isSame, from: stored.notes });
  }
  if (archived !== undefined)
    compare('archived', archived, { isSame: archived === stored.archived, from: stored.archived });
  if (startsAt !== undefined) {
    const from = stored.startsAt;
    const isSame = startsAt === null ? from === null : isSameTime(startsAt, from);
    compare('startsAt', startsAt, { isSame, from });
  }
  if (redirectStatus !== undefined) {
    const from = stored.redirectStatus;
    compare('redirectStatus', redirectStatus, { isSame: redirectStatus === from, from });
  }
  if (disabled !== undefined)
    compare('disabled', disabled, { isSame: disabled === stored.disabled, from: stored.disabled });
  if (forwardsQuery !== undefined) {
    const from = stored.forwardsQuery;
    compare('forwardsQuery', forwardsQuery, { isSame: forwardsQuery === from, from });
  }
  if (privacy !== undefined)
    compare('privacy', privacy, { isSame: privacy === stored.privacy, from: stored.privacy });
  if (space !== undefined) {
    const id = space?.id ?? null;
    const [from, to] = [stored.space?.name ?? null, space?.name ?? null];
    compare('spaceId', id, { isSame: id === (stored.space?.id ?? null), name: 'space', from, to });
  }
  if (tags) {
    const ids = tags.map(({ id }) => id);
    const isSame = isSameSet(ids, idsOf(stored.tags));
    compare('tagIds', ids, { isSame, name: 'tags', from: namesOf(stored.tags), to: namesOf(tags) });
  }
  if (pixelIds) {
    const from = idsOf(stored.pixels);
    compare('pixelIds', [...pixelIds], { isSame: isSameSet(pixelIds, from), from });
  }
  if (expiration !== undefined) {
    const isSame = isSameExpiration(expiration, stored.expiration);
    compare('expiration', expiration, { isSame, from: stored.expiration });
  }
  if (targeting !== undefined) {
    const isSame = isSameTargeting(targeting, stored.targeting);
    compare('targeting', asTargetingInput(targeting), { isSame, from: stored.targeting });
  }
  if (rules !== undefined)
    compare('rules', rules, { isSame: hasRules(rules ?? [], stored.rules), from: stored.rules });
  if (ruleTests !== undefined) {
    const isSame = hasTests(ruleTests ?? [], stored.ruleTests);
    compare('ruleTests', ruleTests, { isSame, from: stored.ruleTests });
  }
  return { differences, input };
}

/** Returns targets as an input of the schema. */
export function asTargetingInput(targeting: FileTargeting | null): UpdateLinkInput['targeting'] {
  if (targeting === null) return null;
  const { type, countries, platforms, languages, rotation } = targeting;
  return {
    type,
    ...(countries && { countries: [...countries] }),
    ...(platforms && { platforms: [...platforms] }),
    ...(languages && { languages: [...languages] }),
    ...(rotation && { rotation: [...rotation] }),
  };
}
