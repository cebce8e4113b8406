import type { CreateLinkInput, LinkFragment, UpdateLinkInput } from '@linkspace/client';
import type { Difference } from './differences.ts';
import type { Entry } from './file.ts';

export type PlannedUpdate = Extract<PlannedChange, { action: 'update' }>;
export type PlannedCreate = Extract<PlannedChange, { action: 'create' }>;

/** A change that makes the account's links those of the file. */
export type PlannedChange =
  | {
      readonly action: 'create';
      readonly key: string;
      readonly entry: Entry;
      readonly input: CreateLinkInput;
    }
  | {
      readonly action: 'update';
      readonly key: string;
      readonly entry: Entry;
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

/** The place of an alias: its domain and itself. A new link without a domain is on the service's own, whose id is not known. */
export const placeOf = (domainId: string | null | undefined, alias: string) => `${domainId || '?'} ${alias}`;
/** The places that a link with the alias may take or give up. */
export const placesOf = (domainId: string, alias: string) => [placeOf(domainId, alias), placeOf(null, alias)];

/** Returns the places of aliases that links of the file have now and give up. */
export function freedPlaces(changes: readonly PlannedChange[]): ReadonlySet<string> {
  return new Set(
    changes.flatMap((change) => {
      if (change.action === 'create') return [];
      const isFreed = change.action === 'delete' || change.input.alias !== undefined;
      return isFreed ? placesOf(change.link.domain.id, change.link.alias) : [];
    }),
  );
}
