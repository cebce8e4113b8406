import type { CreateLinkInput, LinkFragment } from '@linkspace/client';
import type { Context } from '../context.ts';
import { CliError } from '../errors.ts';
import { findNamed, findNamedDomain } from '../names.ts';
import {
  freedPlaces,
  type PlannedChange,
  type PlannedCreate,
  type PlannedUpdate,
  placeOf,
  placesOf,
} from './changes.ts';
import { checkChanges } from './check.ts';
import { asTargetingInput, type DesiredLink, findDifferences } from './differences.ts';
import { type Entry, externalIdPrefix, FileErrors, type LinkFile, lineOf } from './file.ts';

export interface Plan {
  readonly changes: readonly PlannedChange[];
  readonly unchanged: number;
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
      this.#ids.get(place) ??
      (kind === 'domain' ? findNamedDomain(client, name) : findNamed(client, kind, name));
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

async function resolveNames(entry: Entry, names: Names): Promise<DesiredLink & { domainId?: string }> {
  const { domain, space, tags, ...others } = entry.link;
  return {
    ...others,
    ...(domain !== undefined && { domainId: await names.find('domain', domain, lineOf(entry, 'domain')) }),
    ...(space !== undefined && {
      space:
        space === null ? null : { id: await names.find('space', space, lineOf(entry, 'space')), name: space },
    }),
    ...(tags && {
      tags: await Promise.all(
        tags.map(async (name) => ({ id: await names.find('tag', name, lineOf(entry, 'tags')), name })),
      ),
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
 * @throws CliError with the lines of all errors; Overtaken if another run creates the links meanwhile
 */
export async function makePlan(context: Context, { file, name, entries }: LinkFile): Promise<Plan> {
  const errors = new FileErrors(file);
  const names = new Names(context, errors);
  const prefix = externalIdPrefix(name);
  const stored = new Map<string, LinkFragment>();
  // Nothing is deleted that another file has made, or a person.
  const filter = { externalIdPrefix: prefix, archived: 'WITH' } as const;
  for await (const link of context.client.links({ filter }, { signal: context.io.signal }))
    if (link.externalId?.startsWith(prefix)) stored.set(link.externalId.slice(prefix.length), link);

  const updates: PlannedUpdate[] = [];
  const creates: PlannedCreate[] = [];
  let unchanged = 0;
  for (const entry of entries) {
    const { key } = entry;
    const { domainId, ...wanted } = await resolveNames(entry, names);
    const link = stored.get(key);
    stored.delete(key);
    if (link === undefined) {
      const input = createInput(
        { ...wanted, ...(domainId !== undefined && { domainId }) },
        `${prefix}${key}`,
      );
      creates.push({ action: 'create', key, entry, input });
      continue;
    }
    if (domainId !== undefined && domainId !== link.domain.id && domainId !== '')
      errors.add(
        lineOf(entry, 'domain'),
        `${key}.domain cannot change from ${link.domain.name}; use another key for another link`,
      );
    const { differences, input } = findDifferences(wanted, link);
    if (differences.length === 0) unchanged++;
    else updates.push({ action: 'update', key, entry, link, differences, input });
  }
  errors.throwIfAny();
  requireDifferentAliases([...updates, ...creates], errors);
  const wanted = wantedPlaces(updates, creates);
  const deletes = [...stored].map(([key, link]) => {
    const isFirst = placesOf(link.domain.id, link.alias).some((place) => wanted.has(place));
    return { action: 'delete' as const, key, link, isFirst };
  });
  // What is renamed first makes room for others' aliases.
  const changes = [...deletes, ...orderByAlias(updates), ...creates];
  await checkChanges(context, [...updates, ...creates], freedPlaces(changes), errors);
  errors.throwIfAny();
  return { changes, unchanged };
}

/** Returns the places of the aliases that links of the file are to have, and do not have yet. */
function wantedPlaces(updates: readonly PlannedUpdate[], creates: readonly PlannedCreate[]): Set<string> {
  const places = [
    ...updates.map(({ link, input: { alias } }) => alias != null && placeOf(link.domain.id, alias)),
    ...creates.map(({ input: { domainId, alias } }) => alias != null && placeOf(domainId, alias)),
  ];
  return new Set(places.filter((one) => one !== false));
}

/** Refuses an alias that two links of the file are to get: they may be checked in different batches. */
function requireDifferentAliases(
  changes: readonly (PlannedUpdate | PlannedCreate)[],
  errors: FileErrors,
): void {
  const keys = new Map<string, string>();
  for (const change of changes) {
    const { key, entry, input } = change;
    if (input.alias == null) continue;
    const domainId = change.action === 'update' ? change.link.domain.id : change.input.domainId;
    const place = placeOf(domainId, input.alias);
    const other = keys.get(place);
    if (other !== undefined) errors.add(lineOf(entry, 'alias'), `${key}.alias is that of ${other}, too`);
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
