import { type Logger, pino } from 'pino';

/** How much one write to a pipe may have, in bytes, so that no other process' lines come in between (POSIX' PIPE_BUF). */
const WHOLE_WRITE = 4096;

/** The time of a log line, as JSON; the many lines of a millisecond share it. */
function timeOfLines(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const time = Date.now();
    if (time !== at) text = `,"time":"${new Date(time).toISOString()}"`;
    at = time;
    return text;
  };
}

export interface LogOptions {
  readonly level: string;
  /** Which of several workers writes it; each line says so. */
  readonly worker: number | undefined;
  /** Whether other processes write to the same place. */
  readonly shared: boolean;
}

/** The log on standard output: a JSON object a line. */
export function createLog({ level, worker, shared }: LogOptions): Logger {
  const base = worker === undefined ? null : { worker };
  // Lines are written together, within a tenth of a second or at the end: a write for each costs a redirect a quarter of
  // its time, and would wait for a reader that is slow.
  const together = { sync: false, maxLength: 16_000_000, periodicFlush: 100 };
  const size = shared ? { minLength: WHOLE_WRITE / 2, maxWrite: WHOLE_WRITE } : { minLength: 12_288 };
  return pino({ level, base, timestamp: timeOfLines() }, pino.destination({ ...together, ...size }));
}
