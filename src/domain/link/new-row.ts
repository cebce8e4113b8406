import type { Data } from '../../db/database.ts';
import type { NewLink } from '../../db/links.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { invalid } from '../../engine/rules/errors.ts';
import { foldCase } from '../../engine/rules/input.ts';
import { ruleColumns, testErrors } from '../rule/columns.ts';
import { NO_STORED_RULES } from '../rule/parse.ts';
import type { Services } from '../services.ts';
import { utmFor } from '../utm-template.ts';
import { aliasColumns, buildColumns, type NewLinkInput, withPlainKey } from './fields.ts';
import type { LinkRemains } from './values.ts';

/** A new link whose input is checked. */
interface Checked {
  readonly db: Data;
  readonly actor: Writer;
  readonly services: Services;
  readonly input: NewLinkInput;
  readonly domainId: number;
  readonly now: Date;
  /** For a deleted link, its id and what else it had. */
  readonly restored?: Restored;
  readonly copied?: Copied | undefined;
}

/** Parts of a link that its copy has as they are stored. */
export interface Copied {
  /** Hashes; undefined for what the copy has of its own. */
  readonly password?: string | null | undefined;
  readonly privacyPassword?: string | null | undefined;
  /** True if its rules and tests are those of the link. */
  readonly hasSameTests: boolean;
}

/** A deleted link that comes back; `rules` are as its column had them. */
export type Restored = LinkRemains & { readonly id: number; readonly rules: string };

/** The columns that a restored link has and a new one would not get. */
function restoredColumns({ id, createdAt, password, privacyPassword }: Restored) {
  return { id, createdAt: new Date(createdAt), password, privacyPassword };
}

/**
 * Hashes the passwords of a new link, and reads its template of UTM parameters.
 * @returns a function that makes the row for an alias; it throws a DomainError VALIDATION if the template makes an
 *   address too long, or if a test of rules fails
 */
export async function prepareRow(
  { db, actor, services, input, domainId, now, restored, copied }: Checked,
  times: { readonly createdAt?: Date | undefined; readonly updatedAt?: Date | undefined } = {},
) {
  const { accountId } = actor;
  const { url, spaceId } = input;
  const { createdAt = now, updatedAt = now } = times;
  const addUtm = await utmFor(db, actor, input, spaceId, now);
  const built = await buildColumns(input, { db, services, actor, now });
  // Rules and targets that were deleted with the link keep their ids, and new ones get none that were used.
  const made = ruleColumns(input, restored ? { rules: restored.rules, ruleTests: '[]' } : null, updatedAt);
  const rules = made.rules ?? restored?.rules;
  const columns = {
    ...{ ...built, ...made, rules, url, urlKey: foldCase(url), accountId, domainId, createdAt, updatedAt },
    ...(restored && restoredColumns(restored)),
    ...(copied?.password !== undefined && { password: copied.password }),
    ...(copied?.privacyPassword !== undefined && { privacyPassword: copied.privacyPassword }),
  };
  return (alias: string): NewLink['row'] => {
    const row = withPlainKey({ ...columns, ...aliasColumns(alias), ...addUtm({ ...columns, alias }) });
    const { rules: ruled = NO_STORED_RULES, ruleTests = '[]' } = row;
    const failing =
      restored || copied?.hasSameTests ? [] : testErrors(input, { ...row, rules: ruled, ruleTests });
    if (failing.length > 0) throw invalid(failing);
    return row;
  };
}
