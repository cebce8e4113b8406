import { createClient } from '../data/client.ts';
import { type Fault, faultOf } from '../data/faults.ts';
import type { Session } from '../data/session.ts';
import { ViewerDocument } from '../generated/documents.ts';
import { texts } from '../texts.ts';

/** A session, or why there is none, and whether the key is of no use. */
export type Entry = { readonly session: Session } | { readonly refused: string; readonly isWrong: boolean };

function refusalBy({ kind, message }: Fault): string {
  if (kind === 'key') return texts.signIn.wrongKey;
  if (kind === 'forbidden') return texts.signIn.cannotRead;
  if (kind === 'away') return texts.signIn.noAnswer;
  return texts.faults[kind] ?? message;
}

/**
 * Checks a key.
 * @param leave called when the key is not accepted any more, or when the user signs out
 */
export async function enter(apiKey: string, leave: (why: string | null) => void): Promise<Entry> {
  // Characters that no header may have; fetch would throw.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) return { refused: texts.signIn.wrongKey, isWrong: true };
  let isIn = false;
  // Only once: requests that are still under way must not end the session of another key.
  const end = (why: string | null) => {
    if (isIn) leave(why);
    isIn = false;
  };
  const client = createClient(apiKey, ({ kind }) => {
    if (kind === 'key') end(texts.signIn.revoked);
  });
  const { data, error } = await client.query(ViewerDocument, {}).toPromise();
  if (!data) {
    const fault = error && faultOf(error);
    return { refused: fault ? refusalBy(fault) : texts.signIn.noAnswer, isWrong: fault?.kind === 'key' };
  }
  isIn = true;
  const { viewer } = data;
  const canWrite = viewer.key?.scopes.includes('WRITE') === true;
  return { session: { client, apiKey, viewer, canWrite, signOut: () => end(null) } };
}
