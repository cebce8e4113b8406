import type { Data } from '../../db/database.ts';
import type { FoundReferences } from '../../db/reading/references.ts';
import type { FieldError } from '../errors.ts';
import type { Services } from '../services.ts';
import { aliasTaken, inputErrors } from './check.ts';
import type { NewLinkInput } from './input.ts';
import { type Name, nextFreeName, type UsedAliases } from './used-aliases.ts';

/** The result of an item of a batch. */
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

/** A new link with its alias and domain. */
export type CompleteInput = NewLinkInput & { readonly alias: string; readonly domainId: number };

/** What decides the outcomes of a batch. */
interface BatchState {
  readonly db: Data;
  readonly accountId: number;
  readonly services: Services;
  readonly found: FoundReferences;
  /** The taken names; that of a created link is added. */
  readonly names: UsedAliases;
}

/**
 * The outcome for a link, which is not written yet.
 * @param mayRename whether it gets another alias if its own is taken
 */
export async function outcomeOf(
  input: CompleteInput,
  mayRename: boolean,
  { db, accountId, services, found, names }: BatchState,
): Promise<BulkOutcome> {
  const { domainId, alias, url } = input;
  const holder = names.holderOf(domainId, alias);
  const isSame = (name: Name) => name.accountId === accountId && name.url === url;
  if (holder && isSame(holder)) return { kind: 'existing', alias };
  const errors = inputErrors(found, services, { input, domainId, link: null, isTaken: false });
  if (errors.length > 0) return { kind: 'refused', fields: errors, taken: false };
  let name = alias;
  if (holder) {
    const next = mayRename
      ? await nextFreeName(db, names, { domainId, alias }, isSame, services.lists)
      : null;
    if (next === null)
      return { kind: 'refused', fields: [{ path: ['alias'], messages: [aliasTaken] }], taken: true };
    if (!next.free) return { kind: 'existing', alias: next.alias };
    name = next.alias;
  }
  const similar = names.similarTo({ domainId, alias: name, accountId });
  names.add({ domainId, alias: name, url, accountId });
  return { kind: 'created', alias: name, renamed: name !== alias, similar };
}
