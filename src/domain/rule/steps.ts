/** The end of a budget of steps. */
export class OutOfSteps extends Error {}

/** A number of steps to take. They are counted, not timed, so that a result never depends on the machine. */
export class StepBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** @throws OutOfSteps */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new OutOfSteps('no steps are left');
  }
}
