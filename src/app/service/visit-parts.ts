import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ClickBuffer } from '../../clicks/click-buffer.ts';
import { findSalt, readSalt } from '../../clicks/day-visitors.ts';
import { SplitKeys } from '../../clicks/split-keys.ts';
import type { Database } from '../../db/database.ts';
import { findServedImage, type ImageFormat } from '../../db/images.ts';
import { lastBackup } from '../../db/last-backup.ts';
import type { Day } from '../../db/statistics/calendar.ts';
import { type BrandColumns, shownBrand } from '../../domain/access/brand.ts';
import { createServices } from '../../domain/services.ts';
import type { AppFile } from '../../domain/short-domain/apps.ts';
import { ChangeFeed } from '../../engine/changes/feed.ts';
import { ReadServer } from '../../engine/db/postgresql/read-server.ts';
import type { TrustedDocuments } from '../../engine/graphql/trusted-documents.ts';
import { InFlight } from '../../engine/http/limits/in-flight.ts';
import { LoadMeter } from '../../engine/http/limits/load-meter.ts';
import { findClient, makeWarning, parseTrust } from '../../engine/http/request/client.ts';
import { RequestLog } from '../../engine/http/request/log.ts';
import type { Handler } from '../../engine/http/server.ts';
import type { Stopper } from '../../engine/http/stop-server.ts';
import { countingFailures, createMailer, holdMails } from '../../engine/outgoing/mail.ts';
import { askNobody } from '../../engine/outgoing/resolve.ts';
import { hostOf, isLoopback, isOnHost, normalizeHost, toAscii, withoutPort } from '../../engine/rules/url.ts';
import type { Domain } from '../../generated/sqlite/client.ts';
import { sendMessage, sendPage } from '../../redirect/answer.ts';
import type { CountryLookup } from '../../redirect/country.ts';
import { createRedirectHandler } from '../../redirect/handler.ts';
import { LinkCache } from '../../redirect/link-cache.ts';
import { rootPage } from '../../redirect/pages.ts';
import { header } from '../../redirect/request.ts';
import { VisitDatabases } from '../../redirect/visit-databases.ts';
import { type Config, getConsoleUrl } from '../config.ts';
import type { OperatorFiles } from '../operator-files.ts';
import type { Metrics } from './metrics.ts';
import type { Ports } from './ports.ts';
import { startPage } from './start-page.ts';
import { tlsStatuses } from './tls-ask.ts';

/** Resources that are opened before the parts are connected. */
export interface Opened {
  /** With the port that the service listens on, and the address at which its links are. */
  readonly config: Config & { readonly baseUrl: string };
  readonly database: Database;
  readonly replicas: readonly Database[];
  readonly defaultDomainId: number;
  readonly countryOf: CountryLookup;
  readonly trusted: TrustedDocuments | undefined;
  readonly operatorFiles: OperatorFiles;
  readonly metrics: Metrics | undefined;
  readonly metricsServer: Server | false | undefined;
  readonly http: Server;
  /** Answers the requests that have waited since the port was opened. */
  answerHeld(): void;
  readonly stopper: Stopper;
}

/** The salt of a day: from the primary, which makes it, or from a replica while that is away. */
async function readDaySalt({ primary, all }: VisitDatabases, day: Day): Promise<string | null> {
  const replicas = all.filter((one) => one !== primary);
  if (replicas.length === 0 || !primary.feed.away) {
    const salt = await readSalt(primary.database, day).catch((error: unknown) => {
      if (replicas.length === 0) throw error;
      return null;
    });
    if (salt !== null) return salt;
  }
  for (const { database } of replicas) {
    const salt = await findSalt(database, day).catch(() => null);
    if (salt !== null) return salt;
  }
  return null;
}

export type VisitParts = ReturnType<typeof createVisitParts>;

/** The parts that every process has: visitors get redirects, which are counted, and pages of statistics. */
export function createVisitParts(opened: Opened, ports: Ports) {
  const { config, database, replicas, countryOf, defaultDomainId, operatorFiles, metrics } = opened;
  const { baseUrl, consoleUrl, smtpUrl, smtpFrom } = config;
  const { log, now, random, hashPassword, resolveTxt } = ports;
  const requestLog = new RequestLog(log, metrics);
  const report = requestLog.fault.bind(requestLog);
  const trust = Object.assign(parseTrust(config.trustProxy), { ignored: makeWarning(log) });
  const { lists } = operatorFiles;
  const { sideEffects } = config;
  const mailer = ports.sendMail ?? (smtpUrl && smtpFrom ? createMailer(smtpUrl, smtpFrom, log) : null);
  const sendMail =
    mailer && (sideEffects ? countingFailures(mailer, () => metrics?.mailFailed()) : holdMails(log));
  const services = createServices(config, {
    ...{ defaultDomainId, lists, random, hashPassword, sendMail },
    resolveTxt: sideEffects ? resolveTxt : askNobody,
    ...(ports.waitingLimits && { waitingLimits: ports.waitingLimits }),
  });

  // What tells of changes, also of other processes'.
  const feed = new ChangeFeed(database);
  // In other processes, `Readers` has the replicas.
  const servers =
    config.role === 'redirects' ? replicas.map((one, index) => new ReadServer(index + 1, one, log)) : [];
  if (servers.length > 0) metrics?.watchReplicas(servers);
  const databases = new VisitDatabases(
    { database, feed },
    servers.map((server) => ({ database: server.database, feed: new ChangeFeed(server.database, server) })),
  );
  metrics?.watchSideEffects(sideEffects);
  metrics?.watchDatabase(() => feed.away);
  if (database.provider === 'sqlite') metrics?.watchBackups(() => lastBackup(database), now);
  metrics?.watchDisk(() => database.size(), database.freeBytes);

  const clicks = new ClickBuffer(database, log, metrics, ports.statistics);
  metrics?.watchClicks(
    () => clicks.unwritten,
    () => clicks.behind,
  );
  const links = new LinkCache(databases, services, config.linkCacheMegabytes, metrics);
  const splits = new SplitKeys((day) => readDaySalt(databases, day), now);
  const redirect = createRedirectHandler({
    ...{ clicks, links, splits, lists, trust, findCountry: countryOf, now, report },
    ...{ scheme: services.scheme, sharedPreviews: services.sharedPreviews },
    publicStatistics: config.publicStatistics,
    formTimeout: ports.formTimeout,
  });
  const isOnConsole = (req: IncomingMessage) =>
    consoleUrl !== undefined && isOnHost(consoleUrl, findClient(req, trust).host);
  // The console's own host serves no short links.
  const visit: Handler =
    consoleUrl === undefined
      ? redirect
      : async (req, res) => (isOnConsole(req) ? sendMessage(req, res, 404, 'notFound') : redirect(req, res));

  const brandOf = async (domain: Pick<Domain, 'accountId' | 'verifiedAt'>): Promise<BrandColumns | null> =>
    shownBrand(await links.findBrand(domain, null), lists);

  return {
    ...{ requestLog, report, trust, services, feed, clicks, links, visit },
    background: [...databases.all.map((source) => source.feed), operatorFiles, splits],
    inFlight: new InFlight(ports.maxInFlight),
    load: new LoadMeter(),
    /** If the database cannot tell, only the host of BASE_URL, or of CONSOLE_URL, serves people. */
    async servesPeople(req: IncomingMessage): Promise<boolean> {
      const { host } = findClient(req, trust);
      if (consoleUrl !== undefined) return isOnConsole(req);
      return isOnHost(baseUrl, host) || links.servesPeople(host).catch(() => false);
    },
    /** True if a host, at any port, is one of the service's or leads to this machine. If the database cannot tell, it is not. */
    async servesHost(host: string): Promise<boolean> {
      const name = normalizeHost(host);
      if (name === null) return false;
      const own = [baseUrl, getConsoleUrl(config)].map((address) => withoutPort(hostOf(address)));
      if (own.includes(withoutPort(name)) || isLoopback(`http://${name}`)) return true;
      return links.serves(host).catch(() => false);
    },
    /** The image of a preview, or a logo, in base64: on all hosts but the domains of other accounts. Null for none. */
    async imageOf(req: IncomingMessage, hash: string, format: ImageFormat): Promise<string | null> {
      const image = await links.read((db) => findServedImage(db, hash, format));
      if (image === null) return null;
      const { accountId } = await links.findDomain(findClient(req, trust).host);
      return accountId === null || accountId === image.accountId ? image.content : null;
    },
    /** Sends the plain page at the root of the requested host; of one that cannot be read, with the name of the service's own. */
    async sendRoot(req: IncomingMessage, res: ServerResponse): Promise<void> {
      const { host } = findClient(req, trust);
      const domain = await links.findDomain(host).catch(() => null);
      const brand = domain && (await brandOf(domain));
      const name = withoutPort(normalizeHost(host) ?? hostOf(baseUrl));
      sendPage(req, res, 200, rootPage(name, header(req, 'accept-language'), brand));
    },
    /** Sends the page at the root of a host for people, which no account has. */
    async sendStart(req: IncomingMessage, res: ServerResponse): Promise<void> {
      const brand = await brandOf({ accountId: null, verifiedAt: null });
      sendPage(req, res, 200, startPage(config, header(req, 'accept-language'), brand));
    },
    /** If the database cannot tell, visitors get a page of the service. */
    async rootUrlOf(req: IncomingMessage): Promise<string | null> {
      const { host } = findClient(req, trust);
      // The host of the console has its own page.
      if (isOnHost(getConsoleUrl(config), host)) return null;
      const url = await links.findRootUrl(host).catch(() => null);
      return url === null || lists.blocksAddress(url) ? null : toAscii(url);
    },
    /** @throws if the database cannot tell */
    appFileOf(req: IncomingMessage, file: AppFile): Promise<string | null> {
      return links.findAppFile(findClient(req, trust).host, file);
    },
    /** Answers a proxy that asks before it gets a certificate. */
    tlsStatusOf: tlsStatuses([baseUrl, getConsoleUrl(config)], (host) => links.serves(host)),
  };
}
