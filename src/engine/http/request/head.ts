// Headers that an answer gets before it is made, such as those for security. For most handlers they are set at once. A handler
// that writes the head itself has them noted, and writes all headers in one call, which takes less time for small answers.
import type { ServerResponse } from 'node:http';
import { getRequestInfo } from './info.ts';

type Headers = Readonly<Record<string, string | number>>;

/** Has further headers of an answer noted, for a handler that calls `writeHead` or `setNoted` of this module. */
export function noteHeaders(res: ServerResponse): void {
  getRequestInfo(res).noted = {};
}

/** Adds headers to an answer. */
export function addHeaders(res: ServerResponse, headers: Headers): void {
  const { noted } = getRequestInfo(res);
  if (noted !== null) Object.assign(noted, headers);
  else for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

/** Sets the headers that were noted, for an answer that others write. */
export function setNoted(res: ServerResponse): void {
  const info = getRequestInfo(res);
  const { noted } = info;
  info.noted = null;
  if (noted !== null) addHeaders(res, noted);
}

/** Writes the head of an answer with its own headers, and those that were noted. */
export function writeHead(res: ServerResponse, status: number, headers: Headers): void {
  res.writeHead(status, { ...getRequestInfo(res).noted, ...headers });
}
