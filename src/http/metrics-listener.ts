import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';

/** Answers `GET /metrics` with the metrics, as Prometheus reads them. */
export function metricsListener(text: () => Promise<string>, log: Logger): RequestListener {
  return async ({ method = '', url = '' }, res) => {
    if (!/^\/metrics\/?(\?|$)/.test(url)) return res.writeHead(404).end();
    if (!['GET', 'HEAD'].includes(method)) return res.writeHead(405, { Allow: 'GET, HEAD' }).end();
    try {
      const metrics = await text();
      res.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE });
      res.end(metrics);
    } catch (error) {
      log.error({ err: error }, 'the metrics could not be collected');
      res.writeHead(500).end();
    }
  };
}
