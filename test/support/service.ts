import { pino } from 'pino';
import { readConfig } from '../../src/app/config.ts';
import type { Ports } from '../../src/app/service/ports.ts';
import { Service } from '../../src/app/service.ts';
import { hintFor } from '../../src/engine/db/error-hints.ts';
import { serializers } from '../../src/engine/tools/log.ts';
import { OperatorError } from '../../src/engine/tools/operator-error.ts';

/** Starts the service in this process, configured by its environment alone, as the program is. */
export async function startService(env: Record<string, string>, ports: Partial<Ports> = {}) {
  let stdout = '';
  const print = (text: string) => {
    stdout += text;
  };
  const service = await Service.create(readConfig({ PORT: '0', RATE_LIMIT: '0', ...env }), {
    log: pino({ level: 'info', serializers }, { write: print }),
    print,
    ...ports,
  });
  await service.start();
  return {
    origin: `http://127.0.0.1:${service.port}`,
    /** The log, and what is printed. */
    get stdout() {
      return stdout;
    },
    /** The log lines so far. */
    get log(): Record<string, unknown>[] {
      return stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line));
    },
    /** Stops it as SIGTERM does. */
    stop: () => service.stop(),
    /** Stops it without waiting for clients. */
    end() {
      service.disconnect();
      return service.stop();
    },
  };
}

export type StartedService = Awaited<ReturnType<typeof startService>>;

/** The message of a program that cannot start; undefined if it starts, or for an unknown reason. */
export async function refusalOf(env: Record<string, string>): Promise<string | undefined> {
  const outcome = await startService(env).catch((error: unknown) => ({ error }));
  if (!('error' in outcome)) {
    await outcome.end();
    return undefined;
  }
  const { error } = outcome;
  return error instanceof OperatorError
    ? error.message
    : (hintFor(error, env.DATABASE_URL ?? '', 'DATABASE_URL') ?? undefined);
}
