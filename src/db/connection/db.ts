import type { Prisma, PrismaClient } from '../../generated/sqlite/client.ts';
import type { Reads } from './raw-source.ts';

/** The client type of the program; the PostgreSQL client accepts every call that this one accepts. */
export type Db = PrismaClient;
export type Tx = Prisma.TransactionClient;

/** Called with a SQL statement as Prisma sent it, and its duration. */
export type StatementListener = (sql: string, seconds: number) => void;

/** What belongs to a client or a transaction, beside what Prisma shows of it. */
export interface Handle {
  readonly source: Reads;
  readonly onStatement: StatementListener | undefined;
  /** Of a transaction: what to call after its commit. */
  readonly afterCommit?: (() => void)[];
  /** Of a client whose transactions are parts of one around them: the client itself, and how to run one of them. */
  readonly enclosing?: { readonly client: Db; nested<T>(work: (tx: Tx) => Promise<T>): Promise<T> };
}

/** Clients are proxies, so they can neither be subclasses nor have fields of their own. */
const handles = new WeakMap<object, Handle>();

export function setHandle(client: Db | Tx, handle: Handle): void {
  handles.set(client, handle);
}

export function handleOf(client: object): Handle {
  const handle = handles.get(client);
  if (handle === undefined) throw new Error('the client was not opened by openDatabase');
  return handle;
}
