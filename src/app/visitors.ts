import type { IncomingMessage, RequestListener } from 'node:http';
import { ClickBuffer } from '../clicks/click-buffer.ts';
import { isOnHost } from '../domain/url.ts';
import { clientOf } from '../http/request/client.ts';
import { createRedirectHandler } from '../redirect/handler.ts';
import { LinkCache } from '../redirect/link-cache.ts';
import type { AppDependencies, Background, Shared } from './dependencies.ts';

export interface Visitors {
  readonly handler: RequestListener;
  /** Whether pages for people are served on the requested host: on that of BASE_URL; on others not if the database cannot tell. */
  servesPeople(req: IncomingMessage): Promise<boolean>;
  flush(): Promise<void>;
  readonly background: Background[];
}

/** What visitors get: redirects, which are counted, and pages of statistics. */
export function createVisitors(
  {
    database,
    baseUrl,
    statistics = true,
    metrics,
    log,
    lists,
    countryOf,
    publicStatistics,
    now,
  }: AppDependencies,
  { services, feed, trust, report }: Shared,
): Visitors {
  const db = database;
  const clicks = new ClickBuffer(db, log, metrics, statistics);
  const links = new LinkCache(db, feed, services, metrics);
  metrics?.watchClicks(
    () => clicks.unwritten,
    () => clicks.behind,
  );
  const handler = createRedirectHandler({
    db,
    links,
    lists,
    clicks,
    trust,
    countryOf,
    scheme: services.scheme,
    publicStatistics,
    now,
    report,
  });
  return {
    handler,
    async servesPeople(req) {
      const { host } = clientOf(req, trust);
      return isOnHost(baseUrl, host) || links.servesPeople(host).catch(() => false);
    },
    flush: () => clicks.flush(),
    background: [clicks],
  };
}
