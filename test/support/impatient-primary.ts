// A primary of workers that waits 4 seconds for a sign of life instead of 15. It is configured by its environment.
import { readConfig } from '../../src/app/config.ts';
import { supervise } from '../../src/app/workers/primary.ts';
import { createLog } from '../../src/engine/tools/log.ts';
import { dist } from './process.ts';

const config = readConfig(process.env);
const log = createLog({ level: 'info', worker: undefined, shared: true, isTraced: false });
await supervise(config, log, dist('main'), { silence: 4_000, start: 60_000, interval: 500 });
