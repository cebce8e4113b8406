import type { Data } from '../../db/database.ts';
import { retryOvertaken } from '../../db/errors.ts';
import { insertLinksIn, type NewLink, setImportedClicks } from '../../db/links.ts';
import { type FoundReferences, findReferences } from '../../db/reading/references.ts';
import type { Writer } from '../access/actor.ts';
import { foldCase } from '../case-folding.ts';
import { recordingChanges } from '../change/change.ts';
import type { FieldError } from '../errors.ts';
import { fieldErrors } from '../input.ts';
import type { Random } from '../random.ts';
import type { Services } from '../services.ts';
import { generatedAliases } from './alias.ts';
import { type BulkOutcome, type CompleteInput, outcomeOf } from './bulk-outcome.ts';
import { domainNamesIn } from './check.ts';
import { aliasColumns, newLinkColumns, newLinkFields } from './columns.ts';
import type { DryRun } from './dry-run.ts';
import { createLinkInput } from './input.ts';
import { UsedAliases } from './used-aliases.ts';

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

export interface BulkOptions {
  /** What to do if an alias is taken: leave the new link out, give it another alias, or stop the batch. */
  readonly onTaken: 'refuse' | 'suffix' | 'stop';
  /** Only for a dry run. */
  readonly dryRun?: DryRun | undefined;
}

interface ParsedItem {
  readonly origin: Origin;
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

function parseItem({ input: unparsed, origin }: BulkItem, services: Services): ParsedItem {
  const { data, error } = createLinkInput.safeParse(unparsed);
  if (error) return { origin, input: undefined, errors: fieldErrors(error), mayRename: false };
  const nextAlias = generatedAliases(seeded(`${data.url} ${data.title}`), services.lists);
  const { alias = null, domainId } = data;
  const input = {
    ...data,
    alias: alias ?? nextAlias(),
    domainId: domainId ?? services.defaultDomainId,
  };
  return { origin, input, errors: [], mayRename: alias === null };
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
  const parsed = items.map((item) => parseItem(item, services));
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
  const stored = await referencesOf(db, accountId, inputs);
  const found = dryRun?.withDomains(stored) ?? stored;
  const names = new UsedAliases(found.aliasHolders, dryRun?.names);
  const state = { db, accountId, services, found, names };
  const outcomes: BulkOutcome[] = [];
  const links: ImportedLink[] = [];
  for (const { input, errors, mayRename, origin } of items) {
    const outcome: BulkOutcome = input
      ? await outcomeOf(input, mayRename || onTaken === 'suffix', state)
      : { kind: 'refused', fields: errors, taken: false };
    outcomes.push(outcome);
    if (outcome.kind === 'refused' && outcome.taken && onTaken === 'stop') break;
    if (input === undefined || outcome.kind !== 'created' || dryRun) continue;
    const { createdAt = now, updatedAt = now } = origin;
    const columns = await newLinkColumns(input, input.domainId, services, actor, { createdAt, updatedAt });
    const row = { ...columns, ...aliasColumns(outcome.alias) };
    links.push({ row, pixelIds: input.pixelIds ?? [], origin });
  }
  dryRun?.names.addAll(names);
  if (links.length > 0) await write(db, actor, links, now);
  return outcomes;
}

function referencesOf(
  db: Data,
  accountId: number,
  inputs: readonly CompleteInput[],
): Promise<FoundReferences> {
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

interface ImportedLink extends NewLink {
  readonly origin: Origin;
}

/** Inserts the links with their origin, and records a change of each. */
async function write(db: Data, actor: Writer, rows: readonly ImportedLink[], now: Date): Promise<void> {
  await recordingChanges(db, actor, now, async ({ tx, record }) => {
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
