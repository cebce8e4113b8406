import { LRUCache } from 'lru-cache';
import pg from 'pg';

/** A statement with its values, for any connection. */
export interface Query {
  /** The name under which the server keeps it prepared, or an empty text. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The columns' names, and the rows with a value for each. */
export interface Answer {
  readonly names: readonly string[];
  readonly rows: readonly unknown[][];
}

/** An error of the server has a code of five characters. */
export type Failure = Error & { readonly code?: string };

/**
 * The server's errors for a prepared statement that it does not have, such as after its first use in the same turn failed, and
 * for one whose columns have other types now. It was not executed.
 */
const STALE = new Set(['26000', '0A000']);

/** Whether the connection's prepared statements are not those that the driver knows. */
export function isStale({ code }: Failure): boolean {
  return STALE.has(code ?? '');
}

export type Done = (error: Failure | null | undefined, answer: Answer) => void;

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The columns of a statement's rows. */
interface Columns {
  readonly names: readonly string[];
  readonly types: readonly number[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

/** A connection as `pg`'s queries see it. */
interface Connection {
  describe(portal: object): void;
}

/** What a connection has told of its prepared statements. */
interface Known {
  readonly columns: Map<string, Columns>;
  /** The same connection, which does not ask for a description. */
  readonly quiet: Connection;
}

const known = new WeakMap<Connection, Known>();

function knownOf(connection: Connection): Known {
  let found = known.get(connection);
  if (found === undefined) {
    found = { columns: new Map(), quiet: Object.create(connection, { describe: { value: () => {} } }) };
    known.set(connection, found);
  }
  return found;
}

const momentOf = (text: string) => new Date(`${text.replace(' ', 'T')}Z`);

/** How values are read, by the ids of PostgreSQL's types: boolean, whole numbers, numeric, timestamp. Others stay texts. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: Number,
  21: Number,
  23: Number,
  26: Number,
  1700: Number,
  1114: momentOf,
};
const asText = (text: string) => text;

/** The columns by text, which all connections share: each would keep its own. */
const shared = new LRUCache<string, Columns>({ max: 500 });

function columnsOf(text: string, fields: readonly Field[]): Columns {
  const before = shared.get(text);
  const isSame = ({ name, dataTypeID }: Field, column: number) =>
    name === before?.names[column] && dataTypeID === before.types[column];
  if (before?.names.length === fields.length && fields.every(isSame)) return before;
  const columns = {
    names: fields.map(({ name }) => name),
    types: fields.map(({ dataTypeID }) => dataTypeID),
    parsers: fields.map(({ dataTypeID }) => parsers[dataTypeID] ?? asText),
  };
  shared.set(text, columns);
  return columns;
}

/** The part of `pg.Query` that is used: its types lack the fields, and have a property in the place of the method. */
interface PgQuery {
  readonly text: string;
  name: string;
  values: readonly unknown[];
  callback: Done | undefined;
  submit(connection: Connection): Error | null;
}
const PgQuery = pg.Query as unknown as new (text: string) => PgQuery;

/**
 * One execution of a statement. `pg` itself has the server describe the columns each time, and builds an object of them. A
 * prepared statement keeps its columns for as long as its connection lives: if their types change, the server refuses it.
 */
export class Statement extends PgQuery {
  readonly query_timeout: number;
  readonly #rows: unknown[][] = [];
  #known: Map<string, Columns> | undefined;
  #columns: Columns = { names: [], types: [], parsers: [] };

  /** @param timeout in milliseconds, 0 for the connection's */
  constructor({ name, text, values }: Query, timeout = 0) {
    super(text);
    this.name = name;
    this.values = values;
    this.query_timeout = timeout;
  }

  override submit(connection: Connection): Error | null {
    const { columns, quiet } = knownOf(connection);
    const described = columns.get(this.name);
    if (described === undefined) {
      if (this.name !== '') this.#known = columns;
      return super.submit(connection);
    }
    this.#columns = described;
    return super.submit(quiet);
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#columns = columnsOf(this.text, fields);
    this.#known?.set(this.name, this.#columns);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const { parsers } = this.#columns;
    this.#rows.push(fields.map((text, column) => (text === null ? null : parsers[column]?.(text))));
  }

  /** `pg`'s own would parse a summary, which nothing needs. */
  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback?.(null, { names: this.#columns.names, rows: this.#rows });
  }

  handleError(error: Failure): void {
    this.callback?.(error, { names: [], rows: [] });
  }
}
