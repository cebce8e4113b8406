import type { ChangeFeed } from './change-feed.ts';
import type { Changes, ChangesOptions } from './changes.ts';
import { ConflictError, LinkspaceError, SecretLost } from './errors.ts';
import type { ChangeFilter } from './generated/changes.ts';
import { type Methods, methods, type TryMethods } from './generated/documents.ts';
import { createList, pick } from './list.ts';
import type { Method, WriteOptions } from './methods.ts';
import { type Answer, type ClientOptions, Sender } from './send.ts';
import { readDocument, type SavedDocument, type TypedDocument } from './typed-document.ts';

export interface RequestOptions extends WriteOptions {
  /** The operation to execute, in a document with several. */
  readonly operationName?: string | undefined;
}

/** A client of one account. Its methods are the documents, and may be taken off it. */
export interface Client extends Methods {
  /** Writes whose refusals are results, too: each returns the union of the schema. */
  readonly try: TryMethods;
  /**
   * Executes a document of your own, or a saved operation. A mutation has an Idempotency-Key only if the options name one.
   * @returns the data
   * @throws LinkspaceError also if a part of the data is missing
   */
  request<Data = unknown, Variables extends object = Record<string, unknown>>(
    document: TypedDocument<Data, Variables> | SavedDocument<Data, Variables>,
    variables?: Variables,
    options?: RequestOptions,
  ): Promise<Data>;
  /**
   * The account's changes from now on, or after a known one: each once and in order, across restarts and lost connections. A
   * value with `reset: true` comes in place of changes that the service no longer has: read again what you show.
   */
  changes<Selected = unknown>(filter?: ChangeFilter | null, options?: ChangesOptions): Changes<Selected>;
  /** Ends all calls and all iterations over changes. Further calls are refused. */
  close(): void;
}

/** The text that the service puts in the place of a secret when it repeats an answer. */
const SHOWN_ONCE = '[shown once]';

function containsShownOnce(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === SHOWN_ONCE;
  return Object.values(value).some(containsShownOnce);
}

/** A random name. Over plain HTTP, browsers have no `crypto.randomUUID`. */
function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function keyFor(given: string | boolean | undefined, byDefault: boolean): string | null {
  const key = given ?? byDefault;
  return key === true ? randomName() : key === false ? null : key;
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly fields?: LinkspaceError['fields'];
  readonly current?: ConflictError['current'];
}

/** Only refusals have both fields. Types of refusals may be added to the schema. */
const isRefusal = (result: unknown): result is Refusal =>
  typeof result === 'object' &&
  result !== null &&
  'code' in result &&
  'message' in result &&
  typeof result.message === 'string';

function refusalError({ code, message, fields, current }: Refusal, requestId: string | null): LinkspaceError {
  const details = { code, requestId, ...(fields && { fields }) };
  return current ? new ConflictError(message, details, current) : new LinkspaceError(message, details);
}

/** Sends mutations and queries of one service with one key, or with the session of a page of the service. */
export function createClient(options: ClientOptions): Client {
  const sender = new Sender(options);

  const run = async (
    { kind, text, path }: Method,
    variables: object,
    { signal, idempotencyKey }: WriteOptions,
  ): Promise<{ result: unknown; answer: Answer }> => {
    const isWrite = kind !== 'read';
    const key = isWrite ? keyFor(idempotencyKey, kind === 'keyed') : null;
    const answer = await sender.send({ query: text, variables }, { isWrite, key, signal });
    const result = pick(answer.data, path);
    if (kind === 'secret' && answer.isReplayed && containsShownOnce(result))
      throw new SecretLost(answer.requestId, result);
    return { result, answer };
  };

  const methodFor =
    (method: Method, throws: boolean) =>
    (...given: (object | undefined)[]): unknown => {
      const { kind, variables: names } = method;
      const [name = ''] = names;
      const [variables = {}, callOptions = {}] =
        names.length === 0 ? [{}, given[0]] : names.length === 1 ? [{ [name]: given[0] }, given[1]] : given;
      if (kind === 'list') return createList(sender, method, variables, callOptions);
      return run(method, variables, callOptions).then(({ result, answer }) => {
        if (throws && kind !== 'read' && isRefusal(result)) throw refusalError(result, answer.requestId);
        return result;
      });
    };
  const all = Object.entries<Method>(methods);
  const methodsOf = (throws: boolean) =>
    Object.fromEntries(all.map(([name, method]) => [name, methodFor(method, throws)]));

  let loading: Promise<ChangeFeed> | null = null;
  const loadFeed = (): Promise<ChangeFeed> => {
    loading ??= import('./change-feed.ts').then(
      ({ ChangeFeed }) => new ChangeFeed(sender),
      (error: unknown) => {
        // A page may get the file the next time.
        loading = null;
        throw error;
      },
    );
    return loading;
  };
  const client = {
    ...methodsOf(true),
    try: methodsOf(false),
    close: () => sender.close(),

    changes(filter: ChangeFilter | null = null, options: ChangesOptions = {}): Changes {
      let following: Promise<Changes> | null = null;
      const follow = (): Promise<Changes> => {
        following ??= loadFeed().then((feed) => feed.follow(filter, options));
        return following;
      };
      return {
        position: async () => (await follow()).position(),
        next: async () => (await follow()).next(),
        return: async () => (await follow()).return?.() ?? { done: true, value: undefined },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
    },

    async request(
      document: TypedDocument<unknown, object> | SavedDocument<unknown, object>,
      variables: object = {},
      { signal, idempotencyKey, operationName }: RequestOptions = {},
    ): Promise<unknown> {
      const { sent, isMutation } = await readDocument(document);
      const key = isMutation ? keyFor(idempotencyKey, false) : null;
      const sending = { isWrite: isMutation, key, signal };
      const answer = await sender.send({ ...sent, variables, operationName }, sending);
      if (answer.isReplayed && containsShownOnce(answer.data))
        throw new SecretLost(answer.requestId, answer.data);
      return answer.data;
    },
  };
  // The generator writes the table and the types of the methods from the same documents.
  return client as unknown as Client;
}
