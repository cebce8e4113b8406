import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';

interface Failure {
  message: string;
  extensions?: { code?: string };
}

/** The request failed as a whole: because of its key, its scope, a limit, or an error of the server. */
export class RequestError extends Error {
  readonly code: string | undefined;

  constructor({ message, extensions }: Failure) {
    super(message);
    this.code = extensions?.code;
  }
}

/** Runs typed operations: the compiler knows their variables and results. */
export class Client {
  readonly #endpoint: string;
  readonly #key: string;

  constructor(server: string, key: string) {
    this.#endpoint = `${server}/graphql`;
    this.#key = key;
  }

  /** @throws RequestError */
  async run<Data, Variables>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
  ): Promise<Data> {
    const response = await fetch(this.#endpoint, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.#key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: print(document), variables }),
    });
    const { data, errors } = (await response.json()) as { data: Data; errors?: Failure[] };
    const [first] = errors ?? [];
    if (first) throw new RequestError(first);
    return data;
  }
}
