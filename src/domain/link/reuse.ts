import type { Data, Transaction } from '../../db/database.ts';
import {
  type Destination,
  findSameLinks,
  isReusable,
  type LinkMatch,
  lockDestination,
} from '../../db/reading/same-links.ts';
import { listSpellings } from '../../engine/tools/bidirectional.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { ADDRESSES } from '../change/change.ts';
import { ofAccount } from '../password.ts';
import { hasSameRules, type RulesInput } from '../rule/columns.ts';
import type { Services } from '../services.ts';
import type { LinkInput } from './fields.ts';

/** Maximum number of links with a password to compare, since each comparison is slow. */
export const MAX_COMPARED = 5;

/** Maximum number of links whose rules are compared: they differ by ids, which the database cannot leave out. */
const MAX_WITH_RULES = 100;

/** A link may be the same, but its password was not compared yet. */
export class PasswordNotCompared extends Error {}

/** Finds existing links that equal a new one. */
export class Reuse {
  readonly #services: Services;
  readonly #destination: Destination;
  readonly #match: LinkMatch;
  readonly #rules: RulesInput;
  readonly #passwords: [stored: 'password' | 'privacyPassword', given: string][];
  /** Stored hashes that were compared, and whether the given password has them. */
  readonly #compared = new Map<string, boolean>();

  /**
   * @param given the given fields of the new link
   * @param columns their columns, except passwords
   */
  constructor(services: Services, destination: Destination, given: LinkInput, columns: object, now: Date) {
    const { password, privacyPassword, pixelIds, tagIds } = given;
    this.#services = services;
    this.#destination = destination;
    this.#rules = { rules: given.rules, ruleTests: given.ruleTests };
    this.#passwords = [];
    if (password != null) this.#passwords.push(['password', password]);
    if (privacyPassword != null) this.#passwords.push(['privacyPassword', privacyPassword]);
    const set = Object.entries(columns)
      .filter(([column, value]) => value !== undefined && !/^url(Key)?$/.test(column))
      .map(([column, value]) => [
        column,
        ADDRESSES.test(column) && value !== null ? listSpellings(value) : value,
      ]);
    this.#match = {
      columns: Object.fromEntries(set),
      filled: this.#passwords.map(([stored]) => stored),
      pixelIds,
      tagIds,
      condition: isReusable(now),
    };
  }

  /** The newest active link of the account with the same destination and given fields, begun and not archived; null if there is none. */
  async find(db: Data): Promise<Link | null> {
    for (const link of await this.#candidates(db)) if (await this.#compare(link)) return link;
    return null;
  }

  /** Compares the passwords up to the first wrong one: each takes long. */
  async #compare(link: Link): Promise<boolean> {
    for (const [given, hash] of this.#comparisons(link)) {
      const isRight =
        this.#compared.get(hash) ??
        (await this.#services.verifyPassword(ofAccount(this.#destination), given, hash));
      this.#compared.set(hash, isRight);
      if (!isRight) return false;
    }
    return true;
  }

  /**
   * Finds the same link as `find`, with a lock: until the transaction ends, no other request creates such a link.
   * Passwords are not compared here, since that is slow.
   * @throws PasswordNotCompared if there is a link that `find` has not seen
   */
  async findLocked(tx: Transaction): Promise<Link | null> {
    await lockDestination(tx, this.#destination);
    return (await this.#candidates(tx)).find((link) => this.#isSame(link)) ?? null;
  }

  async #candidates(db: Data): Promise<Link[]> {
    const max = this.#passwords.length > 0 ? MAX_COMPARED : 1;
    const { rules, ruleTests } = this.#rules;
    if (rules === undefined && ruleTests === undefined)
      return findSameLinks(db, this.#destination, this.#match, max);
    const found = await findSameLinks(db, this.#destination, this.#match, MAX_WITH_RULES);
    return found.filter((link) => hasSameRules(this.#rules, link)).slice(0, max);
  }

  /** The given passwords, each with the hash that the link has. */
  #comparisons(link: Link): [given: string, hash: string][] {
    return this.#passwords.map(([stored, given]) => [given, link[stored] ?? '']);
  }

  #isSame(link: Link): boolean {
    return this.#comparisons(link).every(([, hash]) => {
      const isRight = this.#compared.get(hash);
      if (isRight === undefined) throw new PasswordNotCompared();
      return isRight;
    });
  }
}
