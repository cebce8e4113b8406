// Limits of what strangers begin below `/auth/`, by their networks.
import type { Request, RequestHandler, Response } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { limiterResult, tooMany } from '../engine/http/limits/rate-limit.ts';
import { getRequestInfo } from '../engine/http/request/info.ts';
import { DomainError, RETRY_AFTER } from '../engine/rules/errors.ts';
import { Turns } from '../engine/tools/turns.ts';

/** Maximum numbers of requests with a waiting or running hash, in all and of one network, and milliseconds of waiting. */
const MAX_HASHING = 200;
const MAX_HASHING_OF_NETWORK = 40;
const HASHING_TIMEOUT = 5_000;

/** Maximum number of sign-ins with passkeys and OpenID per network and minute. An office may share its address. */
const MAX_BEGUN = 300;

/** Creates the functions that limit what a network begins, and how many hashes it has calculated. */
export function createSignInLimits(networkOfClient: (req: Request) => string) {
  const begun = new RateLimiterMemory({ points: MAX_BEGUN, duration: 60 });
  const hashing = new Turns({
    max: MAX_HASHING,
    maxOfOwner: () => MAX_HASHING_OF_NETWORK,
    // One of each network waits for a place, so that a flood from some does not keep the others out.
    maxWaiting: 1,
    timeout: HASHING_TIMEOUT,
    refusal: tooManyAtOnce,
  });
  // One at a time, so that a flood of them takes one core, and delays no visitor with a link's password.
  const turns = new Turns({ max: 1, timeout: HASHING_TIMEOUT, refusal: tooManyAtOnce });

  /** Limits what a network may begin. @throws DomainError RATE_LIMITED */
  const limit = async (req: Request, network = networkOfClient(req)): Promise<void> => {
    await begun.consume(network).catch(refuseBegun);
  };

  /** A handler that calculates a hash. Networks take turns; nothing is done for a client that has left. */
  const hashed =
    (handle: (req: Request, res: Response) => Promise<void>): RequestHandler =>
    (req, res) => {
      const network = networkOfClient(req);
      const work = async () => {
        if (!getRequestInfo(res).isAborted) await handle(req, res);
      };
      return hashing.take(network, () => turns.take(network, work));
    };

  return { limit, hashed };
}

function refuseBegun(error: unknown): never {
  throw tooMany(limiterResult(error), 'Too many sign-ins were begun here.');
}

export function tooManyAtOnce(): DomainError {
  return new DomainError('RATE_LIMITED', 'Too many requests at once. Try again shortly.', [], RETRY_AFTER);
}
