import type { Logger } from 'pino';
import { oneLine } from '../engine/tools/one-line.ts';
import { countUnwritten, type Visits } from './visit-counts.ts';

/** For how many links lost clicks are logged in one period, and for how many the rest; and how long it is, in milliseconds. */
const MAX_LINES = 20;
const PERIOD = 60_000;

/** The numbers of what is refused: clicks, bots, values, visitors, statistics. */
type Refused = Readonly<Record<string, number>>;

export interface RefusalMetrics {
  refused(numbers: Refused): void;
}

/** Logs and counts visits that are given up, since the database refuses them. */
export class RefusedVisits {
  readonly #log: Logger;
  readonly #metrics: RefusalMetrics | undefined;
  /** The links that were named in this period, whose clicks are lost, and whose other facts are. */
  readonly #named = { clicks: new Set<number>(), others: new Set<number>() };
  #since = Number.NEGATIVE_INFINITY;

  constructor(log: Logger, metrics?: RefusalMetrics) {
    this.#log = log;
    this.#metrics = metrics;
  }

  add(visits: Visits, error: unknown): void {
    for (const [link, one] of visits) {
      const refused = { clicks: countUnwritten(one), bots: 0, values: 0, visitors: 0 };
      for (const { bots, values, visitors } of one.days.values()) {
        refused.bots += bots;
        refused.values += values.size;
        refused.visitors += visitors.size;
      }
      this.#tell(link, refused, error);
    }
  }

  /** A visit whose click was counted at once, but not in the statistics. */
  addStatistics(link: number, error: unknown): void {
    this.#tell(link, { statistics: 1 }, error);
  }

  #tell(link: number, refused: Refused, error: unknown): void {
    this.#metrics?.refused(refused);
    const now = performance.now();
    if (now - this.#since >= PERIOD) {
      this.#since = now;
      for (const one of Object.values(this.#named)) one.clear();
    }
    // A link with many refusals must not keep others from being named.
    const named = refused.clicks || refused.statistics ? this.#named.clicks : this.#named.others;
    if (named.has(link) || named.size >= MAX_LINES) return;
    named.add(link);
    this.#log.error({ link, ...refused, reason: oneLine(error) }, 'the database refuses visits of a link');
    if (named.size === MAX_LINES)
      this.#log.error('the database refuses visits of more links: for a minute, only the metrics count them');
  }
}
