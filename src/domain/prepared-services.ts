import { DomainError, RETRY_AFTER } from './errors.ts';
import type { Services } from './services.ts';

/**
 * The slow answers that a keyed write needs: hashes of passwords, comparisons with hashes, texts in DNS. They are prepared before
 * its transaction begins, since others wait for its end.
 */
export class Preparation {
  readonly #services: Services;
  readonly #hasBegun: () => boolean;
  /** Prepared hashes that are not used yet, by their passwords. */
  readonly #unused = new Map<string, string[]>();
  /** The passwords of all prepared hashes. */
  readonly #passwords = new Map<string, string>();
  /** The results of comparisons, by hash and password. */
  readonly #compared = new Map<string, boolean>();
  readonly #texts = new Map<string, readonly string[]>();

  /** @param hasBegun whether the transaction has begun */
  constructor(services: Services, hasBegun: () => boolean) {
    this.#services = services;
    this.#hasBegun = hasBegun;
  }

  /** The services to prepare with: their answers are remembered. */
  get preparing(): Services {
    const services = this.#services;
    return {
      ...services,
      hashPassword: async (owner, password) => {
        const hash = await services.hashPassword(owner, password);
        this.#unused.set(password, [...(this.#unused.get(password) ?? []), hash]);
        this.#passwords.set(hash, password);
        return hash;
      },
      verifyPassword: async (owner, password, hash) => {
        const isRight = await services.verifyPassword(owner, password, hash);
        this.#compared.set(`${hash} ${password}`, isRight);
        return isRight;
      },
      resolveTxt: async (name) => {
        const texts = await services.resolveTxt(name);
        this.#texts.set(name, texts);
        return texts;
      },
    };
  }

  /** The services of the write, which have the remembered answers. */
  get prepared(): Services {
    const services = this.#services;
    return {
      ...services,
      hashPassword: async (owner, password) =>
        this.#unused.get(password)?.shift() ?? this.#now(() => services.hashPassword(owner, password)),
      verifyPassword: async (owner, password, hash) => {
        const made = this.#passwords.get(hash);
        if (made !== undefined) return made === password;
        const compared = this.#compared.get(`${hash} ${password}`);
        return compared ?? this.#now(() => services.verifyPassword(owner, password, hash));
      },
      resolveTxt: async (name) => this.#texts.get(name) ?? this.#now(() => services.resolveTxt(name)),
    };
  }

  /** Finds an answer that was not prepared, because another write has changed a record since the preparation. */
  #now<T>(find: () => Promise<T>): Promise<T> {
    if (!this.#hasBegun()) return find();
    const message = 'Another request has changed one of the records meanwhile. Try again shortly.';
    throw new DomainError('RATE_LIMITED', message, [], RETRY_AFTER);
  }
}
