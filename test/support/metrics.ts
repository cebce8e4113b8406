import { pino } from 'pino';
import type { Metrics } from '../../src/http/metrics.ts';

/** All metrics, as Prometheus reads them. */
export async function textOf(metrics: Metrics): Promise<string> {
  let text = '';
  const res = { writeHead: () => res, end: (body: string) => (text = body) };
  const listener = metrics.listener(pino({ level: 'silent' }));
  await listener({ method: 'GET', url: '/metrics' } as never, res as never);
  return text;
}
