// Creates links in bulk, for imports, and with a dry run for `checkNewLinks`. Each item is parsed, then its outcome decided in
// order: refused, existing or created. All created ones are written in one transaction; if others have written meanwhile, the
// batch is decided anew. Unlike `createLink`, it takes an equal link with that alias for the same one, and ignores `reuse`.
import type { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { insertLinksIn, type NewLink, setImportedClicks } from '../../db/links.ts';
import { type FoundReferences, findReferences } from '../../db/reading/references.ts';
import { idsOfTags } from '../../db/tags.ts';
import { retryOvertaken } from '../../engine/db/errors.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { DomainError, type FieldError, fieldError, invalid } from '../../engine/rules/errors.ts';
import { fieldErrors, foldCase, type Unparsed } from '../../engine/rules/input.ts';
import { encodeBidi } from '../../engine/tools/bidirectional.ts';
import type { Random } from '../../engine/tools/random.ts';
import { recordingChanges } from '../change/change.ts';
import { ruleColumns, testErrors } from '../rule/columns.ts';
import { NO_STORED_RULES } from '../rule/parse.ts';
import type { Services } from '../services.ts';
import { type NamedTag, noRoom, roomForTags, tagsNamed } from '../tag.ts';
import { utmFor } from '../utm-template.ts';
import { generatedAliases, newPlace } from './alias.ts';
import { domainNamesIn, inputErrors, takenAlias, takenExternalId } from './check.ts';
import { createLinkInput, type NewLinkInput, newLinkFields } from './fields.ts';
import { prepareRow } from './new-row.ts';
import { encodeTargets } from './targeting.ts';
import { DryRun, type Name, nextFreeName, UsedAliases } from './used-aliases.ts';

/** Properties of a link that an import takes over from its old service. */
export interface Origin {
  readonly createdAt?: Date | undefined;
  readonly updatedAt?: Date | undefined;
  readonly clicks?: number | undefined;
  readonly lastClickedAt?: Date | null | undefined;
}

/** A new link of a batch. */
export interface BulkItem {
  /** The fields of `createLink`, before they are parsed. */
  readonly input: object;
  readonly origin: Origin;
  /** Tags by their names, in addition to those of the input; missing ones are made with the link. */
  readonly tags?: readonly NamedTag[] | undefined;
}

export interface BulkOptions {
  /** Action if an alias is taken: leave the new link out, give it another alias, or stop the batch. */
  readonly onTaken: 'refuse' | 'suffix' | 'stop';
  /** Only for a dry run. */
  readonly dryRun?: DryRun | undefined;
  /** Seed of generated aliases, besides URL and title. */
  readonly seed?: string | undefined;
}

/** The result of an item of a batch. */
export type BulkOutcome =
  | { readonly kind: 'refused'; readonly fields: readonly FieldError[]; readonly taken: boolean }
  /** The account already has a link with that alias, domain and URL, or one with the external id, or both. */
  | {
      readonly kind: 'existing';
      readonly alias: string;
      readonly isExternalIdTaken: boolean;
      /** True if it has another external id than the given one, or none. */
      readonly keepsExternalId: boolean;
    }
  | {
      readonly kind: 'created';
      readonly url: string;
      readonly alias: string;
      /** True if it got another alias than the given one. */
      readonly renamed: boolean;
      /** Another link's alias on the domain that differs only in case. */
      readonly similar: string | null;
      /** The case-folded names of the tags that are made with it. */
      readonly newTags: readonly string[];
    };

/** A new link with its alias and domain. */
type CompleteInput = NewLinkInput & { readonly alias: string; readonly domainId: number };

const NONE: ReadonlySet<string> = new Set();

/** The state that decides the outcomes of a batch. */
interface BatchState {
  readonly db: Data;
  readonly accountId: number;
  readonly now: Date;
  readonly services: Services;
  readonly found: FoundReferences;
  /** The taken names; that of a created link is added. */
  readonly names: UsedAliases;
  /** The external ids that a new link cannot have; that of a created link is added. */
  readonly externalIds: Set<string>;
  /** The case-folded names of the tags that are there, and of those that are made, and how many more may be. */
  readonly tags: { readonly known: Set<string>; room: number };
}

/** The errors of a template whose parameters make an address too long. */
async function utmErrors(
  { db, accountId, now }: BatchState,
  input: CompleteInput,
): Promise<readonly FieldError[]> {
  try {
    const add = await utmFor(db, { accountId }, input, input.spaceId, now);
    const { rules = NO_STORED_RULES, ruleTests = '[]' } = ruleColumns(input, null, now);
    const row = { ...input, ...encodeTargets(input.targeting ?? {}), rules, ruleTests };
    return testErrors(input, { ...row, ...add(row) });
  } catch (error) {
    if (error instanceof DomainError) return error.fields;
    throw error;
  }
}

/**
 * The outcome for a link, which is not written yet.
 * @param mayRename whether it gets another alias if its own is taken
 */
async function decideOutcome(
  input: CompleteInput,
  mayRename: boolean,
  tagKeys: readonly string[],
  state: BatchState,
): Promise<BulkOutcome> {
  const { db, accountId, services, found, names, externalIds, tags } = state;
  const { domainId, alias, url, externalId } = input;
  const isExternalIdTaken = externalId != null && externalIds.has(externalId);
  const holder = names.findHolder(domainId, alias);
  const isSame = (name: Name) => name.accountId === accountId && encodeBidi(name.url) === url;
  const existing = ({ id, alias }: Name): BulkOutcome => {
    // Without an id, it is a link of this batch, which has just taken its external id.
    const hasIt = id === undefined ? isExternalIdTaken : found.externalIds.get(externalId ?? '') === id;
    return { kind: 'existing', alias, isExternalIdTaken, keepsExternalId: externalId != null && !hasIt };
  };
  if (holder && isSame(holder)) return existing(holder);
  const checked = { input, domainId, link: null, isTaken: false, now: state.now };
  let errors = inputErrors(found, services, checked);
  const isNear = errors.includes(takenAlias);
  // Under another alias, it has all other errors.
  if (isNear && mayRename) errors = inputErrors({ ...found, nearOthers: NONE }, services, checked);
  const newTags = tagKeys.filter((key) => !tags.known.has(key));
  if (newTags.length > tags.room) errors.push(fieldError(['tags'], noRoom));
  const errorsOfId = isExternalIdTaken ? [takenExternalId] : [];
  if (errors.length > 0)
    return { kind: 'refused', fields: [...errors, ...errorsOfId], taken: errors.includes(takenAlias) };
  let name = alias;
  if (holder || isNear) {
    const next = mayRename
      ? await nextFreeName(db, names, { domainId, alias, accountId }, isSame, services.lists)
      : null;
    if (next === null) return { kind: 'refused', fields: [takenAlias, ...errorsOfId], taken: true };
    if (next.holder !== null) return existing(next.holder);
    name = next.alias;
  }
  if (isExternalIdTaken) return { kind: 'refused', fields: errorsOfId, taken: false };
  const tooLong = await utmErrors(state, { ...input, alias: name });
  if (tooLong.length > 0) return { kind: 'refused', fields: tooLong, taken: false };
  const similar = names.similarTo({ domainId, alias: name, accountId });
  names.add({ domainId, alias: name, url, accountId });
  if (externalId != null) externalIds.add(externalId);
  for (const key of newTags) tags.known.add(key);
  tags.room -= newTags.length;
  return { kind: 'created', url, alias: name, renamed: name !== alias, similar, newTags };
}

interface ParsedItem {
  readonly origin: Origin;
  /** By their case-folded names. */
  readonly tags: ReadonlyMap<string, NamedTag>;
  /** Undefined if it is invalid. */
  readonly input: CompleteInput | undefined;
  readonly errors: readonly FieldError[];
  readonly mayRename: boolean;
}

/** Deterministic random numbers: the same line gets the same alias in a repeated import. */
function seeded(text: string): Random {
  let state = 2_166_136_261;
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return (below) => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + 2_654_435_769;
    return (state >>> 0) % below;
  };
}

type ParsedInput =
  | { readonly data: z.output<typeof createLinkInput> }
  | { readonly errors: readonly FieldError[] };

/** Parsed inputs that are still in use: many fields of an operation may check those of one variable. */
const parsedInputs = new WeakMap<object, ParsedInput>();

function parseNewLink(unparsed: object): ParsedInput {
  const known = parsedInputs.get(unparsed);
  if (known !== undefined) return known;
  const { data, error } = createLinkInput.safeParse(unparsed);
  const parsed = error ? { errors: fieldErrors(error) } : { data };
  parsedInputs.set(unparsed, parsed);
  return parsed;
}

function parseItem(
  { input: unparsed, origin, tags: named = [] }: BulkItem,
  services: Services,
  seed = '',
): ParsedItem {
  const parsed = parseNewLink(unparsed);
  const tags = new Map(named.map((tag) => [foldCase(tag.name), tag]));
  if ('errors' in parsed) return { origin, tags, input: undefined, errors: parsed.errors, mayRename: false };
  const { data } = parsed;
  const { alias = null, domainId, externalId } = data;
  // Links with different external ids are different links.
  const ofLink = `${seed}${data.url} ${data.title}${externalId == null ? '' : ` ${externalId}`}`;
  const nextAlias = generatedAliases(seeded(ofLink), services.lists);
  const input = {
    ...data,
    alias: alias ?? nextAlias(),
    domainId: domainId ?? services.defaultDomainId,
  };
  return { origin, tags, input, errors: [], mayRename: alias === null };
}

/**
 * Creates many links in one transaction, each by the rules of `createLink`. A refused link does not affect the others; an
 * existing one stays as it is, so that a batch may be repeated.
 * @returns an outcome for each; fewer if the batch stopped at the last of them
 */
export async function createLinksInBulk(
  db: Data,
  actor: Writer,
  services: Services,
  items: readonly BulkItem[],
  options: BulkOptions,
  now: Date,
): Promise<BulkOutcome[]> {
  const parsed = items.map((item) => parseItem(item, services, options.seed));
  return retryOvertaken(() => createOnce(db, actor, services, parsed, options, now));
}

async function createOnce(
  db: Data,
  actor: Writer,
  services: Services,
  items: readonly ParsedItem[],
  { onTaken, dryRun }: BulkOptions,
  now: Date,
): Promise<BulkOutcome[]> {
  const { accountId } = actor;
  const inputs = items.flatMap(({ input }) => input ?? []);
  const stored = await findInputReferences(db, accountId, inputs);
  const found = dryRun?.withDomains(stored) ?? stored;
  const names = new UsedAliases(found.aliasHolders, dryRun);
  const externalIds = new Set(found.externalIds.keys());
  for (const { externalId } of inputs)
    if (externalId != null && dryRun?.externalIds.has(externalId)) externalIds.add(externalId);
  const wanted = new Map(items.flatMap(({ tags }) => [...tags]));
  const known = new Set((await idsOfTags(db, accountId, [...wanted.keys()])).keys());
  const room = wanted.size > known.size ? await roomForTags(db, accountId) : 0;
  const state = { db, accountId, now, services, found, names, externalIds, tags: { known, room } };
  const outcomes: BulkOutcome[] = [];
  const links: ImportedLink[] = [];
  for (const { input, errors, mayRename, origin, tags } of items) {
    const outcome: BulkOutcome = input
      ? await decideOutcome(input, mayRename || onTaken === 'suffix', [...tags.keys()], state)
      : { kind: 'refused', fields: errors, taken: false };
    outcomes.push(outcome);
    if (outcome.kind === 'refused' && outcome.taken && onTaken === 'stop') break;
    if (input === undefined || outcome.kind !== 'created' || dryRun) continue;
    const checked = { db, actor, services, input, domainId: input.domainId, now };
    const row = await makeRow(checked, origin, outcome.alias);
    if ('errors' in row) {
      outcomes[outcomes.length - 1] = { kind: 'refused', fields: row.errors, taken: false };
      continue;
    }
    links.push({
      row: row.columns,
      pixelIds: input.pixelIds ?? [],
      tagIds: input.tagIds ?? [],
      tags,
      origin,
    });
  }
  dryRun?.addAll(names);
  for (const one of externalIds) dryRun?.externalIds.add(one);
  if (links.length > 0) await write(db, actor, links, now);
  return outcomes;
}

/** The row of a link, or the errors of an image, which are known only once it is made. */
async function makeRow(
  checked: Parameters<typeof prepareRow>[0],
  origin: Origin,
  alias: string,
): Promise<{ readonly columns: NewLink['row'] } | { readonly errors: readonly FieldError[] }> {
  try {
    const rowWith = await prepareRow(checked, origin);
    return { columns: rowWith(alias) };
  } catch (error) {
    if (error instanceof DomainError && error.fields.some(({ path }) => path[0] === 'preview'))
      return { errors: error.fields };
    throw error;
  }
}

function findInputReferences(
  db: Data,
  accountId: number,
  inputs: readonly CompleteInput[],
): Promise<FoundReferences> {
  return findReferences(db, {
    accountId,
    domainIds: [...new Set(inputs.map(({ domainId }) => domainId))],
    spaceIds: [...new Set(inputs.flatMap(({ spaceId }) => spaceId ?? []))],
    pixelIds: [...new Set(inputs.flatMap(({ pixelIds = [] }) => pixelIds))],
    tagIds: [...new Set(inputs.flatMap(({ tagIds = [] }) => tagIds))],
    utmTemplateIds: [...new Set(inputs.flatMap(({ utmTemplateId }) => utmTemplateId ?? []))],
    hosts: [...new Set(inputs.flatMap(domainNamesIn))],
    aliases: inputs.map(({ alias }) => alias),
    places: inputs.map(({ domainId, alias }) => newPlace(domainId, alias)),
    aliasKeys: inputs.map(({ alias }) => foldCase(alias)),
    externalIds: [...new Set(inputs.flatMap(({ externalId }) => externalId ?? []))],
  });
}

interface ImportedLink extends NewLink {
  readonly origin: Origin;
  readonly tags: ParsedItem['tags'];
}

/** Inserts the links with their origin, and records a change of each. */
async function write(db: Data, actor: Writer, made: readonly ImportedLink[], now: Date): Promise<void> {
  await recordingChanges(db, actor, now, async (changing) => {
    const { tx, record } = changing;
    const wanted = new Map(made.flatMap(({ tags }) => [...tags]));
    const named = await tagsNamed(changing, actor, wanted, now);
    const rows = made.map(({ tags, tagIds, ...link }) => ({
      ...link,
      tagIds: [...tagIds, ...[...tags.keys()].flatMap((key) => named.get(key) ?? [])],
    }));
    const ids = await insertLinksIn(tx, rows);
    const links = rows.map((link, index) => ({ ...link, id: ids[index] ?? 0 }));
    await setImportedClicks(
      tx,
      links.flatMap(({ id, origin: { clicks = 0, lastClickedAt = null } }) =>
        clicks > 0 || lastClickedAt !== null ? [{ linkId: id, clicks, lastClickedAt }] : [],
      ),
    );
    for (const [fields, alike] of Map.groupBy(links, (link) => newLinkFields(link).join()))
      await record(
        'CREATED',
        'LINK',
        alike.map(({ id }) => id),
        fields.split(','),
      );
  });
}

/** The error of each input, as `createLink` would have it after the ones before; null for one that it would accept. */
export async function checkNewLinks(
  db: Data,
  actor: Writer,
  services: Services,
  inputs: readonly Unparsed<typeof createLinkInput>[],
  now: Date,
): Promise<(DomainError | null)[]> {
  const items = inputs.map((input) => ({ input, origin: {} }));
  const options = { onTaken: 'refuse', dryRun: new DryRun() } as const;
  const outcomes = await createLinksInBulk(db, actor, services, items, options, now);
  return inputs.map(({ alias }, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind === 'refused') return invalid(outcome.fields);
    if (outcome?.kind !== 'existing') return null;
    // An import would take it for the same link; a new link is refused.
    const errors = [
      ...(alias == null ? [] : [takenAlias]),
      ...(outcome.isExternalIdTaken ? [takenExternalId] : []),
    ];
    return errors.length > 0 ? invalid(errors) : null;
  });
}
