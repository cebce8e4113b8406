import { STATUS_CODES } from 'node:http';

export const UNREADABLE = 'The request could not be read.';

/** A body, and the headers that describe it. */
export interface Content {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function asJson(status: number, message: string): Content {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return { headers, body: JSON.stringify({ message, status }) };
}

/** The headers of an answer that closes the connection, so that the rest of the request is not read. */
export function refusalHeaders({ headers, body }: Content): Record<string, string | number> {
  return {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'private, no-store',
    Connection: 'close',
  };
}

/** The whole text of such an answer, where there is no response to write it. */
export function rawAnswer(
  status: number,
  content: Content,
  more: Readonly<Record<string, string | number>>,
): string {
  const lines = Object.entries({ ...refusalHeaders(content), ...more }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${content.body}`;
}
