import type { OperatorLists } from './link/blocklists.ts';
import type { Random } from './random.ts';

/** Settings and services that the rules depend on. */
export interface Services {
  /** The scheme of short URLs: `https:`. */
  readonly scheme: string;
  /** Whether the address leads to this service by another name of its machine, such as `127.0.0.1`. */
  isOtherName(address: string): boolean;
  /** The domain of links without a given one. */
  readonly defaultDomainId: number;
  readonly random: Random;
  /** A hash for `verifyPassword`; owners take turns. */
  hashPassword(owner: string, password: string): Promise<string>;
  /** Whether the password has that hash; owners take turns. */
  verifyPassword(owner: string, password: string, hash: string): Promise<boolean>;
  /** Whether domains must be verified to serve visitors. */
  readonly verifiesDomains: boolean;
  /** The texts of the TXT records of a host name in DNS. */
  resolveTxt(name: string): Promise<readonly string[]>;
  /** Whether webhooks may call addresses in the operator's own network. */
  readonly allowsPrivateWebhooks: boolean;
  /** The operator's blocked hosts and reserved aliases. */
  readonly lists: OperatorLists;
}
