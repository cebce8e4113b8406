import { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import { growingTo } from '../tools/growing-cache.ts';

/** A row of the log. */
interface Change {
  readonly id: number;
  /** The number of its transaction. */
  readonly tx: bigint;
  /** Null for a record that no account has. */
  readonly accountId: number | null;
  readonly at: Date;
  /** The key or the user that made the change; both are null for the operator. */
  readonly keyId: number | null;
  readonly userId: number | null;
  readonly action: string;
  readonly kind: string;
  readonly recordId: number;
  /** The names of the fields that were set or changed, as a JSON list. */
  readonly fields: string;
  /** Of a change of a webhook: the events that it gets from here on; else null. */
  readonly webhookEvents: string | null;
  /** The groups that the record had before or after, as the product writes them. */
  readonly groups: string | null;
}

export const changeColumns = [
  ...(['id', 'tx', 'accountId', 'at', 'keyId', 'userId', 'action', 'kind', 'recordId', 'fields'] as const),
  ...(['webhookEvents', 'groups'] as const),
] satisfies (keyof Change)[];

/** A change that is not recorded yet. `fields` are names of the schema. */
export type NewChange = Pick<Change, 'accountId' | 'keyId' | 'at' | 'action' | 'kind' | 'recordId'> & {
  readonly userId?: number | null;
  readonly fields: readonly string[];
  /** Of a change of a webhook: the events that it gets after the change, in their stored form. */
  readonly webhookEvents?: string | undefined;
  /** The values of the fields, which no event has. */
  readonly values?: KeptValues | null;
};

/** The values of a change, as they are stored. Columns that are null when they are written come later. */
export interface KeptValues {
  /** The product's own text of the fields before and after, without long texts. */
  readonly values: string;
  /** All values with long texts; null without any. */
  readonly long: string | null;
  readonly isRevertable: boolean;
  /** Further facts for the restoration of a deleted record. */
  readonly restoring: string | null;
  /** The records that belonged to a deleted record, by their ids. */
  readonly memberIds: string | null;
  /** Hashes of images that the values name, and that are kept with them; none by default. */
  readonly images?: readonly string[];
}

/** A recorded change, with its position in the log: the order is `tx`, then `id`. */
export type LoggedChange = Omit<Change, 'tx'> & { readonly tx: number };

/** The columns of a change that are read from the log for its immediate announcement. */
export type FoundChange = Pick<
  LoggedChange,
  'id' | 'tx' | 'accountId' | 'kind' | 'action' | 'recordId' | 'fields'
>;

/** A change that is committed. */
export type MadeChange = Omit<NewChange, 'values'> & { readonly id: number };

/** An announced change. Only changes of other processes have the number of their transaction. */
export type KnownChange = Pick<MadeChange, 'id' | 'accountId' | 'kind' | 'action' | 'recordId' | 'fields'> & {
  readonly tx?: number;
};

/** Maximum number of this process's changes that are remembered until the log shows them. */
const MAX_OWN = 100_000;

interface Events {
  /** A change of a record, as soon as it is known to be committed: those of this process at once. Once, and in any order. */
  change: [change: KnownChange];
  /** An account has so many changes, up to a transaction, that those of bulk kinds are not told one by one. */
  many: [accountId: number, tx: number];
  /** A change, once its order is final: once, and in order. The log is read for it only while somebody listens. */
  settled: [change: LoggedChange];
  /** Keys were changed, revoked or deleted, or may have been before the first poll: up to the change with a number. */
  keys: [number: number];
  /** The changes of one transaction of this process. */
  own: [changes: readonly MadeChange[]];
}

/** Tells of changes: of this process after each commit, and of all that `ChangeFeed` finds. */
export class ChangeEvents extends EventEmitter<Events> {
  readonly #own = new LRUCache<number, true>(growingTo(MAX_OWN));

  /** True if somebody listens for settled changes. */
  get isSettledAwaited(): boolean {
    return this.listenerCount('settled') > 0;
  }

  /** Tells of changes of this process, after their commit. */
  made(changes: readonly MadeChange[]): void {
    for (const change of changes) {
      this.#own.set(change.id, true);
      this.emit('change', change);
    }
    this.emit('own', changes);
  }

  /** Returns whether a change was told of already, as one of this process; true once. */
  wasOwn(id: number): boolean {
    return this.#own.delete(id);
  }

  /** Tells of a change that was found in the log. */
  found({ id, tx, accountId, kind, action, recordId, fields }: FoundChange): void {
    this.emit('change', { id, tx, accountId, kind, action, recordId, fields: JSON.parse(fields) });
  }
}
