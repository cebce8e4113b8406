import { type Logger, pino } from 'pino';
import { visibleError } from './domain/errors.ts';
import { ClientGone } from './shared/client-gone.ts';

/** The largest atomic write to a pipe, in bytes, so that the lines of processes are not mixed (POSIX's PIPE_BUF). */
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
  /** The number of the worker, for its lines. */
  readonly worker: number | undefined;
  /** Whether other processes write to the same output. */
  readonly shared: boolean;
}

/** The log on standard output: a JSON object per line. */
export function createLog({ level, worker, shared }: LogOptions): Logger {
  const base = worker === undefined ? null : { worker };
  // Lines are written in batches, within a tenth of a second or at the end: a write for each line would take a quarter of
  // a redirect's time, and would block on a slow reader.
  const together = { sync: false, maxLength: 16_000_000, periodicFlush: 100 };
  const size = shared ? { minLength: WHOLE_WRITE / 2, maxWrite: WHOLE_WRITE } : { minLength: 12_288 };
  return pino({ level, base, timestamp: timeOfLines() }, pino.destination({ ...together, ...size }));
}

/** Logs why a request failed: the database is not available, or there is an error in the program. */
export function logFault(log: Logger, requestId: string, error: unknown): void {
  if (error instanceof ClientGone) return;
  const what = { requestId, err: error };
  if (visibleError(error)?.code === 'UNAVAILABLE') log.warn(what, 'database not available');
  else log.error(what, 'unexpected error');
}
