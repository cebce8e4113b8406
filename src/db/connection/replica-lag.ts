/** How many positions are remembered; beyond that, every second one is left out, so that the latest stay close to each other. */
const MAX_POSITIONS = 1_000;

/**
 * How far replicas are behind, by the positions that the primary had in the past. An idle primary has no new ones, so a replica
 * that has replayed everything is not behind, however long ago that was.
 */
export class WrittenPositions {
  /** Positions and when they were first seen, the oldest first. */
  #seen: { readonly position: bigint; readonly at: number }[] = [];

  /** Notes the primary's position. @param at milliseconds by a monotonic clock */
  note(position: bigint, at: number): void {
    if (position <= (this.#seen.at(-1)?.position ?? -1n)) return;
    this.#seen.push({ position, at });
    if (this.#seen.length > MAX_POSITIONS) this.#seen = this.#seen.filter((_, index) => index % 2 === 0);
  }

  /** For how many milliseconds something has been written that a replica at this position lacks. */
  lagOf(replayed: bigint, now: number): number {
    const missing = this.#seen.find(({ position }) => position > replayed);
    return missing === undefined ? 0 : now - missing.at;
  }

  /** Forgets what all replicas have replayed; the last position stays. */
  forget(replayed: bigint): void {
    const first = this.#seen.findIndex(({ position }) => position > replayed);
    this.#seen = first < 0 ? this.#seen.slice(-1) : this.#seen.slice(first);
  }
}
