import type { IncomingMessage } from 'node:http';
import { type Answer, failure } from '../rest/answer.ts';
import { isOnHost } from '../rules/url.ts';

/** The sites whose pages may send messages. */
export interface Sites {
  /** Those of other hosts. */
  readonly corsOrigins: readonly string[];
  /** The host that was asked for. */
  findHost(req: IncomingMessage): string;
  /** True if a host, at any port, is one of the service's. */
  servesHost(host: string): Promise<boolean>;
}

const otherSite = failure(403, 'Pages of this site may not send requests here.');
const otherHost = failure(421, 'The host of this request is none of this service.');

/**
 * Refuses requests of pages on other sites, and of pages that reach this service by a name of their own. Programs send no Origin, and
 * may use any host.
 */
export async function checkOrigin(req: IncomingMessage, sites: Sites): Promise<Answer | null> {
  const { origin } = req.headers;
  if (origin === undefined) return null;
  const host = sites.findHost(req);
  if (!sites.corsOrigins.includes(origin) && !isOnHost(origin, host)) return otherSite;
  return (await sites.servesHost(host)) ? null : otherHost;
}
