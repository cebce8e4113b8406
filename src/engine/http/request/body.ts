import type { IncomingMessage, ServerResponse } from 'node:http';
import { TIMED_OUT, withTimeout } from '../../tools/timeout.ts';

/**
 * The body of a request; null if it is too large, or does not arrive in time. Then the connection is closed after the answer.
 * @param max in bytes
 * @param timeout in milliseconds
 */
export async function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  max: number,
  timeout: number,
): Promise<Buffer | null> {
  const body = await withTimeout(timeout, receive(req, max));
  if (body !== TIMED_OUT && body !== null) return body;
  res.setHeader('Connection', 'close');
  return null;
}

async function receive(req: IncomingMessage, max: number): Promise<Buffer | null> {
  if (Number(req.headers['content-length']) > max) return null;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > max) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
