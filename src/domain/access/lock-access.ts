import type { Transaction } from '../../db/database.ts';

/** The tables whose rows give access, in the order in which every transaction locks them. */
const ORDER = ['Account', 'User', 'Session', 'Membership', 'ApiKey'] as const;

/** Ids of rows; null for none. */
export type AccessIds = Partial<Record<(typeof ORDER)[number], readonly (number | null)[]>>;

/**
 * Locks rows that give access, in one order for all transactions, so that no two wait for each other. Whoever gives access keeps
 * them as they are, and whoever ends it writes them.
 * @param changed the rows that the transaction changes, or whose people and keys it changes or counts
 * @param kept the rows that nobody may change meanwhile
 */
export async function lockAccess(tx: Transaction, changed: AccessIds, kept: AccessIds = {}): Promise<void> {
  for (const table of ORDER) {
    const own = new Set(changed[table]);
    const ids = [...new Set([...own, ...(kept[table] ?? [])])].filter((id) => id !== null);
    for (const id of ids.sort((one, other) => one - other))
      await tx.lockRow(table, id, { shared: !own.has(id) });
  }
}
