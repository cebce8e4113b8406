import { DatabaseAway } from '../engine/db/errors.ts';

/** Maximum number of visits that wait for a database that does not answer; further ones are refused at once. */
const MAX_WAITING = 20;

/** Limits the visits that wait while no database answers. */
export class WaitingReads {
  readonly #databases: { readonly away: boolean };
  #waiting = 0;

  constructor(databases: { readonly away: boolean }) {
    this.#databases = databases;
  }

  /** Runs a read. @throws DatabaseAway if no database answers and too many already wait */
  async run<T>(read: () => Promise<T>): Promise<T> {
    if (this.#databases.away && this.#waiting >= MAX_WAITING)
      throw new DatabaseAway('the database does not answer');
    this.#waiting++;
    return read().finally(() => {
      this.#waiting--;
    });
  }
}
