import type { Revisions } from '../../db/change/revisions.ts';
import type { Data } from '../../db/database.ts';
import { validKeys } from './api-key.ts';

/** How often keys are checked for their expiry, in milliseconds. */
const CHECK_INTERVAL = 5_000;

/** A long answer, such as a subscription or a large file. */
interface Use {
  readonly keyId: number;
  end(): void;
}

/** Ends long answers when their keys are revoked, expired or deleted. */
export class KeysInUse {
  readonly #db: Data;
  readonly #now: () => Date;
  readonly #uses = new Set<Use>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Data, revisions: Revisions, now: () => Date) {
    this.#db = db;
    this.#now = now;
    revisions.watch('keys', () => this.#checkAll());
  }

  /** Calls `end` when the key is no longer valid. The returned function ends the use. */
  use(keyId: number, end: () => void): () => void {
    const use = { keyId, end };
    this.#uses.add(use);
    return () => this.#uses.delete(use);
  }

  async check(): Promise<void> {
    const ids = [...new Set([...this.#uses].map(({ keyId }) => keyId))];
    if (ids.length === 0) return;
    const where = { id: { in: ids }, ...validKeys(this.#now()) };
    const valid = await this.#db.prisma.apiKey.findMany({ where, select: { id: true } });
    const good = new Set(valid.map(({ id }) => id));
    // Only keys that were checked: a use of another key may be new.
    const ended = new Set(ids.filter((id) => !good.has(id)));
    for (const use of [...this.#uses]) if (ended.has(use.keyId)) use.end();
  }

  #checkAll(): void {
    this.check().catch(() => {
      // While the database is down, answers continue.
    });
  }

  start(): void {
    this.#timer = setInterval(() => this.#checkAll(), CHECK_INTERVAL).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
