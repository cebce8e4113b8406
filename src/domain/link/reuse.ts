import type { Db, Tx } from '../../db/connection/db.ts';
import {
  type Destination,
  findSameLinks,
  type Likeness,
  lockDestination,
} from '../../db/reading/same-links.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { ofAccount, verifyPassword } from '../password.ts';
import type { LinkInput } from './input.ts';
import { hasStatus } from './status.ts';

/** How many links with a password are compared at most: each check takes time. */
export const MAX_TRIED = 5;

/** Finds existing links that equal a new one. */
export class Reuse {
  readonly #destination: Destination;
  readonly #likeness: Likeness;
  readonly #passwords: [stored: 'password' | 'privacyPassword', given: string][];
  /** Stored hashes that were compared, and whether they match the given password. */
  readonly #tried = new Map<string, boolean>();

  /**
   * @param given the given fields of the new link
   * @param columns their columns, except passwords
   */
  constructor(destination: Destination, given: LinkInput, columns: object, now: Date) {
    const { password, privacyPassword, pixelIds } = given;
    this.#destination = destination;
    this.#passwords = [];
    if (password != null) this.#passwords.push(['password', password]);
    if (privacyPassword != null) this.#passwords.push(['privacyPassword', privacyPassword]);
    const set = Object.entries(columns).filter(
      ([column, value]) => value !== undefined && !/^url(Key)?$/.test(column),
    );
    this.#likeness = {
      columns: Object.fromEntries(set),
      filled: this.#passwords.map(([stored]) => stored),
      pixelIds,
      condition: hasStatus('ACTIVE', now),
    };
  }

  /** The newest active link of the account with the same destination and given fields; null if there is none. */
  async find(db: Db | Tx): Promise<Link | null> {
    const limit = this.#passwords.length > 0 ? MAX_TRIED : 1;
    for (const link of await findSameLinks(db, this.#destination, this.#likeness, limit))
      if (await this.#hasPasswords(link)) return link;
    return null;
  }

  async #hasPasswords(link: Link): Promise<boolean> {
    for (const [stored, given] of this.#passwords) {
      const hash = link[stored] ?? '';
      const isRight =
        this.#tried.get(hash) ?? (await verifyPassword(ofAccount(this.#destination), given, hash));
      this.#tried.set(hash, isRight);
      if (!isRight) return false;
    }
    return true;
  }

  /** The same, with a lock: until the transaction ends, no other request creates such a link. */
  async findLocked(tx: Tx): Promise<Link | null> {
    await lockDestination(tx, this.#destination);
    return this.find(tx);
  }
}
