import type { DomainError } from '../../engine/rules/errors.ts';
import type { Actor, OwnSession } from './actor.ts';
import { type Identity, type Rights, type State, unknownKey } from './rights.ts';
import type { Permission, Role } from './role.ts';
import { sessionEnd, sessionEnded } from './session.ts';

/** Called when a caller has other rights, or none any more (`isOver`). */
export type RightsListener = (isOver: boolean) => void;

/** The caller of a request, whose rights can be asked for without I/O for as long as the request lasts. */
export interface AskedActor extends Actor {
  /** @throws DomainError the one that a new request gets, if the key, session, user or membership has ended */
  requireAlive(): void;
}

/** The caller with a key or a session, with its rights as they are now: `Authentication` keeps them up to date. */
export class LiveActor implements AskedActor {
  readonly accountId: number;
  readonly keyId: number | null;
  readonly userId: number | null;
  readonly session: OwnSession | null;
  readonly memberId: number | null;
  role: Role | null;
  permissions: ReadonlySet<Permission>;
  /** The number of changes of keys that its rights include. */
  version: number;
  #lastUsedAt: number;
  /** End of the key or session, in milliseconds since 1970; infinite if it never ends. */
  #endsAt: number;
  #ended: (() => DomainError) | null = null;
  readonly #now: () => Date;
  readonly #listeners = new Set<RightsListener>();

  constructor(identity: Identity, rights: Rights, version: number, now: () => Date) {
    this.accountId = identity.accountId;
    this.keyId = identity.keyId;
    this.userId = identity.userId;
    this.session = identity.session;
    this.memberId = identity.memberId;
    this.role = rights.role;
    this.permissions = rights.permissions;
    this.version = version;
    this.#now = now;
    this.#lastUsedAt = rights.lastUsedAt?.getTime() ?? 0;
    this.#endsAt = this.#findEnd(rights.expiresAt);
  }

  #findEnd(expiresAt: Date | null): number {
    const { session } = this;
    if (session === null) return expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    return sessionEnd({ ...session, lastUsedAt: new Date(this.#lastUsedAt) }).getTime();
  }

  clock(): Date {
    return this.#now();
  }

  get lastUsedAt(): number {
    return this.#lastUsedAt;
  }

  /** Notes a use, which moves the end of a session. */
  usedAt(at: Date): void {
    this.#lastUsedAt = Math.max(this.#lastUsedAt, at.getTime());
    if (this.session !== null) this.#endsAt = this.#findEnd(null);
  }

  /** True while a listener is registered, such as for a subscription. */
  get isInUse(): boolean {
    return this.#listeners.size > 0;
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** True if its end has passed. A session may have been used in another process since, which moves its end. */
  isExpired(now: Date): boolean {
    return this.#endsAt <= now.getTime();
  }

  requireAlive(): void {
    if (this.#ended !== null) throw this.#ended();
    if (this.#endsAt !== Number.POSITIVE_INFINITY && this.isExpired(this.#now())) throw this.#expired();
  }

  #expired(): DomainError {
    return this.session === null ? unknownKey() : sessionEnded();
  }

  /** Calls back when its rights change. The returned function ends that. */
  listen(listener: RightsListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notes its state after a number of changes of keys. */
  become(state: State, version: number): void {
    this.version = version;
    if (typeof state === 'function') {
      this.#end(state);
      return;
    }
    const { role, permissions } = this;
    const isSame =
      state.role === role &&
      state.permissions.size === permissions.size &&
      [...permissions].every((one) => state.permissions.has(one));
    if (!isSame) {
      this.role = state.role;
      this.permissions = state.permissions;
    }
    this.#lastUsedAt = Math.max(this.#lastUsedAt, state.lastUsedAt?.getTime() ?? 0);
    this.#endsAt = this.#findEnd(state.expiresAt);
    if (!isSame) this.#tell(false);
  }

  /** Ends what uses it, if the clock says that it has ended. */
  expire(now: Date): void {
    if (this.isExpired(now)) this.#end(() => this.#expired());
  }

  #end(error: () => DomainError): void {
    if (this.#ended !== null) return;
    this.#ended = error;
    this.#tell(true);
  }

  #tell(isOver: boolean): void {
    for (const listener of [...this.#listeners]) listener(isOver);
  }
}
