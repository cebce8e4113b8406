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
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Context } from './context.ts';
import { limits, tooLarge } from './limits.ts';

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** @throws GraphQLError if brackets are nested too deeply, or a name is too long */
function checkTokens(first: Token | undefined): void {
  let nesting = 0;
  for (let token = first ?? null; token !== null; token = token.next) {
    if (opening.has(token.kind) && ++nesting > limits.nesting) throw tooLarge('nesting', nesting);
    if (closing.has(token.kind)) nesting--;
    const length = token.kind === TokenKind.NAME ? (token.value ?? '').length : 0;
    if (length > limits.nameLength) throw tooLarge('nameLength', length);
  }
}

const LINE_BREAKS = /\r\n|[\n\r]/g;

/** @throws GraphQLError if the text has too many lines */
function checkLines(text: string): void {
  let lines = 1;
  for (const _ of text.matchAll(LINE_BREAKS)) if (++lines > limits.lines) throw tooLarge('lines', lines);
}

/** Parses a document within the limits. */
function parseWithinLimits(source: string | Source, options?: ParseOptions): DocumentNode {
  checkLines(typeof source === 'string' ? source : source.body);
  try {
    const document = parse(source, { ...options, maxTokens: limits.tokens });
    checkTokens(document.loc?.startToken);
    return document;
  } catch (error) {
    // The parser is recursive: thousands of nested brackets overflow the stack.
    if (error instanceof RangeError) throw tooLarge('nesting', limits.tokens);
    // The parser reports the first token beyond the limit as a syntax error.
    if (error instanceof GraphQLError && error.message.endsWith('tokens. Parsing aborted.'))
      throw tooLarge('tokens', limits.tokens + 1);
    throw error;
  }
}

/** Refuses documents with too many aliases or directives, and a variable with a name that the executor ignores. */
function limitRule(context: ValidationContext): ASTVisitor {
  let [aliases, directives] = [0, 0];
  return {
    // It would count for the cost, but have no value when the operation is executed.
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
        if (aliases > limits.aliases) context.reportError(tooLarge('aliases', aliases));
        if (directives > limits.directives) context.reportError(tooLarge('directives', directives));
      },
    },
  };
}

/** Refuses documents that are too large, before they are executed. */
export const useDocumentLimits: Plugin<Context> = {
  onParse: ({ setParseFn }) => setParseFn(parseWithinLimits),
  onValidate({ addValidationRule }) {
    addValidationRule(limitRule);
    return ({ result, setResult }) => {
      // The rule that compares fields of the same name gives up without naming the limit.
      if (result.some(({ message }: Error) => message === 'Validation aborted.'))
        setResult([tooLarge('comparisons', limits.comparisons + 1)]);
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
