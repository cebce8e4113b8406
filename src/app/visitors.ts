import type { IncomingMessage, RequestListener } from 'node:http';
import { isOnHost } from '../domain/url.ts';
import { clientOf } from '../http/request/client.ts';
import { ClickBuffer } from '../redirect/click-buffer.ts';
import { createRedirectHandler } from '../redirect/handler.ts';
import { LinkCache } from '../redirect/link-cache.ts';
import { RefusedVisits } from '../redirect/refused-visits.ts';
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
  const refused = new RefusedVisits(log, metrics);
  const clicks = new ClickBuffer(db, log, refused, statistics);
  const links = new LinkCache(db, feed, services, metrics);
  metrics?.watchClicks(
    () => clicks.unwritten,
    () => clicks.behind,
  );
  const handler = createRedirectHandler({
    db,
    links,
    lists,
    recordVisit(visit) {
      if (visit.visitor.counts) metrics?.click();
      clicks.add(visit);
    },
    settleClicks: clicks.settle.bind(clicks),
    refused,
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
