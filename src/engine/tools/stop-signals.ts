import type { Logger } from 'pino';

/** A further signal within this time is the same one, in milliseconds: npm passes on what a service manager sends to all processes. */
const SAME_SIGNAL = 2_000;
/** The longest time of a stop after the draining, in milliseconds. */
export const STOP_LIMIT = 15_000;

export interface StopOptions {
  readonly log: Logger;
  /** The time that it drains. */
  readonly drainSeconds: number;
  /** Announces the stop, while requests are still accepted. */
  drain(signal: string): void;
  /** Stops, and ends the process. */
  end(signal: string): Promise<void>;
}

/** The parts of a process that stops use, and its clock. */
export interface StopPorts {
  now(): number;
  /** Calls it once after that many milliseconds; returns what calls it off. */
  after(milliseconds: number, work: () => void): () => void;
  /** Ends the process at once. */
  kill(): void;
}

const program: StopPorts = {
  now: () => performance.now(),
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
  kill: () => void process.kill(process.pid, 'SIGKILL'),
};

/** Stops a process: it drains first, which a second signal ends. */
export class Stopping {
  readonly #options: StopOptions;
  readonly #ports: StopPorts;
  /** The time of the first signal. */
  #since: number | undefined;
  #endDraining = () => {};

  constructor(options: StopOptions, ports = program) {
    this.#options = options;
    this.#ports = ports;
  }

  get hasBegun(): boolean {
    return this.#since !== undefined;
  }

  /** Begins a stop, or ends its draining. @param drains false to stop at once */
  signal(signal: string, drains = true): void {
    const { now } = this.#ports;
    if (this.#since === undefined) {
      this.#since = now();
      this.#begin(signal, drains);
    } else if (!drains || now() - this.#since >= SAME_SIGNAL) this.#endDraining();
  }

  #begin(signal: string, drains: boolean): void {
    const { log, drainSeconds, drain, end } = this.#options;
    const { after, kill } = this.#ports;
    const duration = drains ? drainSeconds * 1000 : 0;
    after(duration + STOP_LIMIT, kill);
    log.info({ signal, ...(duration > 0 && { drainSeconds }) }, 'stopping');
    let callOff = () => {};
    const endDraining = () => {
      this.#endDraining = () => {};
      callOff();
      void end(signal);
    };
    if (duration === 0) endDraining();
    else {
      this.#endDraining = endDraining;
      drain(signal);
      callOff = after(duration, endDraining);
    }
  }
}

/** Calls the listener for each signal that asks the process to stop. */
export function onStopSignals(listener: (signal: string) => void): void {
  process.on('SIGTERM', listener);
  process.on('SIGINT', listener);
}
