// Executes GraphQL operations: `run` those of clients, and `runOwn` the product's own documents, such as those of v1. `run` is
// read from top to bottom: parse, check, count what it may cost, ask whether the caller may, execute, and present the errors.
// It reads no request and writes no response; of HTTP, it knows the status and headers of refusals. Everything that it knows of
// the product comes from the `Api`.
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type DocumentNode, type ExecutionResult, GraphQLError } from 'graphql';
import { isAsyncIterable, mapAsyncIterator } from 'graphql-yoga';
import { STREAM_TYPE } from '../http/request/accept.ts';
import { DomainError } from '../rules/errors.ts';
import { Deadline } from '../tools/deadline.ts';
import { tracer } from '../tools/tracing.ts';
import type { Api, EngineRequest, Execution } from './api.ts';
import type { OperationSize } from './cost/operation-size.ts';
import { measureOperation } from './cost/operation-size.ts';
import type { Definition } from './definition.ts';
import { type Documents, type Operation, Prepared } from './document.ts';
import { MAX_ERRORS } from './error-limit.ts';
import { type Asked, badRequest, presentedAny, presentedError } from './errors.ts';
import { subscribe } from './events.ts';
import { execute, type Values } from './execute.ts';
import { findOverflow, limits, tooLarge } from './limits.ts';
import { amountsIn, checkInputs } from './sent-values.ts';
import { withToldFailures } from './told-failures.ts';
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
  /**
   * True if the expected failures of mutations are told in fields of their own, and root fields and the items of their lists fail by
   * themselves, as `outcome.ts` reads them.
   */
  readonly tellsFailures?: boolean;
  /** By what a repeated request with an Idempotency-Key is recognized; by default by all that was sent. */
  sameAs?(): string;
}

type Variables = Readonly<Record<string, unknown>>;
/** The answer to an operation; those of a subscription. */
export type Answers = ExecutionResult | AsyncIterable<ExecutionResult>;
type AnyApi = Api<EngineRequest, EngineRequest & Execution>;

/** Runs an operation of a client. Nothing is executed before all checks; the first fault is the answer. */
export async function run<Request extends EngineRequest, Context extends Request & Execution>(
  api: Api<Request, Context>,
  documents: Documents,
  sent: Sent,
  request: Request,
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
    const isPriced = wantsPriceOnly(sent.extensions?.cost);
    const tellsChanges = wantsChanges(sent.extensions?.changes) && operation.isMutation;
    if (operation.isSubscription && !transport.acceptsStream && !isPriced) throw noStream();
    request.named(operation.name);
    const definitions = operation.node.variableDefinitions ?? [];
    const size = measureOperation(operation, variables, limits, amounts.values);
    checkInputs(size.inputs, amounts, definitions, { schema: api.schema, variables });
    checkSize(size);
    if (operation.isSubscription && size.cost > limits.event) throw tooLarge('event', Math.ceil(size.cost));
    const coerced = coerceVariables(api.schema, definitions, variables, (name) => operation.maxItemsIn(name));
    const ask = createAsk(api, operation, request);
    ask();
    if (isPriced) {
      if (operation.isMutation && request.keyed !== undefined) checkKeyedReads(size.reads);
      return withCost({ data: null }, size, api);
    }
    if (!operation.isSubscription) request.usedDeprecated(operation.facts.deprecated);
    const values = { given: variables, coerced };
    const isHeavy = size.values > HEAVY_VALUES;
    const changeIds: number[] = [];
    const executed = transport.tellsFailures ? withToldFailures(operation) : operation;
    const failsApart = transport.tellsFailures === true;
    const how = { throwsFailures: false, failsApart, isHeavy, changeIds };
    const checked = { operation: executed, values, request, ask, ...how };
    const execution = async () => {
      const answer = presented(await executeChecked(api, checked), request);
      return tellsChanges ? withChanges(answer, changeIds) : answer;
    };
    const result = await (operation.isMutation
      ? once(api, sent, size, request, ask, execution, transport.sameAs)
      : execution());
    return sent.extensions?.cost === true ? withCost(result, size, api) : result;
  } catch (error) {
    return { errors: [refuse(error, request)] };
  }
}

/**
 * Runs one of the product's own documents.
 * @returns its data
 * @throws the error of a field: DomainError for a refusal
 */
export async function runOwn<Data, Given, Request extends EngineRequest, Context extends Request & Execution>(
  api: Api<Request, Context>,
  document: TypedDocumentNode<Data, Given>,
  variables: Given,
  request: Request,
): Promise<Data> {
  const operation = ownOperation(api, document);
  const ask = createAsk(api, operation, request);
  ask();
  const given = variables as Variables; // Its type comes from the document: an object.
  const coerced = coerceVariables(api.schema, operation.node.variableDefinitions ?? [], given);
  const values = { given, coerced };
  const how = { throwsFailures: true, failsApart: false, isHeavy: false, changeIds: [] };
  const checked = { operation, values, request, ask, ...how };
  const result = await executeChecked(api, checked);
  if (isAsyncIterable(result)) throw new Error('no document of the product subscribes');
  const [error] = result.errors ?? [];
  if (error) throw error.originalError ?? error;
  return result.data as Data; // Its type comes from the document.
}

const own = new Map<DocumentNode, Operation>();

function ownOperation(definition: Definition, document: DocumentNode): Operation {
  const operation = own.get(document) ?? new Prepared(definition, document, []).operation(null);
  if (operation === null) throw new Error('the document has not one operation');
  own.set(document, operation);
  return operation;
}

/** @throws GraphQLError for an unknown value: it may be a misspelt one of a client that wants nothing to be executed */
function wantsPriceOnly(cost: unknown): boolean {
  if (cost === 'only') return true;
  if (cost === undefined || cost === null || typeof cost === 'boolean') return false;
  throw badRequest('extensions.cost may be true, or "only".');
}

/** @throws GraphQLError for an unknown value */
function wantsChanges(changes: unknown): boolean {
  if (changes !== undefined && changes !== null && typeof changes !== 'boolean')
    throw badRequest('extensions.changes may be true or false.');
  return changes === true;
}

/** Makes a function that costs no I/O: it throws what a new request would get, if the caller may not do the operation any more. */
function createAsk<Request extends EngineRequest>(
  { requirePermission }: Pick<AnyApi, 'requirePermission'>,
  { needs }: Operation,
  { actor }: Request,
): () => void {
  return () => {
    actor.requireAlive();
    for (const permission of needs) requirePermission(actor, permission);
  };
}

/** An operation that may be executed: all checks have passed. */
interface Checked<Request>
  extends Pick<Execution, 'operation' | 'ask' | 'throwsFailures' | 'failsApart' | 'isHeavy' | 'changeIds'> {
  readonly request: Request;
  readonly values: Values;
}

/** Executes an operation, on the database that its kind needs. Nothing begins after the client has left. */
async function executeChecked<Request extends EngineRequest, Context extends Request & Execution>(
  api: Api<Request, Context>,
  checked: Checked<Request>,
): Promise<Answers> {
  const { operation, request, ask } = checked;
  request.signal.throwIfAborted();
  if (operation.isMutation) return executeMutation(api, checked);
  const result = await executeIn(api, checked, request.signal, null);
  if (isAsyncIterable(result)) request.sendsStream();
  else ask();
  return result;
}

/** Executes a mutation, which is completed even if its client leaves, or ended when its time is over. */
async function executeMutation<Request extends EngineRequest, Context extends Request & Execution>(
  api: Api<Request, Context>,
  checked: Checked<Request>,
): Promise<Answers> {
  const { timeouts, data } = checked.request;
  const deadline = new Deadline(timeouts.mutation, tooSlow);
  const { signal } = deadline;
  try {
    return await deadline.within(executeIn(api, checked, signal, deadline));
  } catch (error) {
    if (!signal.aborted || !(error instanceof DomainError)) throw error;
    return { data: null, errors: [new GraphQLError(error.message, { originalError: error })] };
  } finally {
    await data.wrote();
  }
}

/** Executes an operation in a context of its own. */
function executeIn<Request extends EngineRequest, Context extends Request & Execution>(
  api: Api<Request, Context>,
  { request, values, ...checked }: Checked<Request>,
  signal: AbortSignal,
  deadline: Deadline | null,
): Promise<Answers> {
  const { operation } = checked;
  const context = api.contextOf(request, { ...checked, signal, deadline });
  const begin = () =>
    operation.isSubscription
      ? subscribe(api, operation, values, context)
      : execute(operation, values, context);
  return context.running(() => (tracer ? tracer.operation(operation.node, begin) : begin()));
}

/** Runs a mutation, unless its Idempotency-Key has an answer: `answerOnce` then sends that, whatever this returns. */
async function once(
  api: Pick<AnyApi, 'rollsBack'>,
  { query, operationName, variables, extensions }: Sent,
  { reads }: OperationSize,
  { keyed }: EngineRequest,
  ask: () => void,
  execution: () => Promise<Answers>,
  sameAs = () => JSON.stringify(['graphql', query, operationName, variables, extensions]),
): Promise<Answers> {
  if (keyed === undefined) return execution();
  try {
    if ((await keyed.begin(sameAs(), ask)) !== null) return { data: null };
    checkKeyedReads(reads);
  } catch (error) {
    keyed.fail();
    throw error;
  }
  const result = await execution();
  const rollsBack = (error: GraphQLError) => TRANSIENT.has(error.extensions.code) || api.rollsBack(error);
  if (isAsyncIterable(result) || !result.errors?.some(rollsBack)) return result;
  keyed.fail();
  return { data: null, errors: result.errors };
}

/** The codes of errors after which everything is rolled back, and the same request may succeed. */
const TRANSIENT = new Set<unknown>(['INTERNAL', 'UNAVAILABLE', 'RATE_LIMITED', 'BAD_REQUEST']);

/** An operation whose answer may have more values is executed in slices, with pauses for other work. */
const HEAVY_VALUES = 20_000;

/** @throws GraphQLError if the operation is too large */
export function checkSize(size: OperationSize): void {
  const measures = ['depth', 'breadth', 'records', 'cost'] as const;
  const over = measures.find((measure) => size[measure] > limits[measure]);
  if (over) throw tooLarge(over, Math.ceil(size[over]));
}

/** @throws GraphQLError if an operation reads too much for a write with an Idempotency-Key */
function checkKeyedReads(reads: number): void {
  if (reads > limits.keyedReads) throw tooLarge('keyedReads', Math.ceil(reads));
}

/** The result with the cost, for a client that asks for it. */
function withCost(
  result: Answers,
  { cost, depth, breadth }: OperationSize,
  { limits: told }: Pick<AnyApi, 'limits'>,
): Answers {
  if (isAsyncIterable(result)) return result;
  return {
    ...result,
    extensions: { ...result.extensions, cost: { cost: Math.ceil(cost), depth, breadth, limits: told } },
  };
}

/** The result of a mutation with the changes that it has recorded. */
function withChanges(result: Answers, changeIds: readonly number[]): Answers {
  if (isAsyncIterable(result)) return result;
  return { ...result, extensions: { ...result.extensions, changes: changeIds.map(String) } };
}

/** The result with the errors that callers may see. */
function presented(result: Answers, request: Asked): Answers {
  if (isAsyncIterable(result))
    return mapAsyncIterator(
      result,
      (one) => presentedOne(one, request),
      (error: unknown) => ({ errors: [presentedAny(error, request)] }),
    );
  return presentedOne(result, request);
}

function presentedOne(result: ExecutionResult, request: Asked): ExecutionResult {
  if (!result.errors) return result;
  // Further ones are all the same.
  const errors = result.errors.slice(0, MAX_ERRORS + 1).map((error) => presentedError(error, request));
  return { ...result, errors };
}

/** Makes the error of an operation of which nothing is executed. */
function refuse(error: unknown, request: Asked): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const overflow = findOverflow(error);
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
