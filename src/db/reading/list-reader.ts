import DataLoader from 'dataloader';
import { nameFor } from '../../shared/name-for.ts';
import type { Client, Data } from '../database.ts';
import { name, type Sql } from '../sql.ts';
import { StatisticsReader } from '../statistics/reader.ts';
import {
  anyOf,
  type List,
  type ListRange,
  readNumbers,
  readRowsAndTotal,
  readRowsOfEach,
  type Window,
} from './keyset.ts';
import { type LinkSelect, type LinkSelection, linkList } from './link-list.ts';
import { LongReads } from './long-reads.ts';
import { type LinkSearch, linksContaining, type SearchResult } from './search.ts';

/** Maximum number of reads in one statement; SQLite allows 500 parts in a union. */
const options = { cache: false, maxBatchSize: 100 };

/** Maximum number of rows that one statement returns for several ranges, since it may block the thread. */
const MAX_SHARED = 2_500;

/** Skipping more rows than these is a long read. */
const MANY_SKIPPED = 1_000;

/** The ranges in parts that one statement each reads. */
function partsOf(ranges: readonly ListRange[]): ListRange[][] {
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
 * kind: the links of each of twenty spaces cost as many statements as those of one. Nothing is cached. After the signal, no
 * statement begins.
 */
export class ListReader {
  readonly #db: Data;
  readonly #signal: AbortSignal;
  readonly #accountId: number;
  readonly #numbers: DataLoader<Sum, number>;
  readonly #searches: DataLoader<LinkSearch, SearchResult | null, string>;
  #longReads: LongReads<Client> | undefined;
  #statistics: StatisticsReader | undefined;
  readonly #tables = new Map<string, DataLoader<ListRange, unknown[]>>();

  constructor(db: Data, accountId: number, signal: AbortSignal) {
    this.#db = db;
    this.#signal = signal;
    this.#accountId = accountId;
    this.#searches = new DataLoader(
      (searches) =>
        Promise.all(searches.map((search) => this.#long.take((by) => linksContaining(by, search)))),
      { cacheKeyFn: ({ accountId, column, text }) => nameFor('search', accountId, column, text) },
    );
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

  /** Most requests need neither this nor statistics. */
  get #long(): LongReads<Client> {
    this.#longReads ??= new LongReads(this.#db, this.#accountId, this.#signal);
    return this.#longReads;
  }

  get statistics(): StatisticsReader {
    this.#statistics ??= new StatisticsReader(this.#db, this.#long, this.#signal);
    return this.#statistics;
  }

  /** The results of `read`, from the client that it is given. Those that scan are long reads, in this process one for each item. */
  async #together<Item, Result>(
    items: readonly Item[],
    needsScan: (item: Item) => boolean,
    read: (db: Data, items: readonly Item[]) => Promise<Result[]>,
  ): Promise<Result[]> {
    const long = items.filter(needsScan);
    const others = items.filter((item) => !needsScan(item));
    const results = new Map<Item, Result>();
    const keep = (some: readonly Item[], found: readonly Result[]) => {
      for (const [index, item] of some.entries()) results.set(item, found[index] as Result); // There is one for each.
    };
    this.#signal.throwIfAborted();
    if (others.length > 0) keep(others, await read(this.#db, others));
    const parts = this.#db.dialect.runsInProcess ? long.map((item) => [item]) : [long];
    for (const part of parts) if (part.length > 0) keep(part, await this.#long.take((db) => read(db, part)));
    return items.map((item) => results.get(item) as Result);
  }

  async #rowsOfEach(db: Data, ranges: readonly ListRange[]): Promise<unknown[][]> {
    const rows: unknown[][] = [];
    for (const part of partsOf(ranges)) {
      this.#signal.throwIfAborted();
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

  /** The list of these links, and an expression for their number. */
  links(selection: LinkSelection, select: LinkSelect): ReturnType<typeof linkList> {
    return linkList(selection, select, this.#db.dialect);
  }

  /** The rows of the window and the list's total, in one statement and so of one snapshot. */
  async page<Row extends { id: number }>(
    list: List,
    window: Window,
    total: Sql,
  ): Promise<{ rows: Row[]; total: number }> {
    this.#signal.throwIfAborted();
    const read = (db: Data) => readRowsAndTotal<Row>(db, list, window, total);
    return list.needsScan || (window.offset ?? 0) > MANY_SKIPPED ? this.#long.take(read) : read(this.#db);
  }

  contains(column: string, text: string): Sql {
    return this.#db.dialect.contains(name(column), text);
  }

  /** The condition for links of the account that the search finds; null if it cannot find all of them yet. */
  async linksContaining(search: LinkSearch): Promise<SearchResult | null> {
    try {
      return await this.#searches.load(search);
    } finally {
      this.#searches.clear(search); // The lists of twenty spaces share one statement in a tick; later ones read again.
    }
  }

  async any(list: List, window: Omit<Window, 'limit'>): Promise<boolean> {
    return (await this.number(anyOf(list, window), list.needsScan)) > 0;
  }

  /** @param needsScan whether the database reads many rows for it */
  number(expression: Sql, needsScan = false): Promise<number> {
    return this.#numbers.load({ expression, needsScan });
  }
}
