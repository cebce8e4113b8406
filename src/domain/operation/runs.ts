import type { Logger } from 'pino';
import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { addRuns, type DayRuns, RUNS_KEPT, readRuns } from '../../db/operations.ts';
import { type Day, dayOf, daysAfter } from '../../db/statistics/calendar.ts';
import { integerSchema, parseInput, withDefault } from '../../engine/rules/input.ts';
import { RepeatedFault } from '../../engine/tools/repeated-fault.ts';
import { nextFlight } from '../../engine/tools/single-flight.ts';
import { dayText } from '../statistics/period.ts';

/** Milliseconds between two writes of runs. */
const WRITE_INTERVAL = 10_000;
export const DEFAULT_DAYS = 30;

/** The runs of an operation on one day. */
export interface OperationRuns {
  /** In ISO 8601. */
  readonly date: string;
  readonly runs: number;
  readonly errors: number;
}

const period = z.object({ days: withDefault(integerSchema(1, RUNS_KEPT), DEFAULT_DAYS) });

/** The first of the last days, of which today is the last. @throws DomainError VALIDATION */
export function firstDayOfRuns(days: number | null | undefined, now: Date): Day {
  const parsed = parseInput(period, { days });
  return daysAfter(dayOf(now), 1 - parsed.days);
}

/** The days on which each operation ran, oldest first, by its id; from one statement. */
export async function runsOf(
  db: Data,
  operationIds: readonly number[],
  since: Day,
): Promise<ReadonlyMap<number, readonly OperationRuns[]>> {
  const byId = new Map<number, OperationRuns[]>();
  for (const { operationId, day, runs, errors } of await readRuns(db, operationIds, since)) {
    const known = byId.get(operationId) ?? [];
    known.push({ date: dayText(day), runs, errors });
    byId.set(operationId, known);
  }
  return byId;
}

/** Counts runs of saved operations: in memory first, and every ten seconds in the database. A crash loses those of up to ten seconds. */
export class RunCounter {
  readonly #db: Data;
  readonly #now: () => Date;
  readonly #unwritable: RepeatedFault;
  #counted = new Map<string, DayRuns>();
  #timer: NodeJS.Timeout | undefined;
  /** Writes what was counted. */
  readonly write = nextFlight(() => this.#write());

  constructor(db: Data, now: () => Date, log: Logger) {
    this.#db = db;
    this.#now = now;
    this.#unwritable = new RepeatedFault(log, 'runs of saved operations cannot be written');
  }

  add(operationId: number, hasFailed: boolean): void {
    this.#add({ operationId, day: dayOf(this.#now()), runs: 1, errors: Number(hasFailed) });
  }

  #add({ operationId, day, runs, errors }: DayRuns): void {
    const key = `${operationId} ${day}`;
    const known = this.#counted.get(key);
    this.#counted.set(key, {
      ...{ operationId, day },
      runs: (known?.runs ?? 0) + runs,
      errors: (known?.errors ?? 0) + errors,
    });
  }

  async #write(): Promise<void> {
    const counted = [...this.#counted.values()];
    this.#counted = new Map();
    try {
      await addRuns(this.#db, counted);
      this.#unwritable.ended();
    } catch (error) {
      this.#unwritable.occurred(error);
      for (const one of counted) this.#add(one);
    }
  }

  start(): void {
    this.#timer = setInterval(() => void this.write(), WRITE_INTERVAL).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}
