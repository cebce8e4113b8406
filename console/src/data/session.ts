import { createContext, useContext } from 'react';
import type { Client } from 'urql';
import type { Permission, ViewerQuery } from '../generated/documents.ts';
import type { SignedIn } from './auth.ts';

/** A tab's view of the account that it shows. */
export interface Session {
  /** Sends requests for this account. */
  readonly client: Client;
  readonly accountId: string;
  readonly viewer: ViewerQuery['viewer'];
  /** All accounts of the user. */
  readonly accounts: SignedIn['accounts'];
  /** True if the user may change links, spaces, tags and pixels. */
  readonly canWrite: boolean;
  may(permission: Permission): boolean;
  signOut(): void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('not signed in');
  return session;
}
