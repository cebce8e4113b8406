import type { FoundReferences } from '../../db/reading/references.ts';
import { MAX_INT } from '../input.ts';
import { UsedAliases } from './used-aliases.ts';

/** What the earlier lines of a dry run would have written. */
export class DryRun {
  readonly names = new UsedAliases();
  readonly #domains = new Map<number, string>();

  /** Adds a domain; returns an id for it that no stored domain has. */
  addDomain(name: string): number {
    const id = MAX_INT - this.#domains.size;
    this.#domains.set(id, name);
    return id;
  }

  /** What is found in the database, and the domains that would be there. */
  withDomains(found: FoundReferences): FoundReferences {
    return {
      ...found,
      domainIds: new Set([...found.domainIds, ...this.#domains.keys()]),
      hosts: new Set([...found.hosts, ...this.#domains.values()]),
    };
  }
}
