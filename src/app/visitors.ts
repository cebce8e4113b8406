import type { RequestListener } from 'node:http';
import { ClickBuffer } from '../redirect/click-buffer.ts';
import { createRedirectHandler } from '../redirect/handler.ts';
import { LinkCache } from '../redirect/link-cache.ts';
import { RefusedVisits } from '../redirect/refused-visits.ts';
import type { AppDependencies, Background, Shared } from './dependencies.ts';

/** What visitors get: redirects, which are counted, and pages of statistics. */
export function createVisitors(
  { database, statistics = true, metrics, log, lists, countryOf, publicStatistics, now }: AppDependencies,
  { services, revisions, trust, report }: Shared,
): { handler: RequestListener; flush: () => Promise<void>; background: Background[] } {
  const db = database.client;
  const refused = new RefusedVisits(log, metrics);
  const clicks = new ClickBuffer(db, log, refused, statistics);
  metrics?.watchClicks(
    () => clicks.unwritten,
    () => clicks.behind,
  );
  const handler = createRedirectHandler({
    db,
    links: new LinkCache(db, revisions, services, metrics),
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
  return { handler, flush: () => clicks.flush(), background: [clicks] };
}
