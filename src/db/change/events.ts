import { EventEmitter } from 'node:events';
import type { Change } from '../../generated/sqlite/client.ts';

/** A change that is not recorded yet. `fields` are names of the schema. */
export type NewChange = Pick<Change, 'accountId' | 'keyId' | 'at' | 'action' | 'kind' | 'recordId'> & {
  readonly fields: readonly string[];
  /** The events that a webhook gets from here on, in their stored form. */
  readonly webhookEvents?: string | undefined;
};

/** A recorded change, with its position in the log: the order is `tx`, then `id`. */
export type LoggedChange = Omit<Change, 'tx'> & { readonly tx: number };

interface Events {
  /** Changes that this process made, after their commit. */
  own: [changes: readonly (NewChange & { readonly id: number })[]];
}

export class ChangeEvents extends EventEmitter<Events> {}
