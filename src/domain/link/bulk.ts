import type { Db } from '../../db/connection/db.ts';
import { retryOvertaken } from '../../db/connection/retry.ts';
import { insertLinksIn } from '../../db/links.ts';
import { type FoundReferences, findReferences } from '../../db/reading/references.ts';
import { setImportedClicks } from '../../db/statistics/counters.ts';
import type { Writer } from '../access/actor.ts';
import { foldCase } from '../case-folding.ts';
import { fieldsSet, recordingChanges } from '../change/change.ts';
import type { FieldError } from '../errors.ts';
import { fieldErrors } from '../input.ts';
import type { Services } from '../services.ts';
import { generateAlias } from './alias.ts';
import { aliasTaken, domainNamesIn, refusalsBy } from './check.ts';
import { aliasColumns, columnsOf, fieldNames } from './columns.ts';
import type { DryRun } from './dry-run.ts';
import { createLinkInput } from './input.ts';
import { type Name, nextFreeName, UsedAliases } from './used-aliases.ts';

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
  readonly input: unknown;
  readonly origin: Origin;
}

/** What to do if an alias is taken: leave the new link out, give it another alias, or stop the batch. */
export type OnTaken = 'refuse' | 'suffix' | 'stop';

export interface BulkOptions {
  readonly onTaken: OnTaken;
  /** Only for a dry run. */
  readonly trial?: DryRun | undefined;
}

/** The result of an item. */
export type BulkOutcome =
  | { readonly kind: 'refused'; readonly fields: readonly FieldError[]; readonly taken: boolean }
  /** The account already has a link with that alias, domain and URL. */
  | { readonly kind: 'existing'; readonly alias: string }
  | {
      readonly kind: 'created';
      readonly alias: string;
      /** Whether it got another alias than the given one. */
      readonly renamed: boolean;
      /** Another link's alias on the domain that differs only in case. */
      readonly similar: string | null;
    };

type Parsed = ReturnType<typeof createLinkInput.parse>;

/** Deterministic random numbers: the same line gets the same alias in a repeated import. */
function seeded(text: string): (below: number) => number {
  let state = 2_166_136_261;
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return (below) => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + 2_654_435_769;
    return (state >>> 0) % below;
  };
}

/**
 * Creates many links in one transaction, each by the rules of `createLink`. A refused link does not affect the others; an
 * existing one stays as it is, so that a batch may be repeated.
 * @returns an outcome for each; fewer if the batch stopped at the last of them
 */
export async function createLinksInBulk(
  db: Db,
  actor: Writer,
  services: Services,
  items: readonly BulkItem[],
  options: BulkOptions,
  now: Date,
): Promise<BulkOutcome[]> {
  const parsed = items.map(({ input }) => createLinkInput.safeParse(input));
  return retryOvertaken(() => createOnce(db, actor, services, items, parsed, options, now));
}

async function createOnce(
  db: Db,
  actor: Writer,
  services: Services,
  items: readonly BulkItem[],
  parsed: readonly ReturnType<typeof createLinkInput.safeParse>[],
  { onTaken, trial }: BulkOptions,
  now: Date,
): Promise<BulkOutcome[]> {
  const { accountId } = actor;
  const inputs = parsed.map(({ data }) => data && withAlias(data, services));
  const stored = await referencesOf(
    db,
    accountId,
    inputs.filter((input) => input !== undefined),
  );
  const found = trial?.withDomains(stored) ?? stored;
  const names = new UsedAliases(found.aliasHolders, trial?.names);
  const outcomes: BulkOutcome[] = [];
  const rows: NewRow[] = [];
  for (const [index, { origin }] of items.entries()) {
    const { data, error } = parsed[index] ?? {};
    const input = inputs[index];
    if (input === undefined) {
      outcomes.push({ kind: 'refused', fields: error ? fieldErrors(error) : [], taken: false });
      continue;
    }
    const renames = onTaken === 'suffix' || data?.alias == null;
    const outcome = await outcomeOf(input, { db, accountId, services, found, names, renames });
    outcomes.push(outcome);
    if (outcome.kind === 'refused' && outcome.taken && onTaken === 'stop') break;
    if (outcome.kind === 'created' && trial === undefined)
      rows.push({
        row: await rowOf(input, outcome.alias, actor, services, origin, now),
        pixelIds: input.pixelIds ?? [],
        origin,
      });
  }
  trial?.names.addAll(names);
  if (rows.length > 0) await write(db, actor, rows, now);
  return outcomes;
}

type WithAlias = ReturnType<typeof withAlias>;

function referencesOf(db: Db, accountId: number, inputs: readonly WithAlias[]): Promise<FoundReferences> {
  return findReferences(db, {
    accountId,
    domainIds: [...new Set(inputs.map(({ domainId }) => domainId))],
    spaceIds: [...new Set(inputs.flatMap(({ spaceId }) => spaceId ?? []))],
    pixelIds: [...new Set(inputs.flatMap(({ pixelIds = [] }) => pixelIds))],
    hosts: [...new Set(inputs.flatMap(domainNamesIn))],
    aliases: inputs.map(({ alias }) => alias),
    aliasKeys: inputs.map(({ alias }) => foldCase(alias)),
  });
}

interface Surroundings {
  readonly db: Db;
  readonly accountId: number;
  readonly services: Services;
  readonly found: FoundReferences;
  /** The taken names; that of a created link is added. */
  readonly names: UsedAliases;
  /** Whether a link whose alias is taken gets another. */
  readonly renames: boolean;
}

/** What becomes of a link; it is not written yet. */
async function outcomeOf(
  input: WithAlias,
  { db, accountId, services, found, names, renames }: Surroundings,
): Promise<BulkOutcome> {
  const { domainId, alias, url } = input;
  const holder = names.holderOf(domainId, alias);
  const isSame = (name: Name) => name.accountId === accountId && name.url === url;
  if (holder && isSame(holder)) return { kind: 'existing', alias };
  const refusals = refusalsBy(found, services, { input, domainId, link: null, isTaken: false });
  if (refusals.length > 0) return { kind: 'refused', fields: refusals, taken: false };
  let name = alias;
  if (holder) {
    const next = renames ? await nextFreeName(db, names, { domainId, alias }, isSame, services.lists) : null;
    if (next === null)
      return { kind: 'refused', fields: [{ path: ['alias'], messages: [aliasTaken] }], taken: true };
    if (!next.free) return { kind: 'existing', alias: next.alias };
    name = next.alias;
  }
  const similar = names.similarTo({ domainId, alias: name, accountId });
  names.add({ domainId, alias: name, url, accountId });
  return { kind: 'created', alias: name, renamed: name !== alias, similar };
}

/** The input with a default alias and domain. */
function withAlias(input: Parsed, services: Services) {
  const random = seeded(`${input.url} ${input.title}`);
  let alias = input.alias ?? null;
  for (let attempt = 0; alias === null; attempt++) {
    const generated = generateAlias(attempt, random);
    if (!services.lists.reserves(generated)) alias = generated;
  }
  return { ...input, alias, domainId: input.domainId ?? services.defaultDomainId };
}

async function rowOf(
  input: WithAlias,
  alias: string,
  actor: Writer,
  services: Services,
  { createdAt, updatedAt }: Origin,
  now: Date,
) {
  const { url, domainId } = input;
  return {
    ...(await columnsOf(input, services, actor)),
    ...aliasColumns(alias),
    url,
    urlKey: foldCase(url),
    accountId: actor.accountId,
    domainId,
    createdAt: createdAt ?? now,
    updatedAt: updatedAt ?? now,
  };
}

interface NewRow {
  readonly row: Awaited<ReturnType<typeof rowOf>>;
  readonly pixelIds: readonly number[];
  readonly origin: Origin;
}

/** Inserts the links with their origin, and records a change of each. */
async function write(db: Db, actor: Writer, rows: readonly NewRow[], now: Date): Promise<void> {
  await recordingChanges(db, actor, now, async ({ tx, record }) => {
    const ids = await insertLinksIn(tx, rows);
    const links = rows.map((one, index) => ({ ...one, id: ids[index] ?? 0 }));
    await setImportedClicks(
      tx,
      links.flatMap(({ id, origin: { clicks = 0, lastClickedAt = null } }) =>
        clicks > 0 || lastClickedAt !== null ? [{ linkId: id, clicks, lastClickedAt }] : [],
      ),
    );
    const byFields = new Map<string, { fields: string[]; ids: number[] }>();
    for (const { id, row, pixelIds } of links) {
      const fields = fieldsSet({ ...row, ...(pixelIds.length > 0 && { pixels: true }) }, fieldNames);
      const group = byFields.get(fields.join()) ?? { fields, ids: [] };
      group.ids.push(id);
      byFields.set(fields.join(), group);
    }
    for (const { fields, ids: made } of byFields.values()) await record('CREATED', 'LINK', made, fields);
  });
}
