export interface ReadOptions {
  /** Ends the call; what it throws is the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends ReadOptions {
  /**
   * The Idempotency-Key of the write. Writes of one record have a random one unless this is false; others have one if this is
   * true or a key. Send the same key to go on with a write that you do not know the result of.
   */
  readonly idempotencyKey?: string | boolean | undefined;
}

export interface Page<Item> {
  readonly nodes: readonly Item[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** A list. Iterating it reads page after page. */
export interface List<Item> extends AsyncIterable<Item> {
  /** Reads one page: `first` records (1 to 100; 20 by default), after the cursor `after`. */
  page(page?: { readonly first?: number; readonly after?: string | null }): Promise<Page<Item>>;
  /** Counts the records of the whole list. */
  totalCount(): Promise<number>;
}

/**
 * The kind of a document: a list, another query, a write of one record, which has a key; a write of several records; or one that
 * shows a secret.
 */
type Kind = 'list' | 'read' | 'keyed' | 'bulk' | 'secret';

/** A document as a method. */
export interface Method {
  readonly kind: Kind;
  readonly text: string;
  /** Of a list: the document that counts its records. */
  readonly count?: string;
  /** The variables that the caller passes: one alone, or several as an object. */
  readonly variables: readonly string[];
  /** The fields in the data that lead to the result. */
  readonly path: readonly string[];
}

/** A document of the client itself, with the types of its data and variables. */
export interface StoredDocument<Data, Variables> {
  readonly text: string;
  readonly __apiType?: (variables: Variables) => Data;
}
