import DataLoader from 'dataloader';
import type { Data } from '../db/database.ts';
import type { AnyClient, ClientOf } from '../db/product.ts';
import { name, type Sql } from '../db/sql.ts';
import {
  anySql,
  type List,
  type ListRange,
  readNumbers,
  readRowsAndTotal,
  readRowsOfEach,
  type Window,
} from './list-statements.ts';
import { LongReads } from './long-reads.ts';

/** Maximum number of reads in one statement; SQLite allows 500 parts in a union. */
const options = { cache: false, maxBatchSize: 100 };

/** Maximum number of rows that one statement returns for several ranges, since it may block the thread. */
const MAX_SHARED = 2_500;

/** Skipping more rows than these is a long read. */
const MANY_SKIPPED = 1_000;

/** The ranges in parts that one statement each reads. */
function splitRanges(ranges: readonly ListRange[]): ListRange[][] {
  const parts: ListRange[][] = [];
  let free = 0;
  for (const range of ranges) {
    free -= range.window.limit;
    if (free < 0) {
      parts.push([]);
      free = MAX_SHARED - range.window.limit;
    }
    parts.at(-1)?.push(range);
  }
  return parts;
}

/** A number that the database calculates; `needsScan` if it reads many rows for it. */
interface Sum {
  readonly expression: Sql;
  readonly needsScan: boolean;
}

/**
 * Reads lists and the records of their rows, and batches reads of the same tick into one statement of each
 * kind: the lists of twenty parents cost as many statements as that of one. Nothing is cached. After the signal, no
 * statement begins.
 */
export class ListReader<Client extends ClientOf<Client> = AnyClient> {
  protected readonly db: Data<Client>;
  protected readonly signal: AbortSignal;
  readonly #accountId: number;
  readonly #numbers: DataLoader<Sum, number>;
  #longReads: LongReads<Client> | undefined;
  readonly #tables = new Map<string, DataLoader<ListRange, unknown[]>>();

  constructor(db: Data<Client>, accountId: number, signal: AbortSignal) {
    this.db = db;
    this.signal = signal;
    this.#accountId = accountId;
    this.#numbers = new DataLoader(
      (sums) =>
        this.#together(
          sums,
          ({ needsScan }) => needsScan,
          (by, some) =>
            readNumbers(
              by,
              some.map(({ expression }) => expression),
            ),
        ),
      options,
    );
  }

  /** Its long reads, which most requests do not need. */
  protected get long(): LongReads<Client> {
    this.#longReads ??= new LongReads(this.db, this.#accountId, this.signal);
    return this.#longReads;
  }

  /** The results of `read`, from the client that it is given. Those that scan are long reads, in this process one for each item. */
  async #together<Item, Result>(
    items: readonly Item[],
    needsScan: (item: Item) => boolean,
    read: (db: Data<Client>, items: readonly Item[]) => Promise<Result[]>,
  ): Promise<Result[]> {
    const long = items.filter(needsScan);
    const others = items.filter((item) => !needsScan(item));
    const results = new Map<Item, Result>();
    const keep = (some: readonly Item[], found: readonly Result[]) => {
      for (const [index, item] of some.entries()) results.set(item, found[index] as Result); // There is one for each.
    };
    this.signal.throwIfAborted();
    if (others.length > 0) keep(others, await read(this.db, others));
    const parts = this.db.dialect.runsInProcess ? long.map((item) => [item]) : [long];
    for (const part of parts) if (part.length > 0) keep(part, await this.long.take((db) => read(db, part)));
    return items.map((item) => results.get(item) as Result);
  }

  async #rowsOfEach(db: Data<Client>, ranges: readonly ListRange[]): Promise<unknown[][]> {
    const rows: unknown[][] = [];
    for (const part of splitRanges(ranges)) {
      this.signal.throwIfAborted();
      rows.push(...(await readRowsOfEach<unknown>(db, part)));
    }
    return rows;
  }

  /** The rows of the window, in the list's order. `Row` is the model of the list's table. */
  async rows<Row>(list: List, window: Window): Promise<Row[]> {
    const kind = `${list.table} ${list.columnsKey}`;
    const table =
      this.#tables.get(kind) ??
      new DataLoader(
        (ranges: readonly ListRange[]) =>
          this.#together(
            ranges,
            (range) => range.list.needsScan === true,
            (by, some) => this.#rowsOfEach(by, some),
          ),
        options,
      );
    this.#tables.set(kind, table);
    return (await table.load({ list, window })) as Row[]; // The caller says what the table holds.
  }

  /** The rows of the window and the list's total, in one statement and so of one snapshot. */
  async page<Row extends { id: number }>(
    list: List,
    window: Window,
    total: Sql,
  ): Promise<{ rows: Row[]; total: number }> {
    this.signal.throwIfAborted();
    const read = (db: Data<Client>) => readRowsAndTotal<Row>(db, list, window, total);
    return list.needsScan || (window.offset ?? 0) > MANY_SKIPPED ? this.long.take(read) : read(this.db);
  }

  contains(column: string, text: string): Sql {
    return this.db.dialect.contains(name(column), text);
  }

  async any(list: List, window: Omit<Window, 'limit'>): Promise<boolean> {
    return (await this.number(anySql(list, window), list.needsScan)) > 0;
  }

  /** @param needsScan whether the database reads many rows for it */
  number(expression: Sql, needsScan = false): Promise<number> {
    return this.#numbers.load({ expression, needsScan });
  }
}
