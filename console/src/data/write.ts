import type { AnyVariables, Client, TypedDocumentNode } from 'urql';
import { away } from './away.ts';
import { accountHeaders } from './client.ts';
import { Fault, toFault } from './faults.ts';
import { askToSignIn } from './sign-in-again.ts';

/** The number of times a write is sent before its failure is shown. */
const MAX_ATTEMPTS = 4;
/** The longest wait for another attempt, in seconds. */
const MAX_WAIT = 10;

/** The keys of writes without an answer yet, by their contents: another attempt uses the same key. */
const intents = new Map<string, string>();

/** A random name. Over plain HTTP, browsers have no `crypto.randomUUID`. */
export function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

export const wait = (seconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** A write that may take minutes: it is awaited until this is aborted. */
export interface LongWrite {
  readonly until: AbortSignal;
}

/** A request without an answer is not given up after a while, unlike those of the client. */
const patiently =
  (until: AbortSignal): typeof fetch =>
  (to, { signal, ...init } = {}) =>
    fetch(to, { ...init, signal: AbortSignal.any([until, ...(signal ? [signal] : [])]) });

/** The answer of a write. */
export interface Written<Data> {
  readonly data: Data;
  /** The ids of its changes in the log, in order; none from a service of an earlier version. */
  readonly changeIds: readonly string[];
}

interface Writer {
  readonly client: Client;
  readonly accountId: string;
}

/** Sends a mutation like `writeLogged`, and returns its data alone. */
export async function write<Data, Variables extends AnyVariables>(
  writer: Writer,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  long?: LongWrite,
): Promise<Data> {
  return (await writeLogged(writer, document, variables, long)).data;
}

/**
 * Sends a mutation, again if no answer comes; it is done once, whatever happens.
 * @param long if it may take minutes
 * @throws Fault if there is no result
 */
export async function writeLogged<Data, Variables extends AnyVariables>(
  { client, accountId }: Writer,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  long?: LongWrite,
): Promise<Written<Data>> {
  const intent = JSON.stringify([accountId, operationName(document), variables]);
  for (let attempt = 1; ; attempt++) {
    const key = intents.get(intent) ?? randomName();
    intents.set(intent, key);
    const fetchOptions = { headers: { ...accountHeaders(accountId), 'Idempotency-Key': key } };
    const context = { fetchOptions, ...(long && { fetch: patiently(long.until) }) };
    const { data, error, extensions } = await client.mutation(document, variables, context).toPromise();
    if (error === undefined && data !== undefined) {
      intents.delete(intent);
      const changes: unknown = extensions?.changes;
      return { data, changeIds: Array.isArray(changes) ? changes.map(String) : [] };
    }
    const fault = error ? toFault(error) : new Fault('away', '');
    if (fault.kind !== 'away' && fault.kind !== 'busy' && fault.kind !== 'limited') intents.delete(intent);
    if (fault.kind === 'stale' && (await askToSignIn())) continue;
    // A proxy may have given up while the service works on.
    if (fault.code === 'IDEMPOTENCY_RUNNING' && long && !long.until.aborted) {
      attempt--;
      await wait(1);
      continue;
    }
    const seconds = fault.retryAfter === null ? null : Math.max(fault.retryAfter, attempt / 2);
    // The page shows an outage already: the write fails at once.
    const isKnown = fault.kind === 'away' && away.get();
    if (attempt === MAX_ATTEMPTS || isKnown || seconds === null || seconds > MAX_WAIT) throw fault;
    await wait(seconds);
  }
}

function operationName({ definitions }: Pick<TypedDocumentNode, 'definitions'>): string {
  const [operation] = definitions;
  return operation?.kind === 'OperationDefinition' ? (operation.name?.value ?? '') : '';
}
