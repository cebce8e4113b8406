import { z } from 'zod';
import { findable } from '../../db/change-groups.ts';
import type { LoggedChange } from '../../engine/changes/events.ts';
import { areAll, type Expression, is, isAny, isIn, isSince } from '../../engine/lists/conditions.ts';
import type { ListReader } from '../../engine/lists/list-reader.ts';
import { choiceSchema, idSchema, listSchema, timestamp } from '../../engine/rules/input.ts';
import { keysOf } from '../../engine/tools/keys-of.ts';
import { refusal } from '../rules.ts';
import { type RecordKind, recordKinds } from './change.ts';

const wrongId = (what: string) => idSchema(refusal('ID', { what }));
const kindSchema = choiceSchema(recordKinds).meta({ title: 'RecordKind' });

export const changeFilter = z.object({
  kind: kindSchema.nullish().describe('Only changes of this kind of record.'),
  kinds: listSchema(kindSchema, keysOf(recordKinds).length)
    .nullish()
    .describe('Only changes of these kinds of records. An empty list is no condition.'),
  recordId: wrongId('a record').nullish().describe('Only changes of records with this id.'),
  linkId: wrongId('a link').nullish().describe('Only changes of the link with this id.'),
  spaceId: wrongId('a space')
    .nullish()
    .describe(
      'Only changes of the space with this id, and of links that were in it before or after the change.',
    ),
  tagId: wrongId('a tag')
    .nullish()
    .describe('Only changes of the tag with this id, and of links that had it before or after the change.'),
  since: timestamp
    .meta({
      format: 'date-time',
      description: 'Only changes from this time on: ISO 8601 with an offset from UTC.',
    })
    .nullish(),
});
export type ChangeFilter = z.output<typeof changeFilter>;

interface OneRecord {
  readonly kind: RecordKind;
  readonly recordId: number;
}

/** The conditions of a filter, each of which changes must match. */
export interface Conditions {
  readonly kinds: readonly (readonly RecordKind[])[];
  readonly recordIds: readonly number[];
  readonly since: Date | null;
  /** Records, each with the text in the groups of the changes that belong to it. */
  readonly groups: readonly (OneRecord & { readonly text: string })[];
}

/** Returns the conditions of a filter. */
export function listConditions({
  kind,
  kinds,
  recordId,
  linkId,
  spaceId,
  tagId,
  since,
}: ChangeFilter): Conditions {
  const given = <Value>(value: Value | null | undefined) => (value == null ? [] : [value]);
  return {
    kinds: [
      ...given(kind).map((one) => [one]),
      ...(kinds == null || kinds.length === 0 ? [] : [kinds]),
      ...given(linkId).map(() => ['LINK'] as const),
    ],
    recordIds: [...given(recordId), ...given(linkId)],
    since: since?.at ?? null,
    groups: [
      ...given(spaceId).map(
        (id) => ({ kind: 'SPACE', recordId: id, text: findable({ spaces: [id] }) }) as const,
      ),
      ...given(tagId).map((id) => ({ kind: 'TAG', recordId: id, text: findable({ tags: [id] }) }) as const),
    ],
  };
}

/** True if a change matches all conditions. */
export function matches({ kinds, recordIds, since, groups }: Conditions, change: LoggedChange): boolean {
  const { kind, recordId, at } = change;
  return (
    kinds.every((some) => some.some((one) => one === kind)) &&
    recordIds.every((id) => id === recordId) &&
    (since === null || at >= since) &&
    groups.every(
      (one) => (one.kind === kind && one.recordId === recordId) || change.groups?.includes(one.text) === true,
    )
  );
}

/** The conditions for the log. */
export function toSql(lists: ListReader, { kinds, recordIds, since, groups }: Conditions): Expression[] {
  return [
    ...kinds.map((some) => isIn('kind', some)),
    ...recordIds.map((id) => is('recordId', id)),
    ...(since === null ? [] : [isSince('at', since)]),
    ...groups.map(({ kind, recordId, text }) =>
      isAny([areAll([is('kind', kind), is('recordId', recordId)]), lists.contains('groups', text)]),
    ),
  ];
}

/** True if an index has the changes in order: all of them, or those of one record. */
export function isIndexed({ kinds, recordIds, since, groups }: Conditions): boolean {
  const isOneRecord = recordIds.length > 0 && kinds.some((some) => some.length === 1);
  return since === null && groups.length === 0 && (isOneRecord || kinds.length + recordIds.length === 0);
}
