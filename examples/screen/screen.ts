/** A link on the screen. */
export interface Row {
  readonly nodeId: string;
  readonly id: string;
  readonly title: string | null;
  readonly shortUrl: string;
  readonly updatedAt: string;
}

/** The errors to show with a form: messages by field, and one for the whole form. */
export type Failure = { readonly message: string; readonly fields: Readonly<Record<string, string>> } | null;

/** A paginated list of links, where links are created, renamed and deleted. */
export interface Screen {
  /** The rows that are shown now. */
  rows(): Row[];
  /** The names of the spaces, which are read in the same request. */
  spaces(): string[];
  hasMore(): boolean;
  loadMore(): Promise<void>;
  create(url: string, title: string): Promise<Failure>;
  /** Shows the new title at once, and the old one again if the server refuses it. */
  rename(row: Row, title: string): Promise<Failure>;
  remove(row: Row): Promise<Failure>;
  /** Shows what others do, until the returned function is called. */
  follow(): () => void;
}

export interface Options {
  /** `https://s.example/graphql`, or your own proxy. */
  readonly url: string;
  /** With the key, if there is no proxy. */
  readonly headers: Record<string, string>;
  readonly pageSize: number;
  readonly fetch: typeof fetch;
  /** The wait before another try, in milliseconds. */
  readonly pause?: (tries: number) => number;
}

/** An error type of a mutation's result. */
export interface ErrorResult {
  readonly message: string;
  readonly fields?: readonly { readonly path: readonly string[]; readonly messages: readonly string[] }[];
}

/** The error for the form. */
export function failureOf({ message, fields = [] }: ErrorResult): Failure {
  return {
    message,
    fields: Object.fromEntries(fields.map(({ path, messages }) => [path.join('.'), messages.join(', ')])),
  };
}
