import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Data } from '../db/database.ts';
import { type Answer, KeyedWrite } from '../db/idempotent-write.ts';
import type { KeyCaller } from '../db/keyed-request.ts';

/** Where a request's data comes from and goes to, and whose it is. */
export interface Writing {
  readonly data: { readonly primary: Data; reader(): Data; wrote(): Promise<void> };
  keyCaller(): KeyCaller;
  now(): Date;
}

/**
 * Returns the request as a keyed write, with all reads and changes in its transaction; null without an Idempotency-Key.
 */
export function makeKeyedWrite<Request extends Writing>(
  req: IncomingMessage,
  request: Request,
): (Request & { readonly keyed: KeyedWrite }) | null {
  const key = req.headers['idempotency-key'];
  if (key === undefined) return null;
  const { data: own, keyCaller, now } = request;
  const keyed = new KeyedWrite(own.primary, keyCaller(), String(key), now());
  // Replicas cannot have the changes before the commit.
  const data = { primary: keyed.db, reader: () => keyed.db, wrote: async () => {} };
  return { ...request, data, keyed };
}

/** The answer to a write, with all of its headers. */
interface MadeAnswer extends Answer {
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers a write with a key once: with what is made of it, or with the stored answer to the first request with the key.
 * @param make begins the keyed write; null if nothing is to be stored, and the answer is sent already
 */
export async function answerOnce(
  res: ServerResponse,
  { keyed }: { readonly keyed: KeyedWrite },
  { wrote }: { wrote(): Promise<void> },
  make: () => Promise<MadeAnswer | null>,
): Promise<void> {
  try {
    const made = await make();
    if (made === null) return;
    const first = await keyed.end(made);
    if (first === null) await wrote();
    const { status, body } = first ?? made;
    const stored = { 'Content-Type': first?.contentType, 'Idempotency-Replayed': 'true' };
    res.writeHead(status, first ? { ...stored, 'Content-Length': Buffer.byteLength(body) } : made.headers);
    res.end(body);
  } finally {
    await keyed.close();
  }
}
