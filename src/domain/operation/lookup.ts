import { LRUCache } from 'lru-cache';
import type { Database } from '../../db/database.ts';
import type { ChangeFeed } from '../../engine/changes/feed.ts';
import { hashToken } from '../access/actor.ts';
import type { SavedOperation } from './operation.ts';

/** Characters of documents that a process remembers. */
const MAX_CHARACTERS = 32_000_000;
/** Characters that an account and an operation count as, beside the document. */
const OVERHEAD = 500;

/** All saved operations of an account. A change of one makes a new object. */
export interface AccountOperations {
  /** In the order of their names. */
  readonly all: readonly SavedOperation[];
  /** By name, and by `sha256:` with the hash of the document. */
  find(id: string): SavedOperation | null;
  /** A secret of the account. */
  readonly secret: string;
  /** Equal texts stand for equal operations of the account. */
  readonly version: string;
}

function versionOf(all: readonly SavedOperation[]): string {
  const parts = all.map(({ id, revision, updatedAt }) => `${id} ${revision} ${updatedAt.getTime()}`);
  return hashToken(parts.join('\n'));
}

interface Remembered {
  readonly operations: AccountOperations;
  /** The time at which their read began, by `performance.now()`. */
  readonly readAt: number;
}

function makeOperations(all: readonly SavedOperation[], secret: string): AccountOperations {
  const byId = new Map(all.map((one) => [one.name, one]));
  // Of equal documents, the oldest counts.
  for (const one of [...all].sort((a, b) => b.id - a.id)) byId.set(`sha256:${one.hash}`, one);
  return { all, secret, version: versionOf(all), find: (id) => byId.get(id) ?? null };
}

/** Finds the saved operations of accounts, in memory. A change counts at once in this process, and within a second from others. */
export class OperationLookup {
  readonly #db: Database;
  readonly #feed: Pick<ChangeFeed, 'fresh' | 'staleBefore'>;
  readonly #remembered = new LRUCache<number, Remembered>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ operations: { all } }) =>
      OVERHEAD + all.reduce((sum, { document }) => sum + OVERHEAD + document.length, 0),
  });
  /** The reads that no change has overtaken. */
  readonly #reading = new Map<number, Promise<AccountOperations>>();

  constructor(db: Database, feed: Pick<ChangeFeed, 'fresh' | 'staleBefore'>) {
    this.#db = db;
    this.#feed = feed;
    db.changes.on('change', ({ kind, accountId }) => {
      if (kind !== 'SAVED_OPERATION' || accountId === null) return;
      this.#remembered.delete(accountId);
      this.#reading.delete(accountId);
    });
  }

  /** @throws DatabaseAway, or the database's own error */
  async of(accountId: number): Promise<AccountOperations> {
    await this.#feed.fresh();
    const known = this.#remembered.get(accountId);
    if (known !== undefined && known.readAt >= this.#feed.staleBefore) return known.operations;
    return this.#reading.get(accountId) ?? this.#read(accountId);
  }

  #read(accountId: number): Promise<AccountOperations> {
    const readAt = performance.now();
    const isCurrent = () => this.#reading.get(accountId) === reading;
    const { savedOperation, accountSecret } = this.#db.prisma;
    const reading: Promise<AccountOperations> = Promise.all([
      savedOperation.findMany({ where: { accountId }, orderBy: { name: 'asc' } }),
      accountSecret.findUniqueOrThrow({ where: { accountId } }),
    ])
      .then(([all, { steps }]) => makeOperations(all, hashToken(`operations ${steps}`)))
      .then((operations) => {
        if (isCurrent()) this.#remembered.set(accountId, { operations, readAt });
        return operations;
      })
      .finally(() => {
        if (isCurrent()) this.#reading.delete(accountId);
      });
    this.#reading.set(accountId, reading);
    return reading;
  }
}
