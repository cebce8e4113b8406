import DataLoader from 'dataloader';
import type { Db } from '../connection/client.ts';
import {
  type Counts,
  type Days,
  type Point,
  readPoints,
  readTotals,
  readValues,
  type Scope,
  type ValueRow,
  type ValuesAsked,
} from './read.ts';

/** How many owners one statement serves at most; a space reads all of its links. */
const TOGETHER: Record<Scope, number> = { link: 100, space: 20, account: 100 };

const NOTHING: Counts = { clicks: 0, described: 0, visitors: 0, bots: 0 };

function byId<Row extends { id: number }>(rows: readonly Row[], ids: readonly number[]): Row[][] {
  const found = new Map(ids.map((id): [number, Row[]] => [id, []]));
  for (const row of rows) found.get(row.id)?.push(row);
  return ids.map((id) => found.get(id) ?? []);
}

/**
 * Reads statistics, and batches equal queries for several owners in the same tick into one statement: a list of a hundred
 * links with their statistics costs as many statements as one link. Nothing is cached.
 */
export class StatisticsReader {
  readonly #db: Db;
  /** By query. */
  readonly #loaders = new Map<string, DataLoader<number, unknown>>();

  constructor(db: Db) {
    this.#db = db;
  }

  totals(scope: Scope, days: Days, id: number): Promise<Counts> {
    return this.#load(['totals', scope, days], id, scope, async (ids) => {
      const rows = await readTotals(this.#db, scope, days, ids);
      return byId(rows, ids).map(([row = NOTHING]) => row);
    });
  }

  /** The hours, days or months that have counts. */
  points(scope: Scope, interval: 'HOUR' | 'DAY' | 'MONTH', days: Days, id: number): Promise<Point[]> {
    return this.#load(['points', scope, interval, days], id, scope, async (ids) =>
      byId(await readPoints(this.#db, scope, interval, days, ids), ids),
    );
  }

  values(scope: Scope, days: Days, asked: ValuesAsked, id: number, all: number): Promise<ValueRow[]> {
    const known = this.#alls(JSON.stringify(['values', scope, days, asked]));
    known.set(id, all);
    return this.#load(['values', scope, days, asked], id, scope, async (ids) => {
      const owners = ids.map((one) => ({ id: one, all: known.get(one) ?? 0 }));
      return byId(await readValues(this.#db, scope, days, asked, owners), ids);
    });
  }

  readonly #known = new Map<string, Map<number, number>>();

  #alls(key: string): Map<number, number> {
    const known = this.#known.get(key) ?? new Map<number, number>();
    this.#known.set(key, known);
    return known;
  }

  #load<Result>(
    asked: readonly unknown[],
    id: number,
    scope: Scope,
    read: (ids: readonly number[]) => Promise<Result[]>,
  ): Promise<Result> {
    const key = JSON.stringify(asked);
    const options = { cache: false, maxBatchSize: TOGETHER[scope] };
    const loader =
      this.#loaders.get(key) ??
      new DataLoader<number, unknown>(async (ids) => {
        const different = [...new Set(ids)];
        const results = new Map(different.map((one, index) => [one, index]));
        const found = await read(different);
        return ids.map((one) => found[results.get(one) ?? 0]);
      }, options);
    this.#loaders.set(key, loader);
    return loader.load(id) as Promise<Result>; // The key of a loader determines the type of its results.
  }
}
