import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type DocumentNode, type ExecutionResult, GraphQLError, Kind } from 'graphql';
import { isAsyncIterable, mapAsyncIterator } from 'graphql-yoga';
import { AccountReader } from '../db/reading/account-reader.ts';
import { RequestData } from '../db/request-data.ts';
import { requirePermission } from '../domain/access/actor.ts';
import { DomainError, invalidField, RETRY_AFTER } from '../domain/errors.ts';
import type { KeyedWrite } from '../domain/idempotent-write.ts';
import { LongWork } from '../domain/long-work.ts';
import { type Services, withQuestions } from '../domain/services.ts';
import { withNameServerTime } from '../domain/short-domain/name-servers.ts';
import { STREAM_TYPE } from '../http/request/accept.ts';
import type { ApiRequest, Context } from '../schema/context.ts';
import type { OperationSize } from '../schema/cost/operation-size.ts';
import { sizeOf } from '../schema/cost/operation-size.ts';
import { MAX_ERRORS } from '../schema/error-limit.ts';
import { schema } from '../schema/index.ts';
import { Deadline } from '../shared/deadline.ts';
import { tracer } from '../shared/tracing.ts';
import { type Documents, type Operation, Prepared } from './document.ts';
import { badRequest, presentedAny, presentedError } from './errors.ts';
import { subscribe } from './events.ts';
import { execute, type Values } from './execute.ts';
import { bounded, boundedRows, boundedTargets, isOfRows, limits, overflowOf, tooLarge } from './limits.ts';
import { amountsIn, checkInputs } from './sent-values.ts';
import { coerceVariables } from './variables.ts';

/** An operation as a client sends it. */
export interface Sent {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Variables | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The properties of a request that depend on its transport. */
export interface Transport {
  /** By GET, which must not change anything. */
  readonly isGet: boolean;
  /** True if the client accepts a stream of answers. */
  readonly acceptsStream: boolean;
}

type Variables = Readonly<Record<string, unknown>>;
type Answers = ExecutionResult | AsyncIterable<ExecutionResult>;

/** Runs an operation of a client. Nothing is executed before all checks; the first fault is the answer. */
export async function run(
  documents: Documents,
  sent: Sent,
  request: ApiRequest,
  transport: Transport,
): Promise<Answers> {
  try {
    const variables = sent.variables ?? {};
    const amounts = amountsIn(variables, sent.extensions);
    const document = documents.prepared(sent.query);
    const operation = document.operation(sent.operationName);
    if (operation === null) throw noOperation();
    if (operation.isMutation && transport.isGet) throw mutationByGet();
    if (document.errors.length > 0) return { errors: document.errors };
    if (operation.isSubscription && !transport.acceptsStream) throw noStream();
    request.named(operation.name);
    const definitions = operation.node.variableDefinitions ?? [];
    const size = sizeOf(operation, variables, limits, amounts.values);
    checkInputs(size.inputs, amounts, definitions);
    checkSize(size);
    if (operation.isSubscription && size.cost > limits.event) throw tooLarge('event', Math.ceil(size.cost));
    const coerced = coerceVariables(schema, definitions, variables, (name) => operation.maxItemsIn(name));
    const ask = questionOf(operation, request);
    ask();
    if (!operation.isSubscription) request.usedDeprecated(operation.facts.deprecated);
    const bounds = {
      throwsFailures: false,
      isHeavy: size.values > HEAVY_VALUES,
      spendOnTargets: boundedTargets(),
    };
    const values = { given: variables, coerced };
    const execution = async () =>
      presented(await executed(operation, values, request, { ...bounds, ask }), request);
    const result = await (operation.isMutation ? once(sent, size, request, ask, execution) : execution());
    return sent.extensions?.cost === true ? withCost(result, size) : result;
  } catch (error) {
    return { errors: [refusalOf(error, request)] };
  }
}

/**
 * Runs one of v1's own documents, of which only the targets can be too large.
 * @returns its data
 * @throws the error of a field: DomainError for a refusal
 */
export async function runOwn<Data, Given>(
  document: TypedDocumentNode<Data, Given>,
  variables: Given,
  request: ApiRequest,
): Promise<Data> {
  const operation = ownOperation(document);
  const ask = questionOf(operation, request);
  ask();
  const tooMuch = `asks for links with more than ${MAX_V1_TARGET_BYTES / 1e6} MB of targets: ask for fewer`;
  const given = variables as Variables; // Its type comes from the document: an object.
  const coerced = coerceVariables(schema, operation.node.variableDefinitions ?? [], given);
  const result = await executed(operation, { given, coerced }, request, {
    ask,
    throwsFailures: true,
    isHeavy: false,
    spendOnTargets: bounded(MAX_V1_TARGET_BYTES, () => invalidField('perPage', tooMuch)),
  });
  if (isAsyncIterable(result)) throw new Error('v1 has no subscriptions');
  const [error] = result.errors ?? [];
  if (error) throw error.originalError ?? error;
  return result.data as Data; // Its type comes from the document.
}

const own = new Map<DocumentNode, Operation>();

function ownOperation(document: DocumentNode): Operation {
  const operation = own.get(document) ?? new Prepared(schema, document, []).operation(null);
  if (operation === null) throw new Error('the document has not one operation');
  own.set(document, operation);
  return operation;
}

type Bounds = Pick<Context, 'ask' | 'throwsFailures' | 'isHeavy' | 'spendOnTargets'>;

/** A question that costs no I/O: it throws what a new request would get, if the caller may not do the operation any more. */
function questionOf({ needs }: Operation, { actor }: ApiRequest): () => void {
  return () => {
    actor.requireAlive();
    for (const permission of needs) requirePermission(actor, permission);
  };
}

/** Executes a checked operation, on the database that its kind needs. Nothing begins after the client has left. */
async function executed(
  operation: Operation,
  variables: Values,
  request: ApiRequest,
  bounds: Bounds,
): Promise<Answers> {
  request.signal.throwIfAborted();
  const { data, actor, signal } = request;
  if (operation.isMutation) return mutated(operation, variables, request, bounds);
  const db = new RequestData(operation.isSubscription ? data.primary : data.reader(), bounds.ask);
  const lists = new AccountReader(db, actor.accountId, signal);
  const result = await runIn(
    { ...request, ...bounds, operation, db, lists, longWork: longWorkOf(request, bounds.ask) },
    variables,
  );
  if (isAsyncIterable(result)) request.sendsStream();
  else bounds.ask();
  return result;
}

function runIn(context: Context & { readonly operation: Operation }, variables: Values): Promise<Answers> {
  const { operation } = context;
  const begin = operation.isSubscription ? subscribe : execute;
  const run = () => begin(operation, variables, context);
  return context.running(() => (tracer ? tracer.operation(operation.node, run) : run()));
}

/** Executes a mutation, which is completed even if its client leaves, or ended when its time is over. */
async function mutated(
  operation: Operation,
  variables: Values,
  request: ApiRequest,
  bounds: Bounds,
): Promise<Answers> {
  const { data, actor, keyed, timeouts } = request;
  const deadline = new Deadline(timeouts.mutation, tooSlow);
  const { signal } = deadline;
  const db = new RequestData(data.primary, bounds.ask, deadline, keyed ? boundedRows() : null);
  const asking = withQuestions(request.services, bounds.ask);
  const services = withNameServerTime(asking, actor.accountId, timeouts.nameServers, deadline);
  const context = {
    ...{ ...request, ...bounds, operation, db, signal },
    services: keyed ? servicesOnce(keyed, operation, services) : services,
    lists: new AccountReader(db, actor.accountId, signal),
    longWork: longWorkOf(request, bounds.ask),
  };
  try {
    return await deadline.within(runIn(context, variables));
  } catch (error) {
    if (!signal.aborted || !(error instanceof DomainError)) throw error;
    return { data: null, errors: [new GraphQLError(error.message, { originalError: error })] };
  } finally {
    await data.wrote();
  }
}

/** The long work of an operation, while its caller may do it. */
function longWorkOf({ longWorks, services, updateRights }: ApiRequest, ask: () => void): LongWork {
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

/** Runs a mutation, unless its Idempotency-Key has an answer: `answerOnce` then sends that, whatever this returns. */
async function once(
  { query, operationName, variables, extensions }: Sent,
  { reads }: OperationSize,
  { keyed }: ApiRequest,
  ask: () => void,
  execution: () => Promise<Answers>,
): Promise<Answers> {
  if (keyed === undefined) return execution();
  try {
    const request = JSON.stringify(['graphql', query, operationName, variables, extensions]);
    if ((await keyed.begin(request, ask)) !== null) return { data: null };
    if (reads > limits.keyedReads) throw tooLarge('keyedReads', Math.ceil(reads));
  } catch (error) {
    keyed.fail();
    throw error;
  }
  const result = await execution();
  const rollsBack = (error: GraphQLError) => TRANSIENT.has(error.extensions.code) || isOfRows(error);
  if (isAsyncIterable(result) || !result.errors?.some(rollsBack)) return result;
  keyed.fail();
  return { data: null, errors: result.errors };
}

/** The codes of errors after which everything is rolled back, and the same request may succeed. */
const TRANSIENT = new Set<unknown>(['INTERNAL', 'UNAVAILABLE', 'RATE_LIMITED', 'BAD_REQUEST']);

/**
 * The services of a write with a key: hashes and lookups in DNS take long, so they are done before its transaction begins, which
 * others wait for.
 */
function servicesOnce(keyed: KeyedWrite, { node }: Operation, services: Services): Services {
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

/** An operation whose answer may have more values is executed in slices, with pauses for other work. */
const HEAVY_VALUES = 20_000;
/** The maximum size of targets on a page of v1, in bytes: those of any ten links fit. */
const MAX_V1_TARGET_BYTES = 16_000_000;

function checkSize(size: OperationSize): void {
  const measures = ['depth', 'breadth', 'records', 'cost'] as const;
  const over = measures.find((measure) => size[measure] > limits[measure]);
  if (over) throw tooLarge(over, Math.ceil(size[over]));
}

/** The result with the cost, for a client that asks for it. */
function withCost(result: Answers, { cost, depth, breadth }: OperationSize): Answers {
  if (isAsyncIterable(result)) return result;
  return {
    ...result,
    extensions: { ...result.extensions, cost: { cost: Math.ceil(cost), depth, breadth, limits } },
  };
}

/** The result with the errors that callers may see. */
function presented(result: Answers, request: ApiRequest): Answers {
  if (isAsyncIterable(result))
    return mapAsyncIterator(
      result,
      (one) => presentedOne(one, request),
      (error: unknown) => ({ errors: [presentedAny(error, request)] }),
    );
  return presentedOne(result, request);
}

function presentedOne(result: ExecutionResult, request: ApiRequest): ExecutionResult {
  if (!result.errors) return result;
  // Further ones are all the same.
  const errors = result.errors.slice(0, MAX_ERRORS + 1).map((error) => presentedError(error, request));
  return { ...result, errors };
}

/** The error of an operation of which nothing is executed. */
function refusalOf(error: unknown, request: ApiRequest): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const overflow = overflowOf(error);
  if (overflow) return overflow;
  const { message, extensions } = presentedAny(error, request);
  const http = {
    status: extensions.code === 'INTERNAL' ? 500 : 400,
    ...(extensions.http as object | undefined),
  };
  return new GraphQLError(message, { extensions: { ...extensions, http } });
}

const noOperation = () =>
  badRequest('Could not determine what operation to execute.', { code: 'OPERATION_RESOLUTION_FAILURE' });

const mutationByGet = () =>
  badRequest('Can only perform a mutation operation from a POST request.', {
    http: { status: 405, headers: { Allow: 'POST' } },
  });

const noStream = () =>
  badRequest(`A subscription is sent as a stream: accept ${STREAM_TYPE}.`, { http: { status: 406 } });

const tooSlow = () =>
  new DomainError(
    'UNAVAILABLE',
    'The operation takes too long: what it has not done yet is not done any more.',
  );

const tooLate = () =>
  badRequest(
    'With an Idempotency-Key, only the first mutation of a document may set a password or look up a domain. Send the others in requests of their own.',
  );

const tooLong = () =>
  badRequest(
    'With an Idempotency-Key, a mutation of this many links must be the first of its document. Send it in a request of its own.',
  );
