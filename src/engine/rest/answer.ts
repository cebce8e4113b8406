import type { Response } from 'express';
import type { Page } from '../lists/pagination.ts';
import type { DomainError, ErrorCode } from '../rules/errors.ts';

/** Messages by the name that the client sent. */
export type Refusals = Map<string, string[]>;

/** An answer of v1: the body is compact JSON whose `status` equals the HTTP status. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of the body, for an answer that is not JSON. */
  readonly content?: { readonly type: string; readonly data: string | Buffer };
}

export function success(body: Record<string, unknown>, status = 200): Answer {
  return { status, body: { ...body, status } };
}

export function failure(status: number, message: string, headers?: Record<string, string>): Answer {
  return { status, body: { message, status }, headers };
}

export const notFound = failure(404, 'Resource not found.');
export const serverError = failure(500, 'Server Error');

export function methodNotAllowed(method: string, allowed: readonly string[]): Answer {
  return failure(
    405,
    `The ${method} method is not supported here; ${allowed.join(', ')} ${allowed.length > 1 ? 'are' : 'is'}.`,
    {
      Allow: allowed.join(', '),
    },
  );
}

export const unreadable = (message: string): Answer => failure(400, message);
export const tooLarge = (limit: number): Answer =>
  failure(413, `The body is larger than ${limit / 1024 / 1024} MB.`);

export const unsupportedMediaType = failure(
  415,
  'Send the body as application/x-www-form-urlencoded, multipart/form-data without files, or application/json, in UTF-8.',
);

export function unprocessable(refusals: Refusals): Answer {
  const [first] = refusals.values();
  return {
    status: 422,
    body: {
      message: first?.[0] ?? 'The request is invalid.',
      errors: Object.fromEntries(refusals),
      status: 422,
    },
  };
}

function later(status: number, { message, retryAfter }: DomainError): Answer {
  return failure(status, message, { 'Retry-After': String(retryAfter) });
}

/** v1's answer to each of the domain's error codes. */
export const answerTo: Record<ErrorCode, (error: DomainError, refusals: Refusals) => Answer> = {
  UNAUTHENTICATED: () => failure(401, 'Unauthenticated.', { 'WWW-Authenticate': 'Bearer' }),
  FORBIDDEN: ({ message }) => failure(403, message),
  GONE: ({ message }) => failure(410, message),
  HISTORY_GONE: ({ message }) => failure(410, message),
  NOT_FOUND: () => notFound,
  IN_USE: ({ message }) => failure(409, message),
  CONFLICT: ({ message }) => failure(409, message),
  IDEMPOTENCY_MISMATCH: ({ code, message }) => ({
    status: 422,
    body: { message, errors: { 'Idempotency-Key': [message] }, code, status: 422 },
  }),
  IDEMPOTENCY_RUNNING: (error) => later(409, error),
  VALIDATION: (_error, refusals) => unprocessable(refusals),
  RATE_LIMITED: (error) => later(429, error),
  UNAVAILABLE: (error) => later(503, error),
};

/** Ends the handling of a request early, with this answer. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

/** The parts of the request's URL that an encoder needs for absolute links. */
export interface RequestUrl {
  /** Without the query: `https://s.example/api/v1/spaces`. */
  readonly path: string;
  readonly query: string;
}

/** A list in v1's form. `from` and `to` are null on an empty page. */
export function encodePage<Item>(page: Page<Item>, encode: (item: Item) => object, url: RequestUrl): Answer {
  const { items, total, page: current, perPage, pageCount: last } = page;
  const before = (current - 1) * perPage;
  const parameters = new URLSearchParams(url.query);
  /** The URL of another page, with all other parameters of the request. */
  const pageUrl = (number: number) => {
    parameters.set('page', String(number));
    return `${url.path}?${parameters}`;
  };
  return success({
    data: items.map(encode),
    links: {
      first: pageUrl(1),
      last: pageUrl(last),
      prev: current > 1 ? pageUrl(current - 1) : null,
      next: current < last ? pageUrl(current + 1) : null,
    },
    meta: {
      current_page: current,
      from: items.length > 0 ? before + 1 : null,
      last_page: last,
      path: url.path,
      per_page: perPage,
      to: items.length > 0 ? before + items.length : null,
      total,
    },
  });
}

/** The body and the headers of an answer. */
export function makeContent({ body, headers, content }: Answer) {
  const { type, data } = content ?? {
    type: 'application/json; charset=utf-8',
    data: JSON.stringify(body),
  };
  const ofContent = { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(data)) };
  return { contentType: type, data, headers: { ...ofContent, ...headers } };
}

export function send(res: Response, answer: Answer): void {
  const { data, headers } = makeContent(answer);
  res.writeHead(answer.status, headers);
  res.end(data);
}
