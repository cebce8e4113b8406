import type { Visitor } from './visitor.ts';

/** A visit that reached the destination, or that of a program that would have. */
export interface Visit {
  readonly link: { readonly id: number };
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
