import type { Response } from 'express';
import type { Answer } from './answer.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

export function send(res: Response, { status, body, headers, content }: Answer): void {
  const { type, data } = content ?? { type: JSON_TYPE, data: JSON.stringify(body) };
  res.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(data),
    ...headers,
  });
  res.end(data);
}
