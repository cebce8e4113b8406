import type { LookupAddress } from 'node:dns';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { parseUrl } from '../tools/parse-url.ts';
import { isPublicAddress, parseLiteral } from '../tools/public-address.ts';
import { TIMED_OUT, withTimeout } from '../tools/timeout.ts';

/** A receiver's answer. */
export interface Answer {
  /** Null if there was no answer. */
  readonly status: number | null;
  /** Why the attempt failed, in a few words; null if it succeeded. */
  readonly error: string | null;
}

/** Posts a message to a URL. It settles within about ten seconds, whatever the receiver does, and rejects if aborted. */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<Answer>;

/** The timeout for an answer, in milliseconds, and how many bytes are read, with all headers and interim answers. */
const ANSWER_TIMEOUT = 10_000;
const MAX_ANSWER = 64 * 1024;

export interface PostOptions {
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  resolve(host: string): Promise<readonly LookupAddress[]>;
}

/** The receiver's host has no allowed address, or no address at all; the error does not reveal which. */
class NoAddress extends Error {}
/** The host has no address, where private ones are allowed, so that this reveals nothing. */
class UnknownHost extends Error {}
/** The answer is too long, even without its body. */
class TooLong extends Error {}

/** Looks up the addresses for one connection; fails if any of them is not allowed. */
function checkedLookup({ allowPrivate, resolve }: PostOptions): LookupFunction {
  const look = async (host: string): Promise<readonly LookupAddress[]> => {
    const found = await resolve(host).catch(() => []);
    if (allowPrivate && found.length === 0) throw new UnknownHost();
    const allowed =
      found.length > 0 && found.every(({ address }) => allowPrivate || isPublicAddress(address));
    if (!allowed) throw new NoAddress();
    return found;
  };
  return (host, { all }, callback) => {
    look(host).then(
      (found) => {
        const [first] = found;
        if (all) callback(null, [...found]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** Why there was no answer, in words that reveal nothing about the network. */
function errorText(error: NodeJS.ErrnoException): string {
  if (error instanceof NoAddress) return 'no public address';
  if (error instanceof UnknownHost) return 'host not found';
  if (error instanceof TooLong) return 'answer too long';
  const code = error.code ?? '';
  if (/^HPE_/.test(code)) return 'not HTTP';
  if (/CERT|TLS|SSL|SIGNATURE|EPROTO/.test(code)) return 'certificate or TLS refused';
  if (code === 'ECONNREFUSED') return 'connection refused';
  return 'connection failed';
}

function statusError(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirects are not followed' : `status ${status}`;
}

/** Sends the request, and settles with its answer; if the body breaks off or is too long, the status counts. */
function exchange(request: ClientRequest, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let fail: (error: Error) => void = reject;
    request.on('error', (error) => fail(error));
    request.on('socket', (socket) => {
      let read = 0;
      socket.on('data', ({ length }: Buffer) => {
        read += length;
        if (read > MAX_ANSWER) request.destroy(new TooLong());
      });
    });
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const answered = () => resolve({ status, error: statusError(status) });
      fail = answered;
      response.resume().once('close', answered);
    });
    // An answer 101. The connection is no longer the request's.
    request.on('upgrade', ({ statusCode = 101 }, socket) => {
      socket.destroy();
      resolve({ status: statusCode, error: statusError(statusCode) });
    });
    request.end(body);
  });
}

/**
 * Posts to receivers that strangers name. Each request has a new connection, whose address is checked; redirects are not followed; https
 * needs a valid certificate.
 */
export function createPost(options: PostOptions): Post {
  const lookup = checkedLookup(options);
  return async (target, headers, body, signal) => {
    signal.throwIfAborted();
    const url = parseUrl(target);
    if (url === null) return { status: null, error: errorText(new NoAddress()) };
    const literal = parseLiteral(url.hostname);
    // Node calls `lookup` only for names, not for addresses.
    if (literal !== null && !options.allowPrivate && !isPublicAddress(literal))
      return { status: null, error: errorText(new NoAddress()) };
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, {
      method: 'POST',
      agent: false,
      signal,
      lookup,
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': options.userAgent,
        ...headers,
      },
    });
    try {
      const answer = await withTimeout(ANSWER_TIMEOUT, exchange(request, body));
      signal.throwIfAborted();
      return answer === TIMED_OUT ? { status: null, error: 'no answer in time' } : answer;
    } catch (error) {
      if (signal.aborted) throw error;
      // All other errors are Node's.
      return { status: null, error: errorText(error as NodeJS.ErrnoException) };
    } finally {
      request.destroy();
    }
  };
}
