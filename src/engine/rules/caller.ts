/** The account that something is written for, and who writes it: a key, a user, or else the operator. */
export interface Writer {
  readonly accountId: number;
  readonly keyId: number | null;
  readonly userId?: number | null;
}

/** The caller of a request, in one account: a key, or a user. A product has its own roles and permissions. */
export interface Caller extends Writer {
  readonly userId: number | null;
  /** Null for a key that has scopes instead. */
  readonly role: string | null;
  readonly permissions: ReadonlySet<string>;
}

/** The number of requests that a key or user may make in a window, the rest, and the end of the window. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
}
