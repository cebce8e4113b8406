import type { Logger } from 'pino';
import { RepeatedFault } from '../engine/tools/repeated-fault.ts';
import type { PendingVisits, Visit } from './pending-visits.ts';
import type { Visits } from './visit-counts.ts';

export interface QueueMetrics {
  click(): void;
  dropped(): void;
}

/**
 * The visits that nobody has begun to write. A visit is kept as it came, and added up (`pending-visits.ts`) in the next turn
 * of the event loop, or when a total is asked for. While those of too many links wait, visits of further links are dropped.
 * The log says so if a click is lost.
 */
export class VisitQueue {
  readonly #log: Logger;
  readonly #metrics: QueueMetrics | undefined;
  readonly #full: RepeatedFault;
  readonly #pending: PendingVisits;
  /** Visits that are not added up yet. */
  #fresh: Visit[] = [];

  constructor(log: Logger, metrics: QueueMetrics | undefined, pending: PendingVisits) {
    this.#log = log;
    this.#metrics = metrics;
    this.#full = new RepeatedFault(log, 'clicks are dropped, since those of too many links wait');
    this.#pending = pending;
  }

  /** Adds a visit; its properties are parsed later, since that takes longer than the answer. */
  add(visit: Visit): void {
    if (visit.visitor.counts) this.#metrics?.click();
    if (this.#fresh.push(visit) === 1) setImmediate(() => this.addUp());
  }

  /** Adds up the visits that came since the last call. */
  addUp(): void {
    const fresh = this.#fresh;
    if (fresh.length === 0) return;
    this.#fresh = [];
    for (const visit of fresh) {
      try {
        if (this.#pending.hasRoom(visit.link.id)) this.#pending.add(visit);
        else this.#drop(visit);
      } catch (error) {
        // `#pending.add` counts the click before it parses anything.
        this.#log.error({ err: error }, 'a visit was counted as a click, without statistics');
      }
    }
  }

  #drop({ visitor, alreadyCounted }: Visit): void {
    if (!visitor.counts || alreadyCounted !== null) return;
    this.#metrics?.dropped();
    this.#full.occurred(undefined, () => ({ waiting: this.#pending.links }));
  }

  /** Call it when visits were written, so that there is room again. */
  emptied(): void {
    this.#full.ended();
  }

  /** The number of links with waiting visits. Fresh visits count as one link each at most: they may be of links that wait already. */
  get links(): number {
    return Math.max(this.#pending.links, this.#fresh.length);
  }

  get isEmpty(): boolean {
    this.addUp();
    return this.#pending.links === 0;
  }

  /** The number of clicks that are not in the database. */
  get unwritten(): number {
    this.addUp();
    return this.#pending.unwritten;
  }

  /** True if clicks of a link are not in the database. */
  hasClicks(linkId: number): boolean {
    this.addUp();
    return this.#pending.countUnwritten(linkId) > 0;
  }

  /** The ids of the links with waiting visits, in ascending order. */
  listLinks(): Float64Array {
    this.addUp();
    return this.#pending.ids;
  }

  /** Removes and returns the visits of so many of these links, or of fewer once they have so many parts. */
  take(links: number, ids: ArrayIterator<number>, parts: number): Visits {
    return this.#pending.take(links, ids, parts);
  }
}
