import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import type { User } from '../domain/access/user.ts';
import type { SignedIn } from '../domain/access/ways-in.ts';
import { isStorable } from '../domain/input.ts';
import { refusal } from '../domain/rules.ts';
import type { SignInWay } from '../http/metrics.ts';

/** A text that people or pages send to a path below `/auth/`. */
export const text = z
  .string(refusal('TEXT'))
  .max(1_000, refusal('MAX_LENGTH', { max: 1_000 }))
  .refine(isStorable, refusal('STORABLE'));

/** What all ways to sign in need. */
export interface SignInTools {
  readonly db: Database;
  /** The address of the pages for people. */
  readonly consoleUrl: string;
  now(): Date;
  /** Logs why a request failed. */
  report(res: Response, error: unknown): void;
  signInFailed(way: SignInWay): void;
  /** Limits what a network may begin. @throws DomainError RATE_LIMITED */
  limit(req: Request): Promise<void>;
  /** The session of a request of the site itself, if it began of late. @throws DomainError UNAUTHENTICATED, FORBIDDEN */
  recentSessionOf(req: Request): Promise<SignedIn & { readonly user: User }>;
  /** The session of a request wherever it comes from, for what changes nothing by it; null for none. */
  anySessionOf(req: Request): Promise<(SignedIn & { readonly user: User }) | null>;
  /** Begins a session for a user, in place of the one that the browser has, wherever the request comes from. */
  begin(req: Request, res: Response, user: User): Promise<void>;
  /** The same for a request of the site itself, and answers with who is signed in. */
  signIn(req: Request, res: Response, user: User, status?: number): Promise<void>;
  /** @throws DomainError FORBIDDEN where people sign in with the OpenID provider alone */
  requireOwnWays(): void;
}
