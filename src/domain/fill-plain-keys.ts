import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { fillPlainKeys } from '../db/plain-keys.ts';
import { BatchWork } from '../engine/db/retention.ts';
import { makePlainKey } from '../engine/rules/input.ts';

/** Makes the plain keys of what earlier versions wrote, also while one still runs. Several processes may do so at once. */
export class PlainKeys extends BatchWork {
  readonly #database: Database;

  constructor(database: Database, log: Logger) {
    super(log, 20);
    this.#database = database;
  }

  override async work(): Promise<void> {
    for (const table of ['Space', 'Tag', 'Link'] as const)
      await this.untilNone(() => fillPlainKeys(this.#database, table, makePlainKey));
  }
}
