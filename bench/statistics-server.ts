// node --import tsx bench/statistics-server.ts on|off URL: the program with or without statistics, to measure their cost.
import { pino } from 'pino';
import { serve } from './app.ts';

const [which, url = ''] = process.argv.slice(2);
await serve(url, {
  statistics: which === 'on',
  log: pino({ level: 'silent' }),
  countryHeader: 'X-Country',
});
