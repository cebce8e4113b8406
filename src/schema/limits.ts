import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  getOperationAST,
  Kind,
  parse,
  type ValidationContext,
} from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { Context } from './context.ts';
import { schema } from './index.ts';

/** What an operation may have; a page of links with all that belongs to them is far below. */
const limits = {
  /** Words and signs of the text. */
  tokens: 10_000,
  aliases: 200,
  directives: 50,
  depth: 15,
  /** Selected fields, those of a fragment as often as it is spread. */
  breadth: 2_000,
  /** Fields of the answer, where every page is full. */
  cost: 100_000,
};

const measured = {
  aliases: 'number of aliases',
  directives: 'number of directives',
  depth: 'depth',
  breadth: 'number of fields',
  cost: 'cost',
} as const;

function tooMuch(what: keyof typeof measured, size: number): GraphQLError {
  const limit = limits[what];
  return new GraphQLError(`The operation's ${measured[what]}, ${size}, is above the limit of ${limit}.`, {
    extensions: { code: 'TOO_COSTLY', [what]: size, limit, http: { status: 400 } },
  });
}

/** Refuses documents with too many aliases or directives. */
function sparingly(context: ValidationContext): ASTVisitor {
  let [aliases, directives] = [0, 0];
  return {
    Field({ alias }) {
      if (alias) aliases++;
    },
    Directive() {
      directives++;
    },
    Document: {
      leave() {
        if (aliases > limits.aliases) context.reportError(tooMuch('aliases', aliases));
        if (directives > limits.directives) context.reportError(tooMuch('directives', directives));
      },
    },
  };
}

/** What the operation costs; null where it cannot be told, since its variables are wrong and it will be refused for them. */
function costOf({ document, operationName, variableValues }: ExecutionArgs, context: Context) {
  const operation = getOperationAST(document, operationName);
  if (!operation) return null;
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const alone: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] };
  try {
    const { complexity, ...rest } = complexityFromQuery(alone, {
      schema,
      ctx: context,
      variables: { ...variableValues },
    });
    return { cost: complexity, ...rest };
  } catch {
    return null;
  }
}

/** Whether the request asks what it costs: `"extensions": {"cost": true}` beside its query. */
function asksForCost({ extensions }: GraphQLParams): boolean {
  return extensions?.cost === true;
}

/** Refuses operations that would cost too much, before anything of them is executed. */
export const useLimits: Plugin<Context> = {
  onParse: ({ setParseFn }) =>
    setParseFn((source, options) => parse(source, { ...options, maxTokens: limits.tokens })),
  onValidate: ({ addValidationRule }) => addValidationRule(sparingly),
  onExecute({ args, setResultAndStopExecution }) {
    const context: Context & { params?: GraphQLParams } = args.contextValue;
    // Our own documents, over v1, come without any: what they ask for is bounded there.
    if (context.params === undefined) return;
    const costs = costOf(args, context);
    if (costs === null) return;
    const over = (['depth', 'breadth', 'cost'] as const).find((what) => costs[what] > limits[what]);
    if (over) return setResultAndStopExecution({ errors: [tooMuch(over, costs[over])] });
    if (!asksForCost(context.params)) return;
    return {
      onExecuteDone({ result, setResult }) {
        if ('next' in result) return;
        const { cost, depth, breadth } = costs;
        setResult({
          ...result,
          extensions: { ...result.extensions, cost: { cost, depth, breadth, limits } },
        });
      },
    };
  },
};
