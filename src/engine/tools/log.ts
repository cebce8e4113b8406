import { type DestinationStream, type Logger, pino } from 'pino';
import { isUnavailable, listCauses } from '../db/errors.ts';
import { DomainError, visibleError } from '../rules/errors.ts';
import { ClientGone } from './client-gone.ts';
import { oneLine } from './one-line.ts';
import { OperatorError } from './operator-error.ts';
import { printable } from './printable.ts';
import { RepeatedFault } from './repeated-fault.ts';
import { TIMED_OUT, withTimeout } from './timeout.ts';
import { tracer } from './tracing.ts';

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
  /** True if other processes write to the same output. */
  readonly shared: boolean;
  /** True if lines have the id of their trace. */
  readonly isTraced: boolean;
}

/** Why a known outage occurred, and no more: the stack and Prisma's call tell nothing of it. */
export const serializers = {
  err(error: unknown) {
    if (!(error instanceof Error) || !(isUnavailable(error) || error instanceof OperatorError))
      return pino.stdSerializers.err(error as Error);
    const codes = listCauses(error).flatMap(
      ({ kind, code, originalCode }) => originalCode ?? code ?? kind ?? [],
    );
    return { code: codes.at(-1), message: oneLine(error) };
  },
};

type Destination = ReturnType<typeof pino.destination>;

/**
 * Opens a destination that gets each line as bytes. Given texts, it would measure all waiting ones again for each line. Texts of
 * requests could control a terminal, so lines there are the same JSON in other characters.
 */
export function openDestination(options: Parameters<typeof pino.destination>[0] & object): Destination {
  const destination = pino.destination({ ...options, contentMode: 'buffer' });
  const { write } = destination;
  const shown = process.stdout.isTTY ? printable : (line: string) => line;
  return Object.assign(destination, {
    write: (line: string): boolean => Reflect.apply(write, destination, [Buffer.from(shown(line))]),
  });
}

function loggerTo(destination: DestinationStream, { level, worker, isTraced }: LogOptions): Logger {
  const base = worker === undefined ? null : { worker };
  const mixin = isTraced ? () => ({ trace_id: tracer?.traceId() }) : undefined;
  return pino({ level, base, serializers, timestamp: timeOfLines(), ...(mixin && { mixin }) }, destination);
}

/** The log of a start. Each line is written synchronously, since a migration on SQLite blocks the thread. */
export function createStartLog(options: LogOptions): Logger {
  return loggerTo(openDestination({ sync: true }), options);
}

/** The log on standard output: a JSON object per line. */
export function createLog(options: LogOptions): Logger {
  // Lines are written in batches, within a tenth of a second or at the end: a write for each line would take a quarter of
  // a redirect's time, and would block on a slow reader.
  const together = { sync: false, maxLength: 16_000_000, periodicFlush: 100 };
  const size = options.shared
    ? { minLength: WHOLE_WRITE / 2, maxWrite: WHOLE_WRITE }
    : { minLength: 49_152, maxWrite: 65_536 };
  return loggerTo(openDestination({ ...together, ...size }), options);
}

/** Milliseconds for which the end of the process waits for the log to be written. */
const FLUSH_TIMEOUT = 1_000;

const flush = (log: Logger) => new Promise<void>((resolve) => log.flush(() => resolve()));

async function writeAll(log: Logger): Promise<void> {
  // pino's flush ends with the write that is under way, and leaves less than a batch of what came after it.
  await flush(log);
  await flush(log);
  await flush(log);
}

/**
 * Writes the log, and ends the process. pino's own hook would write the rest while the process exits, and never end if nobody
 * reads; nor would Node if a write hangs: then the process kills itself.
 */
export async function exit(code: number, log: Logger): Promise<never> {
  if ((await withTimeout(FLUSH_TIMEOUT, writeAll(log))) === TIMED_OUT) process.kill(process.pid, 'SIGKILL');
  return process.exit(code);
}

/** After how long without a failed request the database counts as available again, for the log, in milliseconds. */
const FAULT_ENDS_AFTER = 60_000;

const faults = new WeakMap<Logger, RepeatedFault>();

/** Logs why a request failed: the database is not available, or there is an error in the program. */
export function logFault(log: Logger, requestId: string, error: unknown): void {
  // The service refuses it on purpose, for example since it stops or since a subscriber is too slow.
  if (error instanceof ClientGone || error instanceof DomainError) return;
  tracer?.note({ 'error.type': error instanceof Error ? error.name : 'unknown' });
  if (visibleError(error)?.code !== 'UNAVAILABLE') {
    log.error({ requestId, err: error }, 'unexpected error');
    return;
  }
  const fault = faults.get(log) ?? new RepeatedFault(log, 'database not available', FAULT_ENDS_AFTER);
  faults.set(log, fault);
  fault.occurred(error, () => ({ requestId }));
}
