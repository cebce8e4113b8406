import type { Data } from '../../db/database.ts';
import type { NewLink } from '../../db/links.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { foldCase } from '../../engine/rules/input.ts';
import type { Services } from '../services.ts';
import { utmFor } from '../utm-template.ts';
import { aliasColumns, buildColumns, type NewLinkInput, withPlainKey } from './fields.ts';

/** A new link whose input is checked. */
interface Checked {
  readonly db: Data;
  readonly actor: Writer;
  readonly services: Services;
  readonly input: NewLinkInput;
  readonly domainId: number;
  readonly now: Date;
}

/**
 * Hashes the passwords of a new link, and reads its template of UTM parameters.
 * @returns a function that makes the row for an alias; it throws a DomainError VALIDATION if the template makes an address too long
 */
export async function prepareRow(
  { db, actor, services, input, domainId, now }: Checked,
  times: { readonly createdAt?: Date | undefined; readonly updatedAt?: Date | undefined } = {},
) {
  const { accountId } = actor;
  const { url, spaceId } = input;
  const { createdAt = now, updatedAt = now } = times;
  const addUtm = await utmFor(db, actor, input, spaceId, now);
  const built = await buildColumns(input, services, actor);
  const columns = { ...built, url, urlKey: foldCase(url), accountId, domainId, createdAt, updatedAt };
  return (alias: string): NewLink['row'] =>
    withPlainKey({ ...columns, ...aliasColumns(alias), ...addUtm({ ...columns, alias }) });
}
