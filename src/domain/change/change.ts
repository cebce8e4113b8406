import { changing, type NewChange } from '../../db/change/log.ts';
import type { Db } from '../../db/connection/client.ts';
import type { Tx } from '../../db/connection/transaction.ts';

/** What was done to a record. */
export const changeActions = {
  CREATED: 'It was made.',
  UPDATED: 'Some of its fields got other values.',
  DELETED: 'It was deleted.',
} as const;

/** What kinds of records changes are of. */
export const recordKinds = {
  SPACE: 'A space.',
  LINK: 'A link.',
  DOMAIN: 'A domain.',
  PIXEL: 'A pixel.',
  WEBHOOK: 'A webhook.',
} as const;

export type ChangeAction = keyof typeof changeActions;
export type RecordKind = keyof typeof recordKinds;

/** Who changes something: a key for its account. The operator has no key. */
export interface Author {
  readonly accountId: number | null;
  readonly keyId: number | null;
}

export const OPERATOR: Author = { accountId: null, keyId: null };

/** One transaction and the log of what it changes. */
export interface Changing {
  readonly tx: Tx;
  /** Records what was done to each of the records; of those that were made or changed, with the names of the fields. */
  record(
    action: ChangeAction,
    kind: RecordKind,
    ids: readonly number[],
    fields?: readonly string[],
    /** Whose they are, where they are not the author's. */
    owner?: number,
  ): Promise<void>;
}

/** Does the work as a whole or not at all, with what it records. */
export function recordingChanges<T>(
  db: Db,
  { accountId, keyId }: Author,
  at: Date,
  work: (changing: Changing) => Promise<T>,
): Promise<T> {
  return changing(db, (tx, insert) =>
    work({
      tx,
      record: (action, kind, ids, fields = [], owner) =>
        insert(
          ids.map((recordId) => ({
            ...newChange({ accountId: owner ?? accountId, keyId }, at, action, kind, fields),
            recordId,
          })),
        ),
    }),
  );
}

/** One change of one record, to be recorded. */
export function newChange(
  { accountId, keyId }: Author,
  at: Date,
  action: ChangeAction,
  kind: RecordKind,
  fields: readonly string[],
): Omit<NewChange, 'recordId'> {
  return { accountId, keyId, at, action, kind, fields };
}

/** What the schema calls those columns that it does not call by their own names. Several may be one field. */
export type FieldNames = Readonly<Record<string, string>>;

/** Columns that are no fields: whose a record is, when it was written, what it is compared by, and secrets. */
const NO_FIELD = /^(accountId|createdAt|updatedAt|verificationToken|\w+Key)$/;

function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  return one === other || (one == null && other == null);
}

/** The columns of `data` that are not as the row has them; those that are undefined are not set. */
export function differing<Data extends object>(row: object, data: Data): Partial<Data> {
  const stored = row as Readonly<Record<string, unknown>>;
  const entries = Object.entries(data).filter(
    ([column, value]) => value !== undefined && !isSame(stored[column], value),
  );
  return Object.fromEntries(entries) as Partial<Data>; // Some of its entries.
}

/** The fields that the columns belong to, each once. */
export function fieldsOf(columns: object, names: FieldNames): string[] {
  const fields = Object.keys(columns).flatMap((column) =>
    NO_FIELD.test(column) ? [] : (names[column] ?? column),
  );
  return [...new Set(fields)];
}

/** The fields that were set to something as a record was made. */
export function fieldsSet(columns: object, names: FieldNames): string[] {
  const set = Object.entries(columns).filter(([, value]) => value != null);
  return fieldsOf(Object.fromEntries(set), names);
}
