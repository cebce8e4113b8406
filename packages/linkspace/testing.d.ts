import type { IncomingHttpHeaders } from 'node:http';
import type { Client } from '@linkspace/client';

/** A mail that the service sends. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The inputs of a service that tests choose. */
export interface LinkspaceOptions {
  /** The time at the start, at which the clock stands until `advance`: by default 2026-11-20, noon in UTC. */
  readonly now?: Date;
  /** Returns a whole number from 0 that is less than `below`. It chooses aliases. */
  readonly random?: (below: number) => number;
  /** Returns the TXT records of a name in DNS. With it, domains have to be verified before they serve visitors. */
  readonly resolveTxt?: (name: string) => readonly string[] | Promise<readonly string[]>;
  /** Returns the addresses of the host of a webhook. Without it, only addresses of this machine are found. */
  readonly resolveHost?: (host: string) => readonly string[] | Promise<readonly string[]>;
  /** The country of visitors for whom `visit` names none, such as DE; unknown by default. */
  readonly country?: string;
  /** Called with each mail, which `mails` has, too. */
  readonly sendMail?: (mail: Mail) => unknown;
}

export interface KeyOptions {
  /** By default read and write. */
  readonly scopes?: readonly ('read' | 'write')[];
  /** The end of the key; none by default. */
  readonly expiresAt?: Date;
}

/** A key, and a function that makes further keys of its account. It is no text by itself: write `${key}` where one is needed. */
export interface Key {
  (options?: KeyOptions): Promise<string>;
  /** Returns the key itself. */
  toString(): string;
  /** Returns the key itself, for JSON. */
  toJSON(): string;
}

export type Role = 'OWNER' | 'ADMIN' | 'EDITOR' | 'VIEWER';

export interface PersonOptions {
  /** The role in the account: OWNER by default. */
  readonly role?: Role;
  readonly name?: string;
  /** An address of nobody by default. A person who is there already becomes a member. */
  readonly email?: string;
  /** A password to sign in with; none by default. */
  readonly password?: string;
}

type Json = Record<string, unknown>;

/** An answer of a path below `/auth/`. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json & { error?: { code: string; message: string; field?: string } };
}

/** A person who is signed in, and whose requests have the cookie of their session. */
export interface SignedIn {
  readonly email: string;
  readonly role: Role;
  /** The cookie of the session; null once it is over. */
  cookie: string | null;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request to a path below `/auth/`. */
  auth(path: string, body?: Json, headers?: Record<string, string>): Promise<Answered>;
  graphql(
    query: string,
    variables?: Json,
    headers?: Record<string, string>,
  ): Promise<{
    status: number;
    data?: Json | null;
    errors?: { message: string; extensions: { code: string } }[];
  }>;
  /** The data of an operation without errors. */
  data<Data>(query: string, variables?: Json, headers?: Record<string, string>): Promise<Data>;
}

/** An account with a key. */
export interface TestAccount {
  readonly name: string;
  readonly id: string;
  /** A key with all scopes. */
  readonly key: Key;
  /** Makes a member of the account, who is signed in. */
  person(options?: PersonOptions): Promise<SignedIn>;
}

export interface VisitorOptions {
  /** A browser's by default. */
  readonly userAgent?: string;
  readonly country?: string;
  /** The languages that a browser sends, such as `de, en;q=0.5`. */
  readonly language?: string;
  /** The time of the visit; by default the clock's, which does not move. */
  readonly at?: Date;
}

/** The answer to a visitor, who does not follow redirects. */
export interface Visited {
  status: number;
  location: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A whole service of its own. */
export interface Linkspace extends Omit<TestAccount, 'name' | 'id'> {
  /** Its address, which is also that of short links. */
  readonly url: string;
  /** A client with the key. */
  readonly client: Client;
  /** The account with this name, which is made if there is none. */
  account(name: string): Promise<TestAccount>;
  /** Opens a short URL as a visitor. The visit is counted once this resolves. */
  visit(shortUrl: string, options?: VisitorOptions): Promise<Visited>;
  /** Moves the clock. */
  advance(milliseconds: number): void;
  /** The mails that were sent so far. */
  mails(): readonly Mail[];
  /** Stops the service and deletes its database. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a whole service on a port and a SQLite file of its own. */
export function startLinkspace(options?: LinkspaceOptions): Promise<Linkspace>;
