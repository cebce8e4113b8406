/** A link as the screen shows it. */
export interface Row {
  readonly nodeId: string;
  readonly id: string;
  readonly title: string | null;
  readonly shortUrl: string;
  readonly updatedAt: string;
}

/** What to show beside a form: messages by the field that they are about, or one about all of it. */
export type Failure = { readonly message: string; readonly fields: Readonly<Record<string, string>> } | null;

/** A list of links by pages, where links are made, renamed and deleted. */
export interface Screen {
  /** The rows as they are shown just now. */
  rows(): Row[];
  /** The names of the spaces, which are read beside them. */
  spaces(): string[];
  hasMore(): boolean;
  loadMore(): Promise<void>;
  create(url: string, title: string): Promise<Failure>;
  /** Shows the new title at once, and the old one again where the server refuses it. */
  rename(row: Row, title: string): Promise<Failure>;
  remove(row: Row): Promise<Failure>;
}

export interface Options {
  /** `https://s.example/graphql`. */
  readonly url: string;
  readonly key: string;
  readonly pageSize: number;
  readonly fetch: typeof fetch;
}

/** The errors of a mutation's result, as the schema has them. */
export interface ErrorResult {
  readonly message: string;
  readonly fields?: readonly { readonly path: readonly string[]; readonly messages: readonly string[] }[];
}

/** What a form shows of an error. */
export function failureOf({ message, fields = [] }: ErrorResult): Failure {
  return {
    message,
    fields: Object.fromEntries(fields.map(({ path, messages }) => [path.join('.'), messages.join(', ')])),
  };
}
