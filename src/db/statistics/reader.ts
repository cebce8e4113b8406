import DataLoader from 'dataloader';
import { sql } from '../../engine/db/sql.ts';
import type { LongReads } from '../../engine/lists/long-reads.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import type { Client, Data } from '../database.ts';
import { countDays, type Days } from './calendar.ts';
import { type Counts, type Point, readPoints, readTotals, type TimeOf } from './read-counts.ts';
import { readTopLinks, type TopLink, type TopLinksQuery } from './read-top-links.ts';
import { readValuePoints, type ValuePoint, type ValuePointsQuery } from './read-value-points.ts';
import { type OwnerQuery, readValues, type ValueRow } from './read-values.ts';
import { isGroup, type Scope } from './scope.ts';
import { valueColumns } from './value.ts';

/** Maximum number of owners in one statement. A space or a tag reads all of its links. */
const MAX_OWNERS: Record<Scope, number> = { link: 100, space: 20, tag: 20, account: 100 };

/** Maximum number of rows of points in one statement for several owners, since it may block the thread. */
const MAX_POINTS = 20_000;

/** Reading more days of all owners than these is a long read, and so is a space or a tag, which reads all of its links. */
const MAX_SHORT_DAYS = 1_000;

/** Returns the maximum number of owners whose points one statement reads. */
function maxOwners(scope: Scope, interval: keyof TimeOf, days: Days): number {
  const rows = countDays(days) * { HOUR: 24, DAY: 1, MONTH: 1 / 28 }[interval];
  return Math.min(MAX_OWNERS[scope], Math.ceil(MAX_POINTS / rows));
}

/** A link's alias and rules. */
export type RulesOfLink = Pick<Link, 'id' | 'alias' | 'rules'>;

/** The counts of an owner without visits. */
export const NOTHING: Counts = { clicks: 0, described: 0, visitors: 0, bots: 0 };

function byId<Row extends { id: number }>(rows: readonly Row[], ids: readonly number[]): Row[][] {
  const found = Map.groupBy(rows, ({ id }) => id);
  return ids.map((id) => found.get(id) ?? []);
}

/**
 * Reads statistics, and batches equal queries for several owners in the same tick into one statement: a list of a hundred
 * links with their statistics costs as many statements as one link. Nothing is cached.
 */
export class StatisticsReader {
  readonly #db: Data;
  readonly #long: Pick<LongReads<Client>, 'take'>;
  readonly #signal: AbortSignal | undefined;
  /** By query. */
  readonly #loaders = new Map<string, DataLoader<unknown, unknown>>();

  /**
   * @param long does long reads; by default where they block nobody
   * @param signal after which no statement begins
   */
  constructor(
    db: Data,
    long: Pick<LongReads<Client>, 'take'> = { take: (read) => read(db.long) },
    signal?: AbortSignal,
  ) {
    this.#db = db;
    this.#long = long;
    this.#signal = signal;
  }

  totals(scope: Scope, days: Days, id: number): Promise<Counts> {
    return this.#load(['totals', scope, days], id, MAX_OWNERS[scope], async (ids) => {
      const rows = await this.#read(scope, days, ids.length, (db) => readTotals(db, scope, days, ids));
      return byId(rows, ids).map(([row = NOTHING]) => row);
    });
  }

  /** The hours, days or months that have counts. */
  points<Interval extends keyof TimeOf>(
    scope: Scope,
    interval: Interval,
    days: Days,
    id: number,
  ): Promise<Point<TimeOf[Interval]>[]> {
    const maxBatchSize = maxOwners(scope, interval, days);
    return this.#load(['points', scope, interval, days], id, maxBatchSize, async (ids) =>
      byId(
        await this.#read(scope, days, ids.length, (db) => readPoints(db, scope, interval, days, ids)),
        ids,
      ),
    );
  }

  /** The clicks of each day or month with one value, or with any known one. */
  valuePoints(scope: Scope, days: Days, id: number, asked: ValuePointsQuery): Promise<ValuePoint[]> {
    const max = maxOwners(scope, asked.interval, days);
    return this.#load(['valuePoints', scope, days, asked], id, max, async (ids) =>
      byId(
        await this.#read(scope, days, ids.length, (db) => readValuePoints(db, scope, days, ids, asked)),
        ids,
      ),
    );
  }

  /** The values of each dimension that is asked for come by one statement. */
  values(scope: Scope, days: Days, question: OwnerQuery): Promise<ValueRow[]> {
    return this.#load(
      ['values', scope, days],
      question,
      MAX_OWNERS[scope] * valueColumns.length,
      (questions) =>
        this.#read(scope, days, questions.length, (db) => readValues(db, scope, days, questions)),
    );
  }

  /** The rules of links, for the names in them. */
  rulesOf(ids: readonly number[]): Promise<RulesOfLink[]> {
    if (ids.length === 0) return Promise.resolve([]);
    const isOne = this.#db.dialect.isIn(sql`"id"`, 'integer', ids);
    return this.#db.read<RulesOfLink>(sql`SELECT "id", "alias", "rules" FROM "Link" WHERE ${isOne}`);
  }

  /** The links with the most clicks, those first. It may read many rows of each. */
  topLinks(scope: Exclude<Scope, 'link'>, days: Days, id: number, asked: TopLinksQuery): Promise<TopLink[]> {
    return this.#load(['topLinks', scope, days, asked], id, MAX_OWNERS[scope], async (ids) =>
      byId(await this.#long.take((db) => readTopLinks(db, scope, days, ids, asked)), ids),
    );
  }

  #read<Result>(
    scope: Scope,
    days: Days,
    owners: number,
    read: (db: Data) => Promise<Result>,
  ): Promise<Result> {
    const isLong = isGroup(scope) || owners * countDays(days) > MAX_SHORT_DAYS;
    return isLong ? this.#long.take(read) : read(this.#db);
  }

  #load<Question, Result>(
    asked: readonly unknown[],
    question: Question,
    maxBatchSize: number,
    read: (questions: readonly Question[]) => Promise<Result[]>,
  ): Promise<Result> {
    const key = JSON.stringify(asked);
    const known = this.#loaders.get(key);
    // All who ask alike give what `read` takes for the same question, and get what it gives.
    const loader =
      (known as DataLoader<Question, Result> | undefined) ??
      new DataLoader(
        async (questions: readonly Question[]) => {
          this.#signal?.throwIfAborted();
          return read(questions);
        },
        { cache: false, maxBatchSize },
      );
    if (!known) this.#loaders.set(key, loader as DataLoader<unknown, unknown>);
    return loader.load(question);
  }
}
