import type { Data } from '../../db/database.ts';
import { type AliasHolder, type FoundReferences, findNear, placeKey } from '../../db/reading/references.ts';
import { foldCase, MAX_INT } from '../../engine/rules/input.ts';
import { pauseIfBlocked } from '../../engine/tools/time-slices.ts';
import { newPlace } from './alias.ts';
import { withSuffix } from './alias-grammar.ts';
import type { OperatorLists } from './blocklists.ts';

/** An alias on a domain, with its account and URL, and the id of a stored link. */
export type Name = Omit<AliasHolder, 'id'> & { readonly id?: number };

type NameOnDomain = Pick<Name, 'domainId' | 'alias'>;
type NewName = NameOnDomain & Pick<Name, 'accountId'>;

/**
 * The taken aliases: those that were looked up, and those that were assigned since. A dry run keeps those of a whole file in
 * memory, so each entry has to be small.
 */
export class UsedAliases {
  /** By domain and case-folded alias: one name, or those that differ only in case, in the order in which they were added. */
  readonly #names = new Map<number, Map<string, Name | Name[]>>();
  readonly #earlier: UsedAliases | undefined;
  /** The first of each group of suffixed aliases that was looked up. */
  readonly lookedUp = new Set<string>();
  /** The keys of those of them that are above or below the alias of another account. */
  readonly near = new Set<string>();

  /** @param earlier further taken names */
  constructor(names: readonly Name[] = [], earlier?: UsedAliases) {
    this.#earlier = earlier;
    for (const name of names) this.add(name);
  }

  /** The names on the domain that differ at most in case. */
  #like({ domainId, alias }: NameOnDomain): Name[] {
    return [this.#names.get(domainId)?.get(foldCase(alias)) ?? []].flat();
  }

  add(name: Name): void {
    const others = this.#like(name);
    if (others.some(({ alias }) => alias === name.alias)) return;
    const names = this.#names.get(name.domainId) ?? new Map<string, Name | Name[]>();
    this.#names.set(
      name.domainId,
      names.set(foldCase(name.alias), others.length > 0 ? [...others, name] : name),
    );
  }

  addAll(names: UsedAliases): void {
    for (const ofDomain of names.#names.values())
      for (const name of [...ofDomain.values()].flat()) this.add(name);
  }

  /** The holder of the alias on the domain. */
  findHolder(domainId: number, alias: string): Name | undefined {
    const holder = this.#like({ domainId, alias }).find((name) => name.alias === alias);
    return holder ?? this.#earlier?.findHolder(domainId, alias);
  }

  /** Another alias of the account on the domain that differs only in case; null if there is none. */
  similarTo(name: NewName): string | null {
    const similar = this.#like(name).find(
      ({ alias, accountId }) => alias !== name.alias && accountId === name.accountId,
    );
    return similar?.alias ?? this.#earlier?.similarTo(name) ?? null;
  }
}

/** Number of suffixes that one query checks, and the last suffix to try. */
const BATCH_SIZE = 20;
const LAST_SUFFIX = 1_000;

/**
 * The first of `alias-2`, `alias-3` … that is free, or that is the same link from an earlier import, which is its holder; null if
 * all up to a thousand are taken. One above or below the alias of another account is taken; if all are, no suffix helps.
 */
export async function nextFreeName(
  db: Data,
  names: UsedAliases,
  { domainId, alias, accountId }: NewName,
  isSame: (name: Name) => boolean,
  lists: OperatorLists,
): Promise<{ alias: string; holder: Name | null } | null> {
  for (let first = 2; first <= LAST_SUFFIX; first += BATCH_SIZE) {
    const candidates = Array.from({ length: BATCH_SIZE }, (_, index) =>
      withSuffix(alias, `-${first + index}`),
    );
    await pauseIfBlocked();
    const group = `${domainId} ${candidates[0]}`;
    if (!names.lookedUp.has(group)) {
      const select = { id: true, domainId: true, alias: true, url: true, accountId: true };
      const where = { domainId, alias: { in: candidates } };
      for (const name of await db.prisma.link.findMany({ where, select })) names.add(name);
      const places = candidates.map((candidate) => newPlace(domainId, candidate));
      for (const key of await findNear(db, accountId, places)) names.near.add(key);
      names.lookedUp.add(group);
    }
    const isNear = (candidate: string) => names.near.has(placeKey({ domainId, alias: candidate }));
    if (candidates.every(isNear)) return null;
    for (const candidate of candidates) {
      const holder = names.findHolder(domainId, candidate);
      if (holder && isSame(holder)) return { alias: candidate, holder };
      if (!holder && !isNear(candidate) && !lists.reserves(candidate))
        return { alias: candidate, holder: null };
    }
  }
  return null;
}

/** Aliases, external ids and domains that the earlier lines of a dry run would have added. */
export class DryRun extends UsedAliases {
  readonly externalIds = new Set<string>();
  readonly #added = new Map<number, string>();

  /** Adds a domain; returns an id for it that no stored domain has. */
  addDomain(name: string): number {
    const id = MAX_INT - this.#added.size;
    this.#added.set(id, name);
    return id;
  }

  /** Returns the references found in the database, plus the domains of the dry run. */
  withDomains(found: FoundReferences): FoundReferences {
    return {
      ...found,
      domainIds: new Set([...found.domainIds, ...this.#added.keys()]),
      hosts: new Set([...found.hosts, ...this.#added.values()]),
    };
  }
}
