import type { IncomingMessage, ServerResponse } from 'node:http';
import { ListReader } from '../db/reading/list-reader.ts';
import { type Answer, KeyedWrite } from '../domain/idempotent-write.ts';
import type { Context } from '../schema/server/context.ts';

/** The keyed write of a request with an Idempotency-Key; null without that header. */
export function keyedWriteOf(req: IncomingMessage, { db, actor, now }: Context): KeyedWrite | null {
  const key = req.headers['idempotency-key'];
  return key === undefined ? null : new KeyedWrite(db, actor.accountId, String(key), now());
}

/** The same context, with reads and changes in the keyed write's transaction. */
export function contextIn(context: Context, keyed: KeyedWrite): Context {
  // Replicas cannot have the changes before the commit.
  const wrote = async (): Promise<void> => {};
  const { actor, signal } = context;
  return { ...context, db: keyed.db, lists: new ListReader(keyed.db, actor.accountId, signal), wrote, keyed };
}

/** Sends the stored answer to the first request with this key. */
export function replay(res: ServerResponse, { status, contentType, body }: Answer): void {
  const headers = { 'Content-Type': contentType, 'Idempotency-Replayed': 'true' };
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
}
