import { z } from 'zod';
import { selectGroups } from '../../db/change-groups.ts';
import type { Data, Transaction } from '../../db/database.ts';
import type { KeptValues, NewChange } from '../../engine/changes/events.ts';
import { changing } from '../../engine/changes/log.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { foldCase, parseInput, timestamp } from '../../engine/rules/input.ts';
import { encodeBidi } from '../../engine/tools/bidirectional.ts';
import { refusal } from '../rules.ts';

export const changeActions = {
  CREATED: 'The record was created.',
  UPDATED: 'Some fields of the record were changed.',
  DELETED: 'The record was deleted.',
} as const;

/** The kinds of records that changes are recorded for. */
export const recordKinds = {
  SPACE: 'A space.',
  TAG: 'A tag.',
  LINK: 'A link.',
  DOMAIN: 'A domain.',
  PIXEL: 'A pixel.',
  UTM_TEMPLATE: 'A UTM template.',
  SAVED_OPERATION: 'A saved operation.',
  SAVED_VIEW: 'A saved view of the console.',
  WEBHOOK: 'A webhook.',
  MEMBER: 'A member of the account.',
  INVITATION: 'An invitation to the account.',
  API_KEY: 'An API key.',
  ACCOUNT: 'The account itself.',
} as const;

export type ChangeAction = keyof typeof changeActions;
export type RecordKind = keyof typeof recordKinds;

/** The author of a change: a key or a user, and the account. The operator is neither. */
export interface Author {
  readonly accountId: number | null;
  readonly keyId: number | null;
  readonly userId?: number | null;
}

export const OPERATOR = { accountId: null, keyId: null, userId: null } satisfies Author;

/** Further columns of some changes in the log. */
export interface ChangeDetails extends Pick<NewChange, 'webhookEvents'> {
  /** The account of the records, if it is not the author's. */
  readonly owner?: number;
  /** The spaces and tags that links lose or get, besides those that they have while the change is recorded; from `listGroups`. */
  readonly moreGroups?: string;
  /** The values of the changed fields, of all records alike or of each by its id. */
  readonly values?: KeptValues | null | ReadonlyMap<number, KeptValues | null>;
}

/** A transaction, and a function that records its changes. */
export interface Changing {
  readonly tx: Transaction;
  /**
   * Records a change of each record, with the names of the fields that were set or changed. Call it for links that are deleted
   * before they are.
   */
  record(
    action: ChangeAction,
    kind: RecordKind,
    ids: readonly number[],
    fields?: readonly string[],
    details?: ChangeDetails,
  ): Promise<void>;
}

/** Runs the work in a transaction, together with the changes that it records. */
export function recordingChanges<T>(
  db: Data,
  { accountId, keyId, userId = null }: Author,
  at: Date,
  work: (changing: Changing) => Promise<T>,
): Promise<T> {
  return changing(db, (tx, insert) =>
    work({
      tx,
      record(action, kind, ids, fields = [], details = {}) {
        const { owner = accountId, webhookEvents, moreGroups = '', values = null } = details;
        const change = { accountId: owner, keyId, userId, at, action, kind, fields, webhookEvents };
        const groups = kind === 'LINK' ? selectGroups(tx.dialect, moreGroups) : undefined;
        const valuesOf = (id: number) => (values instanceof Map ? (values.get(id) ?? null) : values);
        return insert(
          ids.map((recordId) => ({ ...change, recordId, values: valuesOf(recordId) })),
          groups,
        );
      },
    }),
  );
}

/** The schema's field names of columns, where they differ. Several columns may be one field. */
export type FieldNames = Readonly<Record<string, string>>;

/** Columns that no change names: owners, makers, times, revisions, keys for comparison, and secrets. */
const NO_FIELD = /^(accountId|createdAt|updatedAt|revision|verificationToken|\w+Key|(created|changed)By\w+)$/;

/** Columns with addresses, or with lists of them. */
export const ADDRESSES = /^(url|\w+Url|countries|platforms|languages|rotation)$/;

function isSame(column: string, one: unknown, other: unknown): boolean {
  if (one === other || (one == null && other == null)) return true;
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (typeof one !== 'string') return false;
  // Earlier versions stored addresses as they were written.
  if (ADDRESSES.test(column)) return encodeBidi(one) === other;
  return column === 'urlKey' && foldCase(encodeBidi(one)) === other;
}

/** The columns of `data` that differ from the row; undefined ones are skipped. */
export function changedColumns<Data extends object>(row: object, data: Data): Partial<Data> {
  const stored = row as Readonly<Record<string, unknown>>;
  const entries = Object.entries(data).filter(
    ([column, value]) => value !== undefined && !isSame(column, stored[column], value),
  );
  return Object.fromEntries(entries) as Partial<Data>; // A subset of its entries.
}

/** The fields to which the columns belong, each once. */
export function changedFields(columns: object, names: FieldNames): string[] {
  const fields = Object.keys(columns).flatMap((column) =>
    NO_FIELD.test(column) ? [] : (names[column] ?? column),
  );
  return [...new Set(fields)];
}

/** The fields of a new record that are not null. */
export function fieldsSet(columns: object, names: FieldNames): string[] {
  const set = Object.entries(columns).filter(([, value]) => value != null);
  return changedFields(Object.fromEntries(set), names);
}

const seenInput = z.object({ ifUpdatedAt: timestamp.nullish() });

/**
 * The time of the last change that an editor saw; null if it was not given.
 * @throws DomainError VALIDATION
 */
export function parseIfUpdatedAt(ifUpdatedAt: string | null | undefined): Date | null {
  return parseInput(seenInput, { ifUpdatedAt }).ifUpdatedAt?.at ?? null;
}

/**
 * Makes sure that the record has not changed since the editor saw it. The row must be locked, or be written only as it
 * was read.
 * @throws DomainError CONFLICT
 */
export function requireUnchanged({ updatedAt }: { updatedAt: Date }, ifUpdatedAt: Date | null): void {
  if (ifUpdatedAt === null || updatedAt.getTime() === ifUpdatedAt.getTime()) return;
  throw changedSince({ updatedAt });
}

/** The error of a record that was changed meanwhile. */
export function changedSince({ updatedAt }: { readonly updatedAt: Date }): DomainError {
  return new DomainError('CONFLICT', refusal('CHANGED_SINCE', { at: updatedAt.toISOString() }));
}

/** The time of a change that is made now: later than that of the last one, however soon it comes, for `requireUnchanged`. */
export function timeOfChange({ updatedAt }: { updatedAt: Date }, now: Date): Date {
  return now > updatedAt ? now : new Date(updatedAt.getTime() + 1);
}
