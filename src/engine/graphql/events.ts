import { hash } from 'node:crypto';
import { execute } from '@graphql-tools/executor';
import {
  createSourceEventStream,
  type DefinitionNode,
  type ExecutionResult,
  GraphQLError,
  Kind,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { isAsyncIterable, mapAsyncIterator } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../rules/errors.ts';
import type { EventSource } from '../tools/event-source.ts';
import type { Api, EngineRequest, Execution } from './api.ts';
import { measureOperation } from './cost/operation-size.ts';
import type { Operation } from './document.ts';
import { executable, type Values } from './execute.ts';

/** Maximum number of event values kept for subscribers with the same selection, by the cost of the events. */
const MAX_SHARED = 300_000;

type Results = LRUCache<string, Promise<ExecutionResult>>;

/** The results of events, by the subscribers of a service. */
const shared = new WeakMap<object, Results>();

function getResults({ subscriptions }: EngineRequest): Results {
  const known = shared.get(subscriptions);
  if (known !== undefined) return known;
  const results: Results = new LRUCache({ maxSize: MAX_SHARED });
  shared.set(subscriptions, results);
  return results;
}

/** The part of a subscription on which the result of an event depends. */
interface Selection {
  readonly text: string;
  /** The names of the variables in it. */
  readonly variables: readonly string[];
}

const selections = new WeakMap<Operation, Selection>();

/** Returns what a subscription selects, without the arguments of its root field: they only choose the events. */
function readSelection(operation: Operation): Selection {
  const known = selections.get(operation);
  if (known !== undefined) return known;
  const { document, node, schema } = operation;
  const types = new TypeInfo(schema);
  const variables = new Set<string>();
  const isNeeded = (one: DefinitionNode) => one === node || one.kind === Kind.FRAGMENT_DEFINITION;
  const definitions = document.definitions.filter(isNeeded);
  const selected = visit(
    { ...document, definitions },
    visitWithTypeInfo(types, {
      OperationDefinition: (one) => ({ ...one, name: undefined, variableDefinitions: [] }),
      Field: (one) =>
        types.getParentType() === schema.getSubscriptionType() ? { ...one, arguments: [] } : undefined,
      Variable: ({ name }) => void variables.add(name.value),
    }),
  );
  const selection = { text: print(selected), variables: [...variables].sort() };
  selections.set(operation, selection);
  return selection;
}

/** A key that only subscribers have who get the same result of an event: by what they select, and what they may see. */
function makeResultKey(operation: Operation, { coerced }: Values, { actor }: EngineRequest): string {
  const { text, variables } = readSelection(operation);
  const permissions = [...actor.permissions].sort();
  const values = variables.map((name) => coerced[name] ?? null);
  return hash('sha256', JSON.stringify([actor.accountId, permissions, text, variables, values]));
}

/** The number of an event, which no other event has; undefined for what only one subscriber gets. */
function readChangeNumber(event: unknown): number | undefined {
  return typeof event === 'object' && event !== null && 'id' in event && typeof event.id === 'number'
    ? event.id
    : undefined;
}

function isEventSource(source: AsyncIterable<unknown>): source is EventSource<unknown> {
  return 'delivered' in source;
}

/**
 * Begins a subscription. Each event is executed in a turn of its account, once for subscribers with the same selection.
 * @returns the answers, or why it could not begin
 */
export async function subscribe<Request extends EngineRequest, Context extends Request & Execution>(
  api: Pick<Api<Request, Context>, 'contextOf'>,
  operation: Operation,
  values: Values,
  context: Context,
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const { node } = operation;
  const args = { ...executable(operation), operationName: node.name?.value, variableValues: values.coerced };
  const source = await createSourceEventStream({ ...args, contextValue: context });
  if (!isAsyncIterable(source)) return source;
  if (!isEventSource(source)) throw new Error('the subscription does not say when its events are delivered');
  const { subscriptions, actor, isHeavy } = context;
  const results = getResults(context);
  const key = makeResultKey(operation, values, context);
  const size = Math.ceil(measureOperation(operation, values.given).cost);
  const asBegun = { ...actor, requireAlive() {} };

  const executed = async (event: unknown): Promise<ExecutionResult> => {
    // Others may get the result, too, so that it ends neither with this subscriber nor with its rights.
    const { signal } = new AbortController();
    const fresh = { deadline: null, ask() {}, throwsFailures: false, failsApart: false, changeIds: [] };
    const execution = { operation, signal, isHeavy, ...fresh };
    const contextValue = api.contextOf({ ...context, actor: asBegun }, execution);
    const result = await execute({ ...args, rootValue: event, contextValue });
    if ('initialResult' in result) throw new Error('an event has one answer');
    return result;
  };
  const once = (event: unknown): Promise<ExecutionResult> => {
    const number = readChangeNumber(event);
    if (number === undefined) return executed(event);
    const name = `${key} ${number}`;
    const known = results.get(name);
    if (known !== undefined) return known;
    const result = executed(event);
    results.set(name, result, { size });
    const forget = () => results.delete(name);
    result.then(({ errors }) => errors && forget(), forget);
    return result;
  };
  const asked = async (event: unknown): Promise<ExecutionResult> => {
    // Nobody waits for it any more.
    if (context.signal.aborted) return { data: null };
    try {
      context.ask();
      const result = await once(event);
      context.ask();
      return result;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { errors: [new GraphQLError(error.message, { originalError: error })] };
    }
  };
  const answerTo = (event: unknown): Promise<ExecutionResult> =>
    event instanceof Error ? executed(event) : subscriptions.inTurn(actor.accountId, () => asked(event));
  return mapAsyncIterator(source, async (event) => {
    const answer = await answerTo(event);
    source.delivered();
    return answer;
  });
}
