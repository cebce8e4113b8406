import type { IncomingMessage, ServerResponse } from 'node:http';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { BrandColumns } from '../domain/access/brand.ts';
import type { RedirectOutcome } from '../domain/visit/decide-redirect.ts';
import { secondsUntilNext } from '../engine/http/limits/rate-limit.ts';
import type { Content } from '../engine/http/raw-answer.ts';
import { isAborted } from '../engine/http/request/client.ts';
import { getRequestInfo } from '../engine/http/request/info.ts';
import { RETRY_AFTER, visibleError } from '../engine/rules/errors.ts';
import { TooMuchWaiting } from '../engine/tools/turns.ts';
import { messagePage, type Page } from './pages.ts';
import { header } from './request.ts';
import type { Message } from './translations.ts';

/** The status and message of outcomes that are not redirects. */
export const ended: Readonly<
  Record<Exclude<RedirectOutcome, 'REDIRECT' | 'PIXELS' | 'PASSWORD' | 'PREVIEW'>, [number, Message]>
> = {
  NOT_FOUND: [404, 'notFound'],
  DISABLED: [410, 'disabled'],
  EXPIRED: [410, 'expired'],
  BLOCKED: [410, 'blocked'],
  LOOP: [410, 'blocked'],
};

/** Sends an answer that must not be cached; HEAD gets no body. */
export function send(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body = '',
): void {
  // A flat list, which Node writes without copying.
  const all = ['X-Request-Id', getRequestInfo(res).requestId, 'Cache-Control', 'private, no-store'];
  all.push('Content-Length', String(Buffer.byteLength(body)));
  for (const [name, value] of Object.entries(headers)) all.push(name, value);
  res.writeHead(status, all);
  res.end(req.method === 'HEAD' ? '' : body);
}

function describePage({ contentSecurityPolicy, leavesOpener }: Page): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    ...(leavesOpener && { 'Cross-Origin-Opener-Policy': 'same-origin' }),
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
    'Referrer-Policy': 'no-referrer',
  };
}

/** The page of a visit that no handler gets. */
export function refusedVisit(status: number, acceptLanguage: string): Content {
  const page = messagePage(status === 431 ? 'tooLarge' : 'unreadable', acceptLanguage);
  return { headers: describePage(page), body: page.html };
}

export function sendPage(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  page: Page,
  headers: Record<string, string> = {},
): void {
  send(req, res, status, { ...describePage(page), ...headers }, page.html);
}

export function sendMessage(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  message: Message,
  headers?: Record<string, string>,
  brand: BrandColumns | null = null,
) {
  sendPage(req, res, status, messagePage(message, header(req, 'accept-language'), brand), headers);
}

/** Logs an error. */
export type Report = (res: ServerResponse, error: unknown) => void;

/** Answers a visit that has failed, or was refused. Only unexpected errors are reported. */
export function sendFailure(
  req: IncomingMessage,
  res: ServerResponse,
  error: unknown,
  report: Report,
): unknown {
  if (isAborted(req)) return;
  if (error instanceof RateLimiterRes) {
    const retryAfter = String(secondsUntilNext(error));
    return sendMessage(req, res, 429, 'limited', { 'Retry-After': retryAfter });
  }
  if (error instanceof TooMuchWaiting)
    return sendMessage(req, res, 503, 'unavailable', { 'Retry-After': String(RETRY_AFTER) });
  report(res, error);
  if (res.headersSent) return res.end();
  if (visibleError(error)?.code !== 'UNAVAILABLE') return sendMessage(req, res, 500, 'unavailable');
  sendMessage(req, res, 503, 'unavailable', { 'Retry-After': String(RETRY_AFTER) });
}
