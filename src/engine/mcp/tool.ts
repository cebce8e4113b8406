// Tools of agents. A tool is an operation under a name: its schemas come from the document, and its results from the outcome.
import type { Operation } from '../graphql/document.ts';
import { type JsonSchema, SchemaWriter } from '../graphql/json-schema.ts';
import { type Outcome, rootFields } from '../graphql/outcome.ts';
import { encodeFailure, failuresBelow, readAnswer, type Wording, wasDone } from '../rest/run/answer.ts';
import { describeData, failureSchema } from '../rest/run/data-schema.ts';
import { escapeHidden } from '../tools/hidden.ts';

/** An operation as a tool. */
export interface ToolOperation {
  readonly name: string;
  readonly description: string;
  readonly operation: Operation;
}

/** A tool as clients get it. It has no text of records. */
export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly outputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
}

/** The result of a call, as clients get it. */
export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
}

const BASE = '#/$defs/';
const failureRef: JsonSchema = { $ref: `${BASE}Failure` };

/** An object with the schemas that it refers to. */
function complete(schema: JsonSchema, definitions: Readonly<Record<string, unknown>>) {
  const parts = Object.keys(definitions).length > 0 ? { $defs: { ...definitions } } : {};
  return { ...schema, type: 'object', ...parts } as const;
}

function describeInput(operation: Operation) {
  const writer = new SchemaWriter(BASE, failureRef);
  return complete(writer.variables(operation), writer.definitions);
}

/** The schema without descriptions: a model reads the list in each conversation, and sees the values anyway. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  // A property of this name has a schema, not a text.
  const parts = Object.entries(schema).filter(
    ([name, value]) => name !== 'description' || typeof value !== 'string',
  );
  return Object.fromEntries(parts.map(([name, value]) => [name, plain(value)]));
}

/** The schema of `{ data, changes }`; only writes have changes. */
function describeOutput(operation: Operation) {
  const writer = new SchemaWriter(BASE, failureRef);
  const data = plain(describeData(operation, writer, failureRef));
  const changes: JsonSchema = {
    type: 'array',
    items: { type: 'string' },
    description: 'The ids of the changes that the call has made, in order.',
  };
  const schema = {
    properties: { data, ...(operation.isMutation && { changes }) },
    required: ['data', ...(operation.isMutation ? ['changes'] : [])],
  };
  const usesFailure = JSON.stringify(schema).includes(JSON.stringify(failureRef));
  const definitions = Object.entries(writer.definitions).map(([name, one]) => [name, plain(one)] as const);
  return complete(schema, {
    ...Object.fromEntries(definitions),
    ...(usesFailure && { Failure: failureSchema }),
  });
}

/** Hints by the names of the root fields; to update or delete twice is to do so once. */
function makeHints(operation: Operation, onlyAdds: OnlyAdds): DescribedTool['annotations'] {
  if (!operation.isMutation) return { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  const names = [...rootFields(operation).values()].map(({ name }) => name.value);
  return {
    readOnlyHint: false,
    destructiveHint: !names.every(onlyAdds),
    idempotentHint: names.every((name) => /^(update|delete)/.test(name)),
  };
}

/** True for a root field of mutations that makes records, and gives nobody a right or an access. */
export type OnlyAdds = (field: string) => boolean;

export function describeTool(
  { name, description, operation }: ToolOperation,
  onlyAdds: OnlyAdds,
): DescribedTool {
  return {
    ...{ name, description },
    inputSchema: describeInput(operation),
    outputSchema: describeOutput(operation),
    annotations: makeHints(operation, onlyAdds),
  };
}

/** A tool without the fields of its schemas, for a list that has no room for them. */
export function shortenTool({ inputSchema, outputSchema, ...tool }: DescribedTool): DescribedTool {
  const { required = [] } = outputSchema;
  return { ...tool, inputSchema: { type: 'object' }, outputSchema: { type: 'object', required } };
}

function asText(value: unknown): ToolResult['content'] {
  return [{ type: 'text', text: escapeHidden(JSON.stringify(value)) }];
}

/** The result of a call that did nothing. */
export function failedResult(failure: NonNullable<Outcome['refused']>, wording: Wording): ToolResult {
  const { error } = encodeFailure(failure, wording);
  const { reason, retryAfter } = failure;
  const more = { ...(reason !== null && { reason }), ...(retryAfter !== null && { retryAfter }) };
  return { content: asText({ error: { ...error, ...more } }), isError: true };
}

/** True if an operation has failed, and no field of it has done anything. */
function didNothing(
  operation: Operation,
  { data, failures, extensions: { changes = [] } }: Outcome,
): boolean {
  if (failures.length === 0) return false;
  if (!operation.isMutation) return true;
  if (Array.isArray(changes) && changes.length > 0) return false;
  if (failures.some((one) => wasDone(operation, one))) return false;
  const values = Object.values(data ?? {}).flat();
  return values.every((value) => value === null);
}

/** The result of a call. It is an error if nothing was done, or if the data of a query lack a part. */
export function encodeResult(operation: Operation, outcome: Outcome, wording: Wording): ToolResult {
  const below = operation.isMutation ? failuresBelow(outcome) : [];
  const failures = outcome.failures.filter((one) => !below.includes(one));
  const answered = readAnswer(operation, { ...outcome, failures }, wording);
  if (answered.failure !== null) return failedResult(answered.failure, wording);
  const { changes = [] } = outcome.extensions;
  const isOne = rootFields(operation).size === 1;
  const told = below.map(({ place, failure }) => ({
    place: (isOne ? place.slice(1) : place).join('.'),
    ...encodeFailure(failure, wording),
  }));
  const result = {
    data: answered.data,
    ...(operation.isMutation && { changes }),
    ...(told.length > 0 && { failures: told }),
  };
  return {
    content: asText(result),
    structuredContent: result,
    ...(didNothing(operation, outcome) && { isError: true }),
  };
}
