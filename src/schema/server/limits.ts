import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionArgs,
  type FragmentDefinitionNode,
  GraphQLError,
  getOperationAST,
  Kind,
  type ParseOptions,
  parse,
  type Source,
  type Token,
  TokenKind,
  type ValidationContext,
} from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { type DomainError, invalid } from '../../domain/errors.ts';
import { schema } from '../index.ts';
import type { Context } from './context.ts';
import { CostReckoner, type OperationSize } from './cost.ts';

/** What an operation may have; a page of links with all that belongs to them is far below. */
const limits = {
  /** Words and signs of the text. */
  tokens: 10_000,
  /** Brackets within brackets, of all kinds. */
  nesting: 100,
  /** Characters of a name or an alias, which an answer repeats for every record. */
  nameLength: 100,
  aliases: 200,
  directives: 50,
  depth: 15,
  /** Selected fields, those of a fragment as often as it is spread. */
  breadth: 2_000,
  /** Values of the answer, where every page and list is full, weighed by their length, and the work for them. */
  cost: 300_000,
  /** What the targets of links in an answer may take, in bytes: each of their lists may take half a megabyte. */
  targetBytes: 10_000_000,
  /** Records that are created, updated or deleted. */
  records: 100,
};

const measured = {
  tokens: 'number of tokens',
  nesting: 'nesting',
  nameLength: 'length of a name',
  aliases: 'number of aliases',
  directives: 'number of directives',
  depth: 'depth',
  breadth: 'number of fields',
  cost: 'cost',
  records: 'number of changed records',
  targetBytes: 'size of targets',
} as const;

/** From how many values of its answer on an operation is executed in slices, so that others have their turn. */
const HEAVY = 20_000;

function tooMuch(what: keyof typeof measured, size: number): GraphQLError {
  const limit = limits[what];
  return new GraphQLError(`The operation's ${measured[what]}, ${size}, is above the limit of ${limit}.`, {
    extensions: { code: 'TOO_COSTLY', [what]: size, limit, http: { status: 400 } },
  });
}

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** @throws GraphQLError where brackets are nested too deeply, or a name is too long */
function checkTokens(first: Token | undefined): void {
  let nesting = 0;
  for (let token = first ?? null; token !== null; token = token.next) {
    if (opening.has(token.kind) && ++nesting > limits.nesting) throw tooMuch('nesting', nesting);
    if (closing.has(token.kind)) nesting--;
    const length = token.kind === TokenKind.NAME ? (token.value ?? '').length : 0;
    if (length > limits.nameLength) throw tooMuch('nameLength', length);
  }
}

/** Parses a document that keeps to the limits of its text. */
function parseWithin(source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    const document = parse(source, { ...options, maxTokens: limits.tokens });
    checkTokens(document.loc?.startToken);
    return document;
  } catch (error) {
    // The parser calls itself for each bracket, and a thousand of them are more than the stack takes.
    if (error instanceof RangeError) throw tooMuch('nesting', limits.tokens);
    // The parser stops at the first token beyond, and says so as of a wrong one.
    if (error instanceof GraphQLError && error.message.endsWith('tokens. Parsing aborted.'))
      throw tooMuch('tokens', limits.tokens + 1);
    throw error;
  }
}

/** Refuses documents with too many aliases or directives. */
function maxAliasesRule(context: ValidationContext): ASTVisitor {
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

const reckoner = new CostReckoner(schema);

function isFragment(node: { kind: string }): node is FragmentDefinitionNode {
  return node.kind === Kind.FRAGMENT_DEFINITION;
}

/** How many sizes are remembered of a document, by its variables. */
const SIZES = 100;
/** Texts that are as long as this may be names that a size depends on; of longer ones it matters only that they are there. */
const SHORT = 16;

const sizes = new WeakMap<DocumentNode, LRUCache<string, OperationSize>>();

/** What of the variables the size of an operation depends on. */
function shapeOf(operationName: string | null | undefined, variables: object): string {
  return JSON.stringify([operationName, variables], (_key, value) =>
    typeof value === 'string' && value.length > SHORT ? true : value,
  );
}

type Operation = Pick<ExecutionArgs, 'document' | 'operationName' | 'variableValues'>;

/** What the operation asks for; null where there is none to execute. */
function sizeOf({ document, operationName, variableValues }: Operation): OperationSize | null {
  const operation = getOperationAST(document, operationName);
  if (!operation) return null;
  const known = sizes.get(document) ?? new LRUCache({ max: SIZES });
  sizes.set(document, known);
  const shape = shapeOf(operationName, variableValues ?? {});
  const before = known.get(shape);
  if (before) return before;
  const fragments = document.definitions.filter(isFragment);
  const named = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  const size = reckoner.sizeOf(operation, named, variableValues ?? {});
  if (shape.length <= 1_000) known.set(shape, size);
  return size;
}

/** The error that an operation is too large for; null where it is not. */
function excessOf(size: OperationSize | null): GraphQLError | null {
  if (size === null) return null;
  const over = (['depth', 'breadth', 'records', 'cost'] as const).find((what) => size[what] > limits[what]);
  return over === undefined ? null : tooMuch(over, Math.ceil(size[over]));
}

/** Whether the request asks what it costs: `"extensions": {"cost": true}` beside its query. */
function asksForCost({ extensions }: GraphQLParams): boolean {
  return extensions?.cost === true;
}

/** What the targets of a page of v1 may take, in bytes: those of ten links fit, whatever they have. */
const V1_TARGETS = 16_000_000;

function tooManyLinks(): DomainError {
  return invalid([
    {
      path: ['perPage'],
      messages: [`asks for links with more than ${V1_TARGETS / 1e6} MB of targets: ask for fewer`],
    },
  ]);
}

/** Adds up what it is given, and throws where that is more than the limit. */
function bounded(limit: number, error: (sum: number) => Error): (more: number) => void {
  let sum = 0;
  return (more) => {
    sum += more;
    if (sum > limit) throw error(sum);
  };
}

/** What an execution may spend, as its context says. */
type Allowance = Required<Pick<Context, 'isHeavy' | 'spendOnTargets'>>;

function allowed({ values }: OperationSize): Allowance {
  return {
    isHeavy: values > HEAVY,
    spendOnTargets: bounded(limits.targetBytes, (bytes) => tooMuch('targetBytes', bytes)),
  };
}

/** The same; null where the operation asks for too much. */
export function allowanceOf(operation: Operation): Allowance | null {
  const size = sizeOf(operation);
  return size === null || excessOf(size) !== null ? null : allowed(size);
}

/** What an execution of our own documents, over v1, may spend: all that they can ask for too much of is what targets take. */
export function allowanceOfV1(): Pick<Context, 'spendOnTargets'> {
  return { spendOnTargets: bounded(V1_TARGETS, tooManyLinks) };
}

/** Refuses operations that would cost too much, before anything of them is executed. */
export const useLimits: Plugin<Context> = {
  onParse: ({ setParseFn }) => setParseFn(parseWithin),
  onValidate: ({ addValidationRule }) => addValidationRule(maxAliasesRule),
  onSubscribe({ args, setResultAndStopExecution }) {
    const over = excessOf(sizeOf(args));
    if (over) setResultAndStopExecution({ errors: [over] });
  },
  onExecute({ args, setResultAndStopExecution, extendContext }) {
    const context: Context & { params?: GraphQLParams } = args.contextValue;
    if (context.params === undefined) return extendContext(allowanceOfV1());
    const size = sizeOf(args);
    const over = excessOf(size);
    if (over) return setResultAndStopExecution({ errors: [over] });
    if (size === null) return;
    extendContext(allowed(size));
    if (!asksForCost(context.params)) return;
    return {
      onExecuteDone({ result, setResult }) {
        if ('next' in result) return;
        const { depth, breadth } = size;
        const cost = Math.ceil(size.cost);
        setResult({
          ...result,
          extensions: { ...result.extensions, cost: { cost, depth, breadth, limits } },
        });
      },
    };
  },
};

/** How much text of documents is remembered parsed, in characters: parsed, a text takes some fifty times as much memory. */
const REMEMBERED = 500_000;

/** Remembers parsed documents, as many as there is room for; those that could not be parsed are not worth it. */
export const documentCaches = {
  documentCache: new LRUCache<string, DocumentNode>({
    maxSize: REMEMBERED,
    sizeCalculation: (_document, text) => text.length + 100,
  }),
  errorCache: { get: () => undefined, set: () => {} },
};
