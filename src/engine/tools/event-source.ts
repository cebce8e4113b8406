/** The last value of a subscription whose caller may not subscribe again; after any other end, clients should come back. */
export const OVER = 'over';
export type End = typeof OVER | undefined;

/** The events of one subscriber, who says when they have got one. */
export interface EventSource<Event> extends AsyncIterableIterator<Event, End> {
  /** Call it when the last event was given to the subscriber, whose time to take the next one begins. */
  delivered(): void;
}
