import type { Visitor } from '../domain/visit/visitor.ts';
import type { FoundLink } from './link-cache.ts';

/** A visit that reached the destination, or that of a program that would have. */
export interface Visit {
  readonly link: FoundLink;
  readonly at: Date;
  readonly visitor: Visitor;
  /** The visitor's address; empty if unknown. */
  readonly address: string;
  /** The header Referer. */
  readonly referrer: string;
  /** The destination without the query of the visit; null if it was not revealed to a program. */
  readonly destination: string | null;
  /**
   * For a click that is already in the database, as for links with a click limit: how often the statistics had been reset
   * then; else null.
   */
  readonly claimed: number | null;
}

/** Called for visits after their answer is sent. */
export type VisitSink = (visit: Visit) => void;

/** Passes each visit to all sinks. */
export class VisitRecorder {
  readonly #sinks: readonly VisitSink[];

  constructor(sinks: readonly VisitSink[]) {
    this.#sinks = sinks;
  }

  record(visit: Visit): void {
    for (const sink of this.#sinks) sink(visit);
  }
}
