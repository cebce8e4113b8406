import type { Logger } from 'pino';
import { exit } from '../log.ts';

/** After how long a stop that hangs is ended, in milliseconds. */
const LAST_DEADLINE = 30_000;

/**
 * Ends the process by SIGTERM or SIGINT, or when the returned function is called.
 * @param work what must end first
 */
export function stopOnSignal(log: Logger, work: () => Promise<void>): (reason: string) => Promise<void> {
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_DEADLINE).unref();
    log.info({ signal }, 'stopping');
    await work();
    log.info('stopped');
    await exit(0, log);
  };
  // A rejection that nobody handles must not end the process with all its requests.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unexpected error'));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return stop;
}
