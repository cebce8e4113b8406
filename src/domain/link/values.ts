// The values of links in the log: how a field becomes a text, and what a deletion keeps.
import type { Transaction } from '../../db/database.ts';
import { readForDeletion, type WholeLink } from '../../db/links.ts';
import type { KeptValues } from '../../engine/changes/events.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { fieldsSet } from '../change/change.ts';
import { type ChangedText, jsonText, keepValues, type SecretField } from '../change/values.ts';
import { NO_STORED_RULES, readStoredRules } from '../rule/parse.ts';
import { fieldNames } from './fields.ts';
import { previewText } from './preview.ts';
import { parseTargetLists } from './targeting.ts';

/** A link with the ids of its pixels and tags, as far as its fields are needed. */
export type LinkState = Partial<Link> & {
  readonly pixels?: readonly number[] | undefined;
  readonly tags?: readonly number[] | undefined;
};

/** Fields whose values are never kept in a text that an API reads. */
const secrets: ReadonlySet<string> = new Set(['password', 'privacyPassword']);

const idText = (id: number | null | undefined) => jsonText(id == null ? null : String(id));

function idsText(ids: readonly number[] = []): string | null {
  return ids.length === 0 ? null : JSON.stringify(ids.toSorted((a, b) => a - b).map(String));
}

function expirationText({ expirationUrl = null, expiresAt = null, expirationClicks = null }: LinkState) {
  if (expirationUrl === null && expiresAt === null && expirationClicks === null) return null;
  return JSON.stringify({ url: expirationUrl, at: expiresAt, clicks: expirationClicks });
}

function targetingText(link: LinkState): string | null {
  const { targetType: type = 'NONE', countries = '[]', platforms = '[]' } = link;
  const { languages = '[]', rotation = '[]' } = link;
  const lists = parseTargetLists({ countries, platforms, languages, rotation });
  const isEmpty = type === 'NONE' && Object.values(lists).every((list) => list.length === 0);
  return isEmpty ? null : JSON.stringify({ type, ...lists });
}

/** The texts of fields that are not a column of the same name. Relations are ids, others what an input would be. */
const texts: Readonly<Record<string, (link: LinkState) => string | null>> = {
  domain: ({ domainId }) => idText(domainId),
  space: ({ spaceId }) => idText(spaceId),
  pixels: ({ pixels }) => idsText(pixels),
  tags: ({ tags }) => idsText(tags),
  expiration: expirationText,
  targeting: targetingText,
  preview: previewText,
  // The stored JSON, with the ids of rules and targets.
  rules: ({ rules = NO_STORED_RULES }) => (readStoredRules(rules).rules.length === 0 ? null : rules),
  ruleTests: ({ ruleTests = '[]' }) => (ruleTests === '[]' ? null : ruleTests),
};

/** The text of a field of a link; null for none. */
export function fieldText(name: string, link: LinkState): string | null {
  const text = texts[name];
  const columns: Readonly<Record<string, unknown>> = link;
  return text ? text(link) : jsonText(columns[name]);
}

/** True if a field of a link has the value of a text, whatever ids further rules would get. */
export function hasText(name: string, text: string | null, link: LinkState): boolean {
  const own = fieldText(name, link);
  if (name !== 'rules' || own === null || text === null) return own === text;
  return JSON.stringify(readStoredRules(own).rules) === JSON.stringify(readStoredRules(text).rules);
}

/** The fields before and after a change. */
function changedTexts(
  fields: readonly string[],
  before: LinkState,
  after: LinkState | null,
): (ChangedText | SecretField)[] {
  return fields.map((name) =>
    secrets.has(name)
      ? { name, isSecret: true }
      : { name, before: fieldText(name, before), after: after && fieldText(name, after) },
  );
}

/** The images of links. */
function imagesOf(...links: readonly LinkState[]): string[] {
  return links.flatMap(({ previewImage }) => previewImage ?? []);
}

/** The values of an update, for the log. @param isFinal true if it cannot be taken back */
export function keepUpdate(
  fields: readonly string[],
  before: LinkState,
  after: LinkState,
  isFinal = false,
): KeptValues | null {
  const images = fields.includes('preview') ? imagesOf(before, after) : [];
  return keepValues(changedTexts(fields, before, after), { isFinal, images });
}

/**
 * The values of updates of links that lose pixels or tags, or get another tag, by the links' ids.
 * @param before the ids of each link's pixels or tags
 * @param added an id that each link gets
 */
export function keepLists(
  name: 'pixels' | 'tags',
  before: ReadonlyMap<number, readonly number[]>,
  stays: (id: number) => boolean,
  { added = [], isFinal = false }: { added?: readonly number[]; isFinal?: boolean } = {},
): Map<number, KeptValues | null> {
  const values = ([id, ids]: readonly [number, readonly number[]]) => {
    const after = [...new Set([...ids.filter(stays), ...added])];
    return [id, keepUpdate([name], { [name]: ids }, { [name]: after }, isFinal)] as const;
  };
  return new Map([...before].map(values));
}

/** Further facts for the restoration of a deleted link. */
export interface LinkRemains {
  readonly createdAt: string;
  readonly clicks: number;
  readonly lastClickedAt: string | null;
  /** Hashes. */
  readonly password: string | null;
  readonly privacyPassword: string | null;
  /** The counter of the ids of rules and targets; none in what an earlier version kept. */
  readonly nextRuleId?: number;
}

/** True for a field that most links do not use, and that a new link gets anyway. */
function isUnused(name: string, { archived, redirectStatus }: WholeLink): boolean {
  return (name === 'archived' && !archived) || (name === 'redirectStatus' && redirectStatus === 302);
}

function keepDeleted(link: WholeLink): KeptValues | null {
  const { id: _, clicks, lastClickedAt, pixels, tags, ...row } = link;
  const lists = { ...(pixels.length > 0 && { pixels }), ...(tags.length > 0 && { tags }) };
  const fields = fieldsSet({ ...row, ...lists }, fieldNames).filter(
    (name) => secrets.has(name) || !(fieldText(name, link) === null || isUnused(name, link)),
  );
  const { createdAt, password, privacyPassword } = row;
  const { next: nextRuleId } = readStoredRules(row.rules);
  const restoring = { createdAt, clicks, lastClickedAt, password, privacyPassword, nextRuleId };
  return keepValues(changedTexts(fields, link, null), { restoring, images: imagesOf(link) });
}

/** The values of links that are about to be deleted, by their ids. Their counters are locked. */
export async function keepDeletedLinks(
  tx: Transaction,
  ids: readonly number[],
): Promise<Map<number, KeptValues | null>> {
  return new Map((await readForDeletion(tx, ids)).map((link) => [link.id, keepDeleted(link)]));
}
