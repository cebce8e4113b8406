import { createContext, useContext } from 'react';
import type { Client } from 'urql';
import type { ViewerQuery } from '../generated/documents.ts';

/** What a signed-in tab has. */
export interface Session {
  readonly client: Client;
  readonly apiKey: string;
  readonly viewer: ViewerQuery['viewer'];
  /** Whether the key may change anything. */
  readonly canWrite: boolean;
  signOut(): void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('not signed in');
  return session;
}
