import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RedirectOutcome } from '../domain/visit/decide-redirect.ts';
import { requestInfoOf } from '../engine/http/request/info.ts';
import type { Content } from '../engine/http/server.ts';
import { messagePage, type Page, rootPage } from './pages.ts';
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
  const all = ['X-Request-Id', requestInfoOf(res).requestId, 'Cache-Control', 'private, no-store'];
  all.push('Content-Length', String(Buffer.byteLength(body)));
  for (const [name, value] of Object.entries(headers)) all.push(name, value);
  res.writeHead(status, all);
  res.end(req.method === 'HEAD' ? '' : body);
}

function headersOf({ contentSecurityPolicy, leavesOpener }: Page): Record<string, string> {
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
  return { headers: headersOf(page), body: page.html };
}

export function sendPage(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  page: Page,
  headers: Record<string, string> = {},
): void {
  send(req, res, status, { ...headersOf(page), ...headers }, page.html);
}

export function sendMessage(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  message: Message,
  headers?: Record<string, string>,
) {
  sendPage(req, res, status, messagePage(message, header(req, 'accept-language')), headers);
}

/** Sends the page at the root of a host, with its name. */
export function sendRoot(req: IncomingMessage, res: ServerResponse, host: string): void {
  sendPage(req, res, 200, rootPage(host, header(req, 'accept-language')));
}
