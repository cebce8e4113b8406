import type { Response } from 'express';
import type { Answer } from './answer.ts';

/** The body and the headers of an answer. */
export function contentOf({ body, headers, content }: Answer) {
  const { type, data } = content ?? {
    type: 'application/json; charset=utf-8',
    data: JSON.stringify(body),
  };
  const ofContent = { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(data)) };
  return { contentType: type, data, headers: { ...ofContent, ...headers } };
}

export function send(res: Response, answer: Answer): void {
  const { data, headers } = contentOf(answer);
  res.writeHead(answer.status, headers);
  res.end(data);
}
