import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
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
import type { Context } from './context.ts';
import type { OperationSize } from './cost-calculator.ts';
import { sizeOf } from './operation-size.ts';

/** The limits of an operation; a page of links with all of their fields is far below. */
const limits = {
  /** Words and punctuation of the document. */
  tokens: 10_000,
  /** Lines of the document: each error looks for its line from the first one on. */
  lines: 5_000,
  /** Nested brackets of all kinds, in the document or in its variables. */
  nesting: 100,
  /** Characters of a name or an alias, which an answer repeats for every record. */
  nameLength: 100,
  aliases: 200,
  directives: 50,
  depth: 15,
  /** Selected fields; those of a fragment count each time it is used. */
  breadth: 2_000,
  /** Comparisons of fields that have the same name in the answer, two for each pair: graphql-js fixes this limit. */
  comparisons: 500_000,
  /** Values of the largest possible answer, weighted by length, and the work for them. */
  cost: 300_000,
  /** The size of links' targets in an answer, in bytes: a single list can have half a megabyte. */
  targetBytes: 10_000_000,
  /** Records that are created, updated or deleted. */
  records: 100,
};

const measured = {
  tokens: 'number of tokens',
  lines: 'number of lines',
  nesting: 'nesting',
  nameLength: 'length of a name',
  aliases: 'number of aliases',
  directives: 'number of directives',
  depth: 'depth',
  breadth: 'number of fields',
  comparisons: 'number of comparisons between fields of the same name',
  cost: 'cost',
  records: 'number of changed records',
  targetBytes: 'size of targets',
} as const;

/** From how many values of its answer on an operation is executed in slices, with pauses for other work. */
const SLICED_FROM = 20_000;

function tooMuch(what: keyof typeof measured, size: number): GraphQLError {
  const limit = limits[what];
  return new GraphQLError(`The operation's ${measured[what]}, ${size}, is above the limit of ${limit}.`, {
    extensions: { code: 'TOO_COSTLY', [what]: size, limit, http: { status: 400 } },
  });
}

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** @throws GraphQLError if brackets are nested too deeply, or a name is too long */
function checkTokens(first: Token | undefined): void {
  let nesting = 0;
  for (let token = first ?? null; token !== null; token = token.next) {
    if (opening.has(token.kind) && ++nesting > limits.nesting) throw tooMuch('nesting', nesting);
    if (closing.has(token.kind)) nesting--;
    const length = token.kind === TokenKind.NAME ? (token.value ?? '').length : 0;
    if (length > limits.nameLength) throw tooMuch('nameLength', length);
  }
}

/** Whether objects and lists are nested beyond the limit: functions that walk through them are recursive. */
export function isNestedTooDeeply(value: unknown, levels = limits.nesting): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isNestedTooDeeply(inner, levels - 1));
}

const LINE_BREAKS = /\r\n|[\n\r]/g;

/** @throws GraphQLError if the text has too many lines */
function checkLines(text: string): void {
  let lines = 1;
  for (const _ of text.matchAll(LINE_BREAKS)) if (++lines > limits.lines) throw tooMuch('lines', lines);
}

/** Parses a document within the limits. */
function parseWithin(source: string | Source, options?: ParseOptions): DocumentNode {
  checkLines(typeof source === 'string' ? source : source.body);
  try {
    const document = parse(source, { ...options, maxTokens: limits.tokens });
    checkTokens(document.loc?.startToken);
    return document;
  } catch (error) {
    // The parser is recursive: thousands of nested brackets overflow the stack.
    if (error instanceof RangeError) throw tooMuch('nesting', limits.tokens);
    // The parser reports the first token beyond the limit as a syntax error.
    if (error instanceof GraphQLError && error.message.endsWith('tokens. Parsing aborted.'))
      throw tooMuch('tokens', limits.tokens + 1);
    throw error;
  }
}

/** Refuses documents with too many aliases or directives, and a variable with a name that the executor overlooks. */
function ownRules(context: ValidationContext): ASTVisitor {
  let [aliases, directives] = [0, 0];
  return {
    // It would have a size in the cost, and none in the execution.
    VariableDefinition({ variable }) {
      if (variable.name.value !== '__proto__') return;
      context.reportError(
        new GraphQLError('A variable may not have the name "__proto__".', { nodes: variable }),
      );
    },
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

/** The error for an operation that is too large; null if it is not. */
function excessOf(size: OperationSize | null): GraphQLError | null {
  if (size === null) return null;
  const over = (['depth', 'breadth', 'records', 'cost'] as const).find((what) => size[what] > limits[what]);
  return over === undefined ? null : tooMuch(over, Math.ceil(size[over]));
}

/** Whether the request asks for its cost, with `"extensions": {"cost": true}`. */
function asksForCost({ extensions }: GraphQLParams): boolean {
  return extensions?.cost === true;
}

/** The maximum size of targets on a page of v1, in bytes: those of any ten links fit. */
const V1_TARGETS = 16_000_000;

function tooManyLinks(): DomainError {
  return invalid([
    {
      path: ['perPage'],
      messages: [`asks for links with more than ${V1_TARGETS / 1e6} MB of targets: ask for fewer`],
    },
  ]);
}

/** Adds up its arguments, and throws beyond the limit. */
function bounded(limit: number, error: (sum: number) => Error): (more: number) => void {
  let sum = 0;
  return (more) => {
    sum += more;
    if (sum > limit) throw error(sum);
  };
}

/** The limits of an execution in its context. */
type Allowance = Required<Pick<Context, 'isHeavy' | 'spendOnTargets'>>;

function allowed({ values }: OperationSize): Allowance {
  return {
    isHeavy: values > SLICED_FROM,
    spendOnTargets: bounded(limits.targetBytes, (bytes) => tooMuch('targetBytes', bytes)),
  };
}

/** The limits of v1's own documents: only the size of targets can be too large. */
function allowanceOfV1(): Pick<Context, 'spendOnTargets'> {
  return { spendOnTargets: bounded(V1_TARGETS, tooManyLinks) };
}

/** Refuses operations that are too large, before they are executed. */
export const useLimits: Plugin<Context> = {
  onParams({ params: { variables, extensions }, setResult }) {
    if (isNestedTooDeeply(variables) || isNestedTooDeeply(extensions))
      setResult({ errors: [tooMuch('nesting', limits.nesting + 1)] });
  },
  onParse: ({ setParseFn }) => setParseFn(parseWithin),
  onValidate({ addValidationRule }) {
    addValidationRule(ownRules);
    return ({ result, setResult }) => {
      // The rule that compares fields of the same name gives up without saying what was too much.
      if (result.some(({ message }: Error) => message === 'Validation aborted.'))
        setResult([tooMuch('comparisons', limits.comparisons + 1)]);
    };
  },
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

/** The size of a cache of documents by their text, in characters: a parsed document takes about fifty times as much memory. */
const documentsWithin = {
  maxSize: 500_000,
  sizeCalculation: (_document: unknown, text: string) => text.length + 100,
};

/** A cache of parsed documents, limited by size; errors are not cached. */
export const documentCaches = {
  documentCache: new LRUCache<string, DocumentNode>(documentsWithin),
  errorCache: { get: () => undefined, set: () => {} },
};
