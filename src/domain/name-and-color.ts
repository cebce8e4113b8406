import { z } from 'zod';
import type { KeptValues } from '../engine/changes/events.ts';
import { isUniqueViolation } from '../engine/db/errors.ts';
import { is, isSince } from '../engine/lists/conditions.ts';
import type { ListReader } from '../engine/lists/list-reader.ts';
import type { Column, List } from '../engine/lists/list-statements.ts';
import { orderInput, searchInput, updatedSince } from '../engine/lists/pagination.ts';
import { invalidField } from '../engine/rules/errors.ts';
import { foldCase, integerSchema, makePlainKey, textSchema, withDefault } from '../engine/rules/input.ts';
import type { Refusal } from '../engine/rules/refusal.ts';
import type { Actor } from './access/actor.ts';
import { type ChangedText, jsonText, keepValues, requireAfter } from './change/values.ts';

// What spaces and tags have in common: a name, a colour, and lists by them.

export const name = textSchema(1, 255).describe('The name, 1 to 255 characters.');
export const color = integerSchema(1, 6).describe('One of six colours, 1 to 6.');

export const createNamedInput = z.object({ name, color: withDefault(color, 1) });
export const updateNamedInput = z.object({ name: name.optional(), color: color.optional() });

const columns = {
  ID: { name: 'id', type: 'number' },
  NAME: { name: 'nameKey', type: 'text' },
  UPDATED_AT: { name: 'updatedAt', type: 'timestamp' },
} satisfies Record<string, Column>;

export const namedOrderFields = {
  ID: 'The order of creation.',
  NAME: 'The name, case-insensitive.',
  UPDATED_AT: 'When they were last changed.',
} as const;

/** The filter and order of such records: by default all, newest first. */
export function namedSelection(plural: string) {
  const filter = z.object({
    search: searchInput.describe(`Only ${plural} whose name contains this text, case-insensitive.`),
    updatedSince,
  });
  const selection = { filter: withDefault(filter, {}), orderBy: orderInput(namedOrderFields, 'ID', 'DESC') };
  return { filter, selection };
}

type Selection = ReturnType<typeof namedSelection>['selection'];

export function namedList(
  table: 'Space' | 'Tag',
  lists: ListReader,
  actor: Actor,
  { filter, orderBy }: z.output<z.ZodObject<Selection>>,
): List {
  const where = [is('accountId', actor.accountId)];
  if (filter.search) where.push(lists.contains('nameKey', foldCase(filter.search)));
  if (filter.updatedSince) where.push(isSince('updatedAt', filter.updatedSince.at));
  return {
    table,
    where,
    orderBy: columns[orderBy.field],
    descending: orderBy.direction === 'DESC',
    needsScan: Boolean(filter.search),
  };
}

export function foldName(name: string) {
  const nameKey = foldCase(name);
  return { nameKey, plainKey: makePlainKey(nameKey) };
}

/** The columns of a name. */
export function nameColumns<Fields extends { readonly name?: string | undefined }>(fields: Fields) {
  return { ...fields, ...(fields.name !== undefined && foldName(fields.name)) };
}

/** The columns of spaces and tags whose values the log keeps. */
interface Named {
  readonly name: string;
  readonly color: number;
}

const namedFields = ['name', 'color'] as const;

/** The values of an update of a space or tag, for the log. */
export function keepNamedUpdate(
  row: Named,
  changes: { [Column in keyof Named]?: Named[Column] | undefined },
): KeptValues | null {
  const changed = namedFields.filter((name) => changes[name] !== undefined);
  return keepValues(
    changed.map((name) => ({ name, before: jsonText(row[name]), after: jsonText(changes[name]) })),
  );
}

/**
 * Returns a function that gives the columns of an update.
 * @param reverts values that another change gave the fields; the function throws a DomainError CONFLICT if the row has others
 */
export function nameColumnsAfter<Fields extends { readonly name?: string | undefined }>(
  fields: Fields,
  reverts: readonly ChangedText[],
) {
  return (row: Named & { readonly updatedAt: Date }) => {
    requireAfter(row, reverts, (name, text) =>
      namedFields.some((field) => field === name && jsonText(row[field]) === text),
    );
    return nameColumns(fields);
  };
}

/** Further facts for the restoration of a deleted space or tag. */
export interface NamedRemains {
  readonly createdAt: string;
}

/**
 * The values of a deletion of a space or tag, for the log.
 * @param linkIds the links that had it; null if they are too many, or for a tag that was merged into another one
 */
export function keepNamedDeletion(
  row: Named & { readonly createdAt: Date },
  linkIds: readonly number[] | null,
): KeptValues | null {
  const { createdAt } = row;
  const texts = namedFields.map((name) => ({ name, before: jsonText(row[name]), after: null }));
  return keepValues(texts, { restoring: { createdAt }, linkIds });
}

/** @throws DomainError VALIDATION with this refusal if another record of the account has the name */
export async function whereNameIsFree<T>(write: Promise<T>, taken: Refusal): Promise<T> {
  return write.catch((error: unknown) => {
    throw isUniqueViolation(error) ? invalidField('name', taken) : error;
  });
}
