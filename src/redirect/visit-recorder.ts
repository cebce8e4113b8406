import type { Visit } from '../domain/visit/visit.ts';

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
