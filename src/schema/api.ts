import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { Kind } from 'graphql';
import { AccountReader } from '../db/reading/account-reader.ts';
import { requirePermission } from '../domain/access/actor.ts';
import type { Permission } from '../domain/access/role.ts';
import { LongWork } from '../domain/long-work.ts';
import { type Services, withQuestions } from '../domain/services.ts';
import { withNameServerTime } from '../domain/short-domain/name-servers.ts';
import type { KeyedWrite } from '../engine/db/idempotent-write.ts';
import { RequestData } from '../engine/db/request-data.ts';
import type { Api, Execution } from '../engine/graphql/api.ts';
import { badRequest } from '../engine/graphql/errors.ts';
import { bounded, limits } from '../engine/graphql/limits.ts';
import { runOwn as runDocument } from '../engine/graphql/pipeline.ts';
import { DomainError, invalidField, RETRY_AFTER } from '../engine/rules/errors.ts';
import type { ApiRequest, Context } from './context.ts';
import { coveredSchema, schema } from './index.ts';
import { permissionFor } from './permission.ts';
import { boundedRows, boundedTargets, isOfRows, productLimits } from './product-limits.ts';

/** The service's GraphQL API. */
export const api: Api<ApiRequest, Context> = {
  schema,
  coveredSchema,
  readsRelations: (typeName) => typeName === 'Link',
  permissionFor,
  requirePermission: (actor, permission: Permission) => requirePermission(actor, permission),
  limits: { ...limits, ...productLimits },
  rollsBack: isOfRows,
  contextOf: makeContext,
};

/** Runs one of v1's own documents, of which only the targets can be too large. @throws DomainError for a refusal */
export function runOwn<Data, Given>(
  document: TypedDocumentNode<Data, Given>,
  variables: Given,
  request: ApiRequest,
): Promise<Data> {
  return runDocument(api, document, variables, request);
}

/** The maximum size of targets on a page of v1, in bytes: those of any ten links fit. */
const MAX_V1_TARGET_BYTES = 16_000_000;

const tooManyTargets = () =>
  invalidField(
    'perPage',
    `asks for links with more than ${MAX_V1_TARGET_BYTES / 1e6} MB of targets: ask for fewer`,
  );

/** The context of an execution: its data, its long work, and services that end with the rights of its caller. */
function makeContext(request: ApiRequest, execution: Execution): Context {
  const { operation, signal, ask, deadline, throwsFailures } = execution;
  const { data, actor, keyed } = request;
  const isQuery = !operation.isMutation && !operation.isSubscription;
  const rows = operation.isMutation && keyed ? boundedRows() : null;
  const source = isQuery ? data.reader() : data.primary;
  const db = new RequestData(source, ask, deadline, rows, execution.changeIds);
  return {
    ...request,
    ...execution,
    db,
    services: servicesFor(request, execution),
    lists: new AccountReader(db, actor.accountId, signal),
    longWork: makeLongWork(request, ask),
    spendOnTargets: throwsFailures ? bounded(MAX_V1_TARGET_BYTES, tooManyTargets) : boundedTargets(),
    rulesRead: { bytes: 0 },
  };
}

function servicesFor(
  { services, actor, timeouts, keyed }: ApiRequest,
  { operation, ask, deadline }: Execution,
): Services {
  if (deadline === null) return services;
  const asking = withQuestions(services, ask);
  const timed = withNameServerTime(asking, actor.accountId, timeouts.nameServers, deadline);
  return keyed ? servicesOnce(keyed, operation, timed) : timed;
}

/** The long work of an operation, while its caller may do it. */
function makeLongWork({ longWorks, services, updateRights }: ApiRequest, ask: () => void): LongWork {
  return new LongWork({
    works: longWorks,
    waitingLimits: services.waitingLimits,
    async requireRights() {
      await updateRights();
      ask();
    },
    refusal: tooLong,
  });
}

/**
 * The services of a write with a key: hashes and lookups in DNS take long, so they are done before its transaction begins, which
 * others wait for.
 */
function servicesOnce(keyed: KeyedWrite, { node }: Execution['operation'], services: Services): Services {
  /** The passwords of the hashes that this write has made: comparing these takes no time. */
  const made = new Map<string, string>();
  const [first, ...others] = node.selectionSet.selections;
  /** Throws instead of rejecting, since callers take a rejected lookup in DNS for an empty one. */
  const inTime = <T>(work: () => Promise<T>): Promise<T> => {
    if (!keyed.isOpen) return work();
    if (others.length > 0 || first?.kind !== Kind.FIELD) throw tooLate();
    const message = 'Another request has changed one of the records meanwhile. Try again shortly.';
    throw new DomainError('RATE_LIMITED', message, [], RETRY_AFTER);
  };
  return {
    ...services,
    async hashPassword(owner, password) {
      const hash = await inTime(() => services.hashPassword(owner, password));
      made.set(hash, password);
      return hash;
    },
    async verifyPassword(owner, password, hash) {
      const known = made.get(hash);
      return known === undefined
        ? inTime(() => services.verifyPassword(owner, password, hash))
        : known === password;
    },
    resolveTxt: (name) => inTime(() => services.resolveTxt(name)),
  };
}

const tooLate = () =>
  badRequest(
    'With an Idempotency-Key, only the first mutation of a document may set a password or look up a domain. Send the others in requests of their own.',
  );

const tooLong = () =>
  badRequest(
    'With an Idempotency-Key, a mutation that changes so much must be the first of its document. Send it in a request of its own.',
  );
