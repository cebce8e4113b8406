// The service in a process of its own, with settings that the program itself does not have.
import { pino } from 'pino';
import { type Config, readConfig } from '../src/app/config.ts';
import type { Ports } from '../src/app/service/ports.ts';
import { Service } from '../src/app/service.ts';

const ENVIRONMENT = {
  PORT: '0',
  BASE_URL: 'https://s.example',
  TRUST_PROXY: 'loopback',
  GRAPHIQL: 'off',
  CONSOLE: 'off',
  DOMAIN_VERIFICATION: 'off',
  HISTORY_DAYS: '0',
  RATE_LIMIT: '0',
  STATISTICS_MONTHS: '0',
};

/** Serves the database at `url` until SIGTERM; prints the port in the form of the program's log. */
export async function serve(url: string, given: Partial<Config> & Partial<Ports>): Promise<void> {
  const config = { ...readConfig({ ...ENVIRONMENT, DATABASE_URL: url }), ...given };
  const log = pino({ level: 'warn' }, pino.destination(2));
  const service = await Service.create(config, {
    log,
    resolveTxt: async () => [],
    resolveHost: async () => [],
    ...given,
    worker: 2,
  });
  await service.start();
  console.log(JSON.stringify({ msg: 'listening', port: service.port }));
  process.on('SIGTERM', async () => {
    service.disconnect();
    await service.stop();
    process.exit(0);
  });
}
