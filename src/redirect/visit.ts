import type { Visitor } from '../domain/visit/visitor.ts';
import type { FoundLink } from './link-cache.ts';

/** One visitor who was led on, or a program that would have been: all that is known of it. */
export interface Visit {
  readonly link: FoundLink;
  readonly at: Date;
  readonly visitor: Visitor;
  /** The address that the visit came from; empty where it is not known. */
  readonly address: string;
  /** The header Referer. */
  readonly referrer: string;
  /** Where the visitor is led, without the query of the visit; null for a program that is not told. */
  readonly destination: string | null;
  /** Whether the click is in the database already, as that of a link that ends by clicks. */
  readonly claimed: boolean;
}

/** What takes notice of visits, once their answer is sent. */
export type VisitSink = (visit: Visit) => void;

/** Hands each visit to all that take notice of it. */
export class VisitRecorder {
  readonly #sinks: readonly VisitSink[];

  constructor(sinks: readonly VisitSink[]) {
    this.#sinks = sinks;
  }

  record(visit: Visit): void {
    for (const sink of this.#sinks) sink(visit);
  }
}
