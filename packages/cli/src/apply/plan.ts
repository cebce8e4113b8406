import type { CreateLinkInput, LinkFragment, UpdateLinkInput } from '@linkspace/client';
import type { Context } from '../context.ts';
import { CliError, describeRefusal, EXIT, type Refusal } from '../errors.ts';
import { findDomainId, findId } from '../names.ts';
import { inBatches } from './batches.ts';
import { asTargetingInput, type DesiredLink, type Difference, findDifferences } from './differences.ts';
import { type Entry, externalIdPrefix, FileErrors, type LinkFile } from './file.ts';

type PlannedUpdate = Extract<PlannedChange, { action: 'update' }>;
type PlannedCreate = Extract<PlannedChange, { action: 'create' }>;

/** A change that makes the account's links those of the file. */
export type PlannedChange =
  | {
      readonly action: 'create';
      readonly key: string;
      readonly line: number;
      readonly input: CreateLinkInput;
    }
  | {
      readonly action: 'update';
      readonly key: string;
      readonly link: LinkFragment;
      readonly differences: readonly Difference[];
      readonly input: UpdateLinkInput;
    }
  | {
      readonly action: 'delete';
      readonly key: string;
      readonly link: LinkFragment;
      /** True if another link of the file is to have its alias. Others are deleted only when all else is done. */
      readonly isFirst: boolean;
    };

export interface Plan {
  readonly changes: readonly PlannedChange[];
  readonly unchanged: number;
}

/** Another run has created links of the file since they were listed. */
export class Overtaken extends CliError {}

/** True if the external id of a new link is taken: another run has created the link. */
export function isTakenId({ fields = [] }: Refusal): boolean {
  return fields.some(({ path }) => path[0] === 'externalId');
}

/** Finds ids by names, each once, and collects what is not found with its line. */
class Names {
  readonly #context: Context;
  readonly #errors: FileErrors;
  readonly #ids = new Map<string, Promise<string>>();

  constructor(context: Context, errors: FileErrors) {
    this.#context = context;
    this.#errors = errors;
  }

  async find(kind: 'space' | 'tag' | 'domain', name: string, line: number): Promise<string> {
    const { client } = this.#context;
    const place = `${kind} ${name}`;
    const finding =
      this.#ids.get(place) ?? (kind === 'domain' ? findDomainId(client, name) : findId(client, kind, name));
    this.#ids.set(place, finding);
    try {
      return await finding;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#errors.add(line, error.message.replace(/\.$/, ''));
      return '';
    }
  }
}

async function resolveNames(
  { link, line }: Entry,
  names: Names,
): Promise<DesiredLink & { domainId?: string }> {
  const { domain, space, tags, ...others } = link;
  return {
    ...others,
    ...(domain !== undefined && { domainId: await names.find('domain', domain, line) }),
    ...(space !== undefined && {
      space: space === null ? null : { id: await names.find('space', space, line), name: space },
    }),
    ...(tags && {
      tags: await Promise.all(tags.map(async (name) => ({ id: await names.find('tag', name, line), name }))),
    }),
  };
}

function createInput(
  { url, space, tags, pixelIds, targeting, ...others }: DesiredLink & { domainId?: string },
  externalId: string,
): CreateLinkInput {
  return {
    ...others,
    url,
    externalId,
    ...(space && { spaceId: space.id }),
    ...(tags && { tagIds: tags.map(({ id }) => id) }),
    ...(pixelIds && { pixelIds: [...pixelIds] }),
    ...(targeting && { targeting: asTargetingInput(targeting) }),
  };
}

/**
 * Compares the links of a file with those that it has made.
 * @throws CliError with the lines of all errors; Overtaken
 */
export async function makePlan(context: Context, { file, name, entries }: LinkFile): Promise<Plan> {
  const errors = new FileErrors(file);
  const names = new Names(context, errors);
  const prefix = externalIdPrefix(name);
  const stored = new Map<string, LinkFragment>();
  // Nothing is deleted that another file has made, or a person.
  const filter = { externalIdPrefix: prefix };
  for await (const link of context.client.links({ filter }, { signal: context.io.signal }))
    if (link.externalId?.startsWith(prefix)) stored.set(link.externalId.slice(prefix.length), link);

  const updates: PlannedUpdate[] = [];
  const creates: PlannedCreate[] = [];
  let unchanged = 0;
  for (const entry of entries) {
    const { key, line } = entry;
    const { domainId, ...wanted } = await resolveNames(entry, names);
    const link = stored.get(key);
    stored.delete(key);
    if (link === undefined) {
      const input = createInput(
        { ...wanted, ...(domainId !== undefined && { domainId }) },
        `${prefix}${key}`,
      );
      creates.push({ action: 'create', key, line, input });
      continue;
    }
    if (domainId !== undefined && domainId !== link.domain.id && domainId !== '')
      errors.add(
        line,
        `${key}.domain cannot change from ${link.domain.name}; use another key for another link`,
      );
    const { differences, input } = findDifferences(wanted, link);
    if (differences.length === 0) unchanged++;
    else updates.push({ action: 'update', key, link, differences, input });
  }
  errors.throwIfAny();
  requireDifferentAliases(creates, errors);
  const wanted = wantedPlaces(updates, creates);
  const deletes = [...stored].map(([key, link]) => {
    const isFirst = placesOf(link.domain.id, link.alias).some((place) => wanted.has(place));
    return { action: 'delete' as const, key, link, isFirst };
  });
  // What is renamed first makes room for others' aliases.
  const changes = [...deletes, ...orderByAlias(updates), ...creates];
  await checkCreates(context, creates, freedAliases(changes), errors);
  errors.throwIfAny();
  return { changes, unchanged };
}

/** The place of an alias: its domain and itself. A new link without a domain is on the service's own, whose id is not known. */
const placeOf = (domainId: string | null | undefined, alias: string) => `${domainId || '?'} ${alias}`;
/** The places that a link with the alias may take or give up. */
const placesOf = (domainId: string, alias: string) => [placeOf(domainId, alias), placeOf(null, alias)];

/** Returns the places of the aliases that links of the file are to have, and do not have yet. */
function wantedPlaces(updates: readonly PlannedUpdate[], creates: readonly PlannedCreate[]): Set<string> {
  const places = [
    ...updates.map(({ link, input: { alias } }) => alias != null && placeOf(link.domain.id, alias)),
    ...creates.map(({ input: { domainId, alias } }) => alias != null && placeOf(domainId, alias)),
  ];
  return new Set(places.filter((one) => one !== false));
}

/** Refuses an alias that two new links of the file have: they may be checked in different batches. */
function requireDifferentAliases(creates: readonly PlannedCreate[], errors: FileErrors): void {
  const keys = new Map<string, string>();
  for (const { key, line, input } of creates) {
    if (input.alias == null) continue;
    const place = placeOf(input.domainId, input.alias);
    const other = keys.get(place);
    if (other !== undefined) errors.add(line, `${key}.alias is that of ${other}, too`);
    else keys.set(place, key);
  }
}

/** Orders updates so that a link gives its alias up before another takes it. Links that exchange theirs are refused. */
function orderByAlias(updates: readonly PlannedUpdate[]): PlannedUpdate[] {
  const place = (domainId: string, alias: string) => `${domainId} ${alias}`;
  const holders = new Map(updates.map((one) => [place(one.link.domain.id, one.link.alias), one]));
  const ordered = new Set<PlannedUpdate>();
  for (const update of updates) {
    // Each link waits for at most one other: a chain, or a circle that is left where it began.
    const chain = new Set<PlannedUpdate>();
    for (let next: PlannedUpdate | undefined = update; next && !chain.has(next) && !ordered.has(next); ) {
      chain.add(next);
      const { input, link }: PlannedUpdate = next;
      next = input.alias == null ? undefined : holders.get(place(link.domain.id, input.alias));
    }
    for (const one of [...chain].reverse()) ordered.add(one);
  }
  return [...ordered];
}

/** Returns the places of aliases that links of the file have now and give up. */
function freedAliases(changes: readonly PlannedChange[]): ReadonlySet<string> {
  return new Set(
    changes.flatMap((change) => {
      if (change.action === 'create') return [];
      const isFreed = change.action === 'delete' || change.input.alias !== undefined;
      return isFreed ? placesOf(change.link.domain.id, change.link.alias) : [];
    }),
  );
}

/** Has the service check new links, so that a file with a wrong one changes nothing. @throws Overtaken */
async function checkCreates(
  { client, io }: Context,
  creates: readonly PlannedCreate[],
  freed: ReadonlySet<string>,
  errors: FileErrors,
): Promise<void> {
  for (const batch of inBatches(creates, ({ input }) => input)) {
    const refusals = await client.checkLinks(
      batch.map(({ input }) => input),
      { signal: io.signal },
    );
    for (const [at, { key, line, input }] of batch.entries()) {
      const refusal = refusals[at];
      if (!refusal) continue;
      if (isTakenId(refusal))
        throw new Overtaken(
          `${key} was created by another run meanwhile. Apply the file again.`,
          EXIT.conflict,
        );
      const isFreed = input.alias != null && freed.has(placeOf(input.domainId, input.alias));
      const fields = isFreed ? refusal.fields.filter(({ path }) => path[0] !== 'alias') : refusal.fields;
      if (isFreed && fields.length === 0) continue;
      errors.add(line, `${key}: ${describeRefusal({ ...refusal, fields }).replace(/\.$/, '')}`);
    }
  }
}
