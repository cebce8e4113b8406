import './scalars.ts';
import './access.ts';
import './viewer.ts';
import './space.ts';
import './tag.ts';
import './domain.ts';
import './pixel.ts';
import './utm-template.ts';
import './link/link.ts';
import './link/explain.ts';
import './link/import.ts';
import './statistics.ts';
import './change.ts';
import './revert.ts';
import './webhook.ts';
import './saved-operation.ts';
import './saved-view.ts';
import { defaultFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { tracer } from '../engine/tools/tracing.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';

/** The schema, whose resolvers are parts of traces if they read and if there is a tracer. */
function withTraces<Schema extends GraphQLSchema>(schema: Schema): Schema {
  const tracing = tracer;
  if (tracing === undefined) return schema;
  for (const type of Object.values(schema.getTypeMap()))
    for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
      const { resolve } = field;
      if (resolve)
        field.resolve = (...given) => tracing.reading(`${type}.${field.name}`, () => resolve(...given));
    }
  return schema;
}

/** The schema, of which no root field begins for a caller who has no right to it any more, and no mutation after its time. */
function withQuestions<Schema extends GraphQLSchema>(schema: Schema): Schema {
  const mutation = schema.getMutationType();
  for (const type of [schema.getQueryType(), mutation])
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field;
      if (resolve)
        field.resolve = (root, args, context: Context, info) => {
          if (type === mutation) context.signal.throwIfAborted();
          context.ask();
          return resolve(root, args, context, info);
        };
    }
  return schema;
}

/**
 * Types within a value that may be large but usually is not, as a link's rules. Their costs are those of usual ones; what they have
 * beyond is counted with the size of targets, again for each alias.
 */
const countedTypes =
  'ChangedValue LinkRule RuleCondition RuleTarget Codes Platforms Devices QueryCondition TimeCondition HoursCondition RuleTest RuleTestVisitor RuleExpectation'.split(
    ' ',
  );

/** Bytes of a value in an answer, beside its text. */
const VALUE_BYTES = 50;

function countBytes(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + countBytes(one), VALUE_BYTES);
  return VALUE_BYTES + (typeof value === 'string' ? value.length : 0);
}

/** Counts a part of rules in the answer, unless it was counted as they were read. */
function spendOnPart({ spendOnTargets, rulesRead }: Context, bytes: number): void {
  const counted = Math.min(bytes, rulesRead.bytes);
  rulesRead.bytes -= counted;
  spendOnTargets(bytes - counted);
}

/** The schema, which counts the size of the types above as they are read. */
function withSizes<Schema extends GraphQLSchema>(schema: Schema): Schema {
  for (const name of countedTypes) {
    const type = schema.getType(name);
    if (!isObjectType(type)) throw new Error(`no type ${name}`);
    for (const field of Object.values(type.getFields())) {
      const { resolve = defaultFieldResolver } = field;
      field.resolve = (value, args, context: Context, info) => {
        const found: unknown = resolve(value, args, context, info);
        spendOnPart(context, countBytes(found));
        return found;
      };
    }
  }
  return schema;
}

/** The schema with a text for people who open it first. */
function described<Schema extends GraphQLSchema>(schema: Schema): Schema {
  schema.description =
    'Short links of an account, with their spaces, tags, domains, pixels and statistics, and the people and webhooks that ' +
    'work with them. Every request needs an API key or a session.';
  return schema;
}

export const schema = withTraces(withSizes(withQuestions(described(builder.toSchema()))));

/** Builds the schema for covered documents, whose rows have all that their fields select. */
export const coveredSchema = (): typeof schema =>
  withTraces(withSizes(withQuestions(builder.toSchema({ isCovered: true }))));
