import type { IncomingMessage } from 'node:http';
import { printSchema } from 'graphql';
import { KeyAccess } from '../../auth/key-access.ts';
import { OpenId } from '../../auth/openid.ts';
import { createAuthRouter } from '../../auth/router.ts';
import { SignInLog } from '../../auth/sign-in-log.ts';
import { LASTING } from '../../db/records-clock.ts';
import { requirePermission } from '../../domain/access/actor.ts';
import { countWaitingMails } from '../../domain/access/address-change.ts';
import { LongWorks } from '../../domain/long-work.ts';
import { DocumentChecks } from '../../domain/operation/checks.ts';
import { OperationLookup } from '../../domain/operation/lookup.ts';
import type { SavedOperation } from '../../domain/operation/operation.ts';
import { RunCounter } from '../../domain/operation/runs.ts';
import { UserPasswords } from '../../domain/password.ts';
import { ClickWatch } from '../../domain/statistics/click-watch.ts';
import { networkName } from '../../domain/visit/ip-network.ts';
import { WebhookSender } from '../../domain/webhook/sender.ts';
import { ChangeSubscriptions } from '../../engine/changes/subscriptions.ts';
import { Readers } from '../../engine/db/postgresql/replicas.ts';
import { RetentionClock } from '../../engine/db/retention-clock.ts';
import { Documents } from '../../engine/graphql/document.ts';
import { createGraphQLHandler, schemaText } from '../../engine/graphql/http.ts';
import { OwnDocuments } from '../../engine/graphql/own-documents.ts';
import { run, type Sent, type Transport } from '../../engine/graphql/pipeline.ts';
import { checkDocument } from '../../engine/graphql/saved-document.ts';
import { GraphQLSockets } from '../../engine/graphql/sockets.ts';
import { hasTrusted } from '../../engine/graphql/trusted-documents.ts';
import { findClient } from '../../engine/http/request/client.ts';
import type { Surface } from '../../engine/http/request/info.ts';
import { SessionCookies } from '../../engine/http/request/session-cookie.ts';
import type { Handler } from '../../engine/http/server.ts';
import { createMcpHandler } from '../../engine/mcp/handler.ts';
import { createPost } from '../../engine/outgoing/post.ts';
import { createRestRouter } from '../../engine/rest/router.ts';
import { createRunHandler } from '../../engine/rest/run/handler.ts';
import { Jobs } from '../../engine/tools/jobs.ts';
import { VERSION } from '../../engine/tools/own-files.ts';
import { RepeatedFault } from '../../engine/tools/repeated-fault.ts';
import { consoleDocuments } from '../../generated/console-documents.ts';
import { builtInTools } from '../../mcp/built-in.ts';
import { identity, Tools } from '../../mcp/tools.ts';
import { openApi } from '../../rest/description.ts';
import { createDownload } from '../../rest/download.ts';
import { routes } from '../../rest/routes.ts';
import { createRunDescription } from '../../rest/run.ts';
import { createSnapshot } from '../../rest/snapshot.ts';
import { api, runOwn } from '../../schema/api.ts';
import type { ApiRequest } from '../../schema/context.ts';
import { requireRights, SavedOperations } from '../../schema/saved-operations.ts';
import { getConsoleUrl } from '../config.ts';
import { makeDocumentCheck } from '../document-check.ts';
import { createFirst } from './first-start.ts';
import { listJobs } from './jobs.ts';
import { paths, surfaces } from './paths.ts';
import type { Background, Ports } from './ports.ts';
import { createOwnerRequestReader, createRequestReader, createSocketReader } from './requests.ts';
import type { Opened, VisitParts } from './visit-parts.ts';

export { settle } from './first-start.ts';

export type ApiParts = ReturnType<typeof createApiParts>;

/** The parts for people and their programs: the two APIs, GraphQL and v1 over the same schema, sign-in and webhooks. */
export function createApiParts(opened: Opened, ports: Ports, visitors: VisitParts) {
  const { config, database: db, replicas, countryOf, trusted, metrics } = opened;
  const { baseUrl, graphiql } = config;
  const consoleUrl = getConsoleUrl(config);
  const { log, now, random } = ports;
  const { services, feed, trust, report, requestLog, inFlight, load, servesPeople } = visitors;

  const readers = new Readers(db, replicas, config.maxReplicaLag, random, log);
  if (replicas.length > 0) metrics?.watchReplicas(readers.replicas);
  const cookies = new SessionCookies(consoleUrl, trust, config.corsOrigins);
  const access = new KeyAccess(db, feed, config.rateLimit, trust, cookies, servesPeople, now);
  const subscriptions = new ChangeSubscriptions(db, feed, now, {
    ofKey: config.maxSubscriptionsPerKey,
    ...(ports.maxSubscriptions && { ofProcess: ports.maxSubscriptions }),
  });
  const watchFault = new RepeatedFault(log, 'the clicks that are watched could not be read');
  const clickWatch = new ClickWatch(db, subscriptions, {
    now,
    interval: ports.clickInterval,
    onFault: (error) => watchFault.occurred(error),
    onRead: () => watchFault.ended(),
  });
  const longWorks = new LongWorks(db);
  const documents = new Documents(api, graphiql);
  const documentChecks = new DocumentChecks((text) => checkDocument(documents, text), {
    isOfOperator: (id) => hasTrusted(trusted, id),
    isBuiltInTool: (name) => builtInTools.has(name),
  });
  const common = {
    db,
    services,
    subscriptions,
    clickWatch,
    longWorks,
    documentChecks,
    timeouts: ports.timeouts,
    log,
  };
  const requests = { common, access, readers, inFlight, now };
  const readRequest = createRequestReader(requests, true);
  const openId = OpenId.of(config, consoleUrl, log);
  const signInLog = new SignInLog(log, now);
  const auth = createAuthRouter({
    ...{ db, cookies, access, trust, services, consoleUrl, openId, now, report },
    download: createDownload({ readRequest, report }),
    passwords: new UserPasswords(ports.hashCost),
    countriesAsOf: countryOf.asOf,
    bodyTimeout: ports.formTimeout,
    signInFailed: (way) => metrics?.signInFailed(way),
    signInLog,
  });

  // Webhooks, and the deletion of what is old.
  const retentionTime = new RetentionClock(db, LASTING, now, log).read;
  const webhooks = new WebhookSender({
    ...{ db, feed, random, now, retentionTime, log },
    snapshot: createSnapshot(createOwnerRequestReader(common, now)),
    delays: ports.webhookDelays,
    interval: ports.webhookInterval,
    post: createPost({
      allowPrivate: config.allowPrivateWebhooks,
      resolve: ports.resolveHost,
      userAgent: `Linkspace/${VERSION}`,
    }),
    waitUntilIdle: () => load.waitUntilIdle(),
    attempted: (outcome) => metrics?.webhookAttempt(outcome),
    disabled: (reason) => metrics?.webhookDisabled(reason),
    limits: services.waitingLimits,
  });
  metrics?.watchMails(() => countWaitingMails(db, now()));
  metrics?.watchWebhooks(() => webhooks.backlog(), now);
  metrics?.watchFailingWebhooks(() => webhooks.failing(), now);
  const { sideEffects } = config;
  const background: Background[] = [readers, access, signInLog, ...(sideEffects ? [webhooks] : [])];
  const jobs = {
    ...{ config, db, services, retentionTime, now, log },
    checkDocument: makeDocumentCheck(graphiql),
    schemaText: () => `${VERSION}\n${printSchema(api.schema)}`,
  };
  const upkeep: Background[] = [new Jobs(listJobs(jobs), log)];

  // People work with the console, whatever their programs may execute.
  const ofConsole = trusted !== undefined && config.console ? new OwnDocuments(consoleDocuments) : null;
  const trusts = (query: string, { actor }: ApiRequest) =>
    ofConsole !== null && actor.session !== null && ofConsole.has(query);

  const runs = new RunCounter(db, now, log);
  background.push(runs);
  const saved =
    (config.savedOperations ?? trusted === undefined)
      ? new SavedOperations({
          ...{ documents, checks: documentChecks, counter: runs },
          lookup: new OperationLookup(db, feed),
        })
      : null;
  const operations = {
    ...{ documents, graphiql, trusted, trusts },
    findNamed: saved === null ? undefined : saved.findNamed.bind(saved),
    run: (sent: Sent, request: ApiRequest, how: Transport) => run(api, documents, sent, request, how),
  };
  const sockets = new GraphQLSockets({
    ...{ ...operations, ...createSocketReader(requests), schema: api.schema, surface: surfaces.graphql },
    ...{ log, load, requestLog, limits: ports.sockets },
    findNetwork: (req) => networkName(findClient(req, trust).address),
    enter: (info, operation) => inFlight.enter(paths.chooseRoom(info), operation),
  });
  metrics?.watchSockets(() => sockets.size);

  const createRun = (operationsOf: SavedOperations) =>
    createRunHandler<ApiRequest, SavedOperation>({
      find: (request, name) => operationsOf.find(request, name),
      prepare: (request, one) => operationsOf.prepareFor(request, one),
      refused: (one) => operationsOf.refused(one),
      requireRights,
      run: (...given) => operationsOf.run(...given),
      secretOf: (request) => operationsOf.secretOf(request),
      describe: createRunDescription(operationsOf),
      readRequest: createRequestReader(requests, false),
      suggestions: graphiql,
      report,
    });

  const createMcp = () => {
    const tools = new Tools({ documents, saved, suggestions: graphiql });
    return createMcpHandler<ApiRequest>({
      ...{ identity, report },
      sites: {
        corsOrigins: config.corsOrigins,
        findHost: (req) => findClient(req, trust).host,
        servesHost: visitors.servesHost,
      },
      readRequest: createRequestReader(requests, false),
      toolsOf: (request) => tools.of(request),
    });
  };

  return {
    ...{ auth, openApi, runs, subscriptions, longWorks, background, upkeep },
    schemaText: schemaText(api.schema),
    /** Makes what the first start needs, and gives what greets the operator. */
    createFirst() {
      openId?.check();
      return createFirst(config, db, ports);
    },
    /** The handlers of surfaces that do not pass through Express. */
    handlers: new Map<Surface, Handler>([
      [surfaces.graphql, createGraphQLHandler({ ...operations, readRequest, report })],
      ...(saved === null ? [] : [[surfaces.run, createRun(saved)] as const]),
      ...(config.mcp ? [[surfaces.mcp, createMcp()] as const] : []),
    ]),
    sockets,
    findSocketOrigin: (req: IncomingMessage) => cookies.findSocketOrigin(req),
    rest: createRestRouter({
      ...{ routes, baseUrl, run: runOwn, report },
      readRequest: createRequestReader(requests, false),
      requirePermission: ({ actor }, permission) => requirePermission(actor, permission),
    }),
  };
}
