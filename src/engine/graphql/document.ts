// Documents of clients: parsed within limits, validated once, and kept (`Documents`). `Prepared` is one document, `Operation`
// one of its operations, with facts that are computed once, such as the permissions of its root fields. A text above the limits
// is refused with the error of that limit.
import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isIntrospectionType,
  Kind,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  specifiedRules,
  type Token,
  TokenKind,
  TypeInfo,
  type ValidationContext,
  type ValidationRule,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Definition } from './definition.ts';
import { NO_LIMIT } from './input-limits.ts';
import { findOverflow, limits, tooLarge } from './limits.ts';
import { readListLimits } from './list-limits.ts';
import { comparisonsIn, indexFragments, mergeFields } from './merged-fields.ts';
import { plannedBy } from './private.ts';

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

const PARSE_FAILED = 'GRAPHQL_PARSE_FAILED';
const LINE_BREAKS = /\r\n|[\n\r]/g;

/** @throws GraphQLError if there are too many fragments or operations */
function checkDefinitions({ definitions }: DocumentNode): void {
  const countDefinitions = (kind: Kind) => definitions.filter((one) => one.kind === kind).length;
  const fragments = countDefinitions(Kind.FRAGMENT_DEFINITION);
  if (fragments > limits.fragments) throw tooLarge('fragments', fragments);
  const operations = countDefinitions(Kind.OPERATION_DEFINITION);
  if (operations > limits.operations) throw tooLarge('operations', operations);
}

/** @throws GraphQLError if the text has too many lines */
function checkLines(text: string): void {
  let lines = 1;
  for (const _ of text.matchAll(LINE_BREAKS)) if (++lines > limits.lines) throw tooLarge('lines', lines);
}

/** The error of a document, for a request of which nothing is executed. */
function notExecuted(error: GraphQLError, code: string): GraphQLError {
  const { message, nodes, source, positions, path, extensions } = error;
  const http = { spec: true, status: 400, ...(extensions.http as object | undefined) };
  return new GraphQLError(message, {
    ...{ nodes, source, positions, path },
    extensions: { code, ...extensions, http },
  });
}

/** Parses a document. @throws GraphQLError if it has an error of syntax, or is too large */
function parseWithinLimits(text: string): DocumentNode {
  try {
    checkLines(text);
    const document = parse(text, { maxTokens: limits.tokens });
    checkTokens(document.loc?.startToken);
    checkDefinitions(document);
    return document;
  } catch (error) {
    // The parser is recursive: thousands of nested brackets overflow the stack.
    const overflow = findOverflow(error);
    if (overflow) throw notExecuted(overflow, PARSE_FAILED);
    if (!(error instanceof GraphQLError)) throw error;
    // The parser reports the first token beyond the limit as a syntax error.
    const isTooLong = error.message.endsWith('tokens. Parsing aborted.');
    throw notExecuted(isTooLong ? tooLarge('tokens', limits.tokens + 1) : error, PARSE_FAILED);
  }
}

/** @throws GraphQLError if the validation of a document that is saved would take long */
function checkSaved(document: DocumentNode): void {
  const comparisons = comparisonsIn(document, limits.savedComparisons);
  if (comparisons > limits.savedComparisons) throw tooLarge('savedComparisons', limits.savedComparisons + 1);
}

/** Refuses documents with too many aliases or directives, or too many comparisons of fields, and a variable with a name that the executor ignores. */
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
        const comparisons = comparisonsIn(context.getDocument(), limits.comparisons);
        if (comparisons > limits.comparisons)
          context.reportError(tooLarge('comparisons', limits.comparisons + 1));
      },
    },
  };
}

/** Refuses directives that could leave a subscription without its root field. */
function subscriptionRootRule(context: ValidationContext): ASTVisitor {
  const root = context.getSchema().getSubscriptionType();
  const message =
    'A subscription may not have @skip or @include at its root: see the rule "Single Root Field" of the GraphQL specification.';
  return {
    Directive(node) {
      if (context.getParentType() !== root || !['skip', 'include'].includes(node.name.value)) return;
      const extensions = { code: 'BAD_REQUEST', http: { status: 400, spec: false } };
      context.reportError(new GraphQLError(message, { nodes: node, extensions }));
    },
  };
}

/**
 * The errors of a document. Some rules go first: others fail on what they refuse, or take long for it.
 * @param first those of our own
 */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  first: readonly ValidationRule[] = [],
  rules: readonly ValidationRule[] = specifiedRules,
): readonly GraphQLError[] {
  const before = validate(schema, document, [subscriptionRootRule, NoFragmentCyclesRule, ...first]);
  const errors = before.length > 0 ? before : validate(schema, document, rules);
  // The rule that compares fields of the same name gives up without naming the limit.
  const gaveUp = errors.some(({ message }) => message === 'Validation aborted.');
  return gaveUp ? [tooLarge('comparisons', limits.comparisons + 1)] : errors;
}

/** An operation's use of the schema. */
export interface Facts {
  /** The deprecated fields, arguments and values, each once: `Link.old`, `Query.links(old)`, `Order.OLD`. */
  readonly deprecated: readonly string[];
  /** True if it has directives, so that its selection may depend on variables. */
  readonly hasDirectives: boolean;
  /**
   * True if compiled code gives the same answer as the executor. Compiled code supports no abstract types or
   * introspection. It loses the conditions of fields that are selected more than once, and fields with the response
   * name `__proto__`.
   */
  readonly isCompilable: boolean;
  /**
   * True if the rows have all that its fields select. Two fields with different arguments may select one relation
   * differently, and only some types are read with their relations.
   */
  readonly isCovered: boolean;
}

type Maybe<T> = T | null | undefined;

/** Returns true if rows may lack what the field selects. The `select` of a relation is a function. */
function mayLack({ args, extensions }: GraphQLField<unknown, unknown>, hasRelations: boolean): boolean {
  const { select } = plannedBy(extensions);
  if (!select) return false;
  const isColumns = typeof select === 'object' && Object.values(select).every((one) => one === true);
  return args.length > 0 || !(hasRelations || isColumns);
}

export function collectFacts(
  document: DocumentNode,
  { schema, readsRelations }: Pick<Definition, 'schema' | 'readsRelations'>,
): Facts {
  const types = new TypeInfo(schema);
  const deprecated = new Set<string>();
  let [hasDirectives, isCompilable, isCovered] = [false, true, true];
  const note = (name: string, definition: Maybe<{ deprecationReason?: Maybe<string> }>) => {
    if (definition?.deprecationReason != null) deprecated.add(name);
  };
  const enter = (node: ASTNode): void => {
    const field = types.getFieldDef();
    const named = getNamedType(types.getType());
    if (named && (isAbstractType(named) || isIntrospectionType(named))) isCompilable = false;
    const fieldName = `${types.getParentType()?.name}.${field?.name}`;
    if (node.kind === Kind.DIRECTIVE) hasDirectives = true;
    if (node.kind === Kind.FIELD && node.alias?.value === '__proto__') isCompilable = false;
    if (node.kind === Kind.FIELD) note(fieldName, field);
    if (
      node.kind === Kind.FIELD &&
      field &&
      mayLack(field, readsRelations(types.getParentType()?.name ?? ''))
    )
      isCovered = false;
    if (node.kind === Kind.ARGUMENT) note(`${fieldName}(${types.getArgument()?.name})`, types.getArgument());
    if (node.kind === Kind.ENUM) note(`${types.getInputType()}.${node.value}`, types.getEnumValue());
  };
  visit(document, visitWithTypeInfo(types, { enter }));
  return {
    deprecated: [...deprecated],
    hasDirectives,
    isCompilable: isCompilable && !hasDirectives,
    isCovered,
  };
}

/** The permissions for the root fields of an operation, whether directives leave them out or not. */
function permissionsFor(
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
  { permissionFor }: Definition,
): ReadonlySet<string> {
  // Any caller may ask about the schema; a mutation of nothing else is as good as none.
  const names = [...mergeFields([selectionSet], indexFragments(document)).values()].flat();
  return new Set(
    names.map(({ name: { value } }) => (value.startsWith('__') ? 'READ' : permissionFor(operation, value))),
  );
}

let operations = 0;

/** An operation of a document, with what is computed once for it. */
export class Operation {
  readonly document: DocumentNode;
  readonly node: OperationDefinitionNode;
  /** A number that no other operation has. */
  readonly number = ++operations;
  /** Number of its executions. */
  executions = 0;
  readonly definition: Definition;
  #facts: Facts | undefined;
  #listLimits: ReadonlyMap<string, number> | undefined;
  #needs: ReadonlySet<string> | undefined;

  constructor(definition: Definition, document: DocumentNode, node: OperationDefinitionNode) {
    this.definition = definition;
    this.document = document;
    this.node = node;
  }

  get schema(): GraphQLSchema {
    return this.definition.schema;
  }

  get isMutation(): boolean {
    return this.node.operation === OperationTypeNode.MUTATION;
  }

  get isSubscription(): boolean {
    return this.node.operation === OperationTypeNode.SUBSCRIPTION;
  }

  /** Its name, or else its kind. */
  get name(): string {
    return this.node.name?.value ?? this.node.operation;
  }

  /** The permissions that its root fields need; only for a valid document. */
  get needs(): ReadonlySet<string> {
    this.#needs ??= permissionsFor(this.document, this.node, this.definition);
    return this.#needs;
  }

  /** Returns the maximum number of items of the list in a variable; only for a valid document. */
  maxItemsIn(variable: string): number {
    this.#listLimits ??= readListLimits(this.document, this.schema);
    return this.#listLimits.get(variable) ?? NO_LIMIT;
  }

  /** Its use of the schema; only for a valid document. */
  get facts(): Facts {
    this.#facts ??= collectFacts(this.document, this.definition);
    return this.#facts;
  }
}

/** A parsed document: its operations, and its errors, if it is not valid. */
export class Prepared {
  readonly errors: readonly GraphQLError[];
  readonly #operations: readonly Operation[];

  constructor(definition: Definition, document: DocumentNode, errors: readonly GraphQLError[]) {
    this.errors = errors;
    const nodes = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
    this.#operations = nodes.map((node) => new Operation(definition, document, node));
  }

  /** The number of its operations. */
  get count(): number {
    return this.#operations.length;
  }

  /** The operation of that name, or without a name the only one; null if there is none. */
  operation(name: string | null | undefined): Operation | null {
    if (name != null) return this.#operations.find(({ node }) => node.name?.value === name) ?? null;
    return this.#operations.length === 1 ? (this.#operations[0] ?? null) : null;
  }
}

/** Clients' documents, parsed and validated once. */
export class Documents {
  readonly #definition: Definition;
  readonly #rules: readonly ValidationRule[];
  /** By their texts, limited by characters: a parsed document takes about fifty times as much memory, an error two kB. */
  readonly #prepared = new LRUCache<string, Prepared | GraphQLError>({
    maxSize: 500_000,
    sizeCalculation: (known, text) =>
      text.length + 100 + 40 * (known instanceof GraphQLError ? 1 : known.errors.length),
  });

  /** The last one, for which a request asks twice, also if its text is too long for the cache. */
  #last: { readonly text: string; readonly prepared: Prepared | GraphQLError } | null = null;

  /** The last one that is not kept: who checks a document often runs it next. */
  #unkept: { readonly text: string; readonly prepared: Prepared } | null = null;

  /** True if clients may read the schema, so that messages may name parts of it. */
  readonly introspection: boolean;

  /** @param introspection whether clients may read the schema */
  constructor(definition: Definition, introspection: boolean) {
    this.introspection = introspection;
    this.#definition = definition;
    this.#rules = [...specifiedRules, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])];
  }

  /** @throws GraphQLError if the text cannot be parsed within the limits */
  prepared(text: string): Prepared {
    const last = this.#last?.text === text ? this.#last.prepared : undefined;
    const known = this.#prepared.get(text) ?? last;
    const unkept = this.#unkept?.text === text ? this.#unkept.prepared : undefined;
    const prepared = known ?? unkept ?? this.#prepare(text);
    if (known === undefined) this.#prepared.set(text, prepared);
    this.#last = { text, prepared };
    if (prepared instanceof GraphQLError) throw prepared;
    return prepared;
  }

  /**
   * Prepares a document that is saved. It is not kept: a list of many leaves the documents of others where they are.
   * @throws GraphQLError if the text cannot be parsed within the limits, or validation would take long
   */
  unkept(text: string): Prepared {
    if (this.#unkept?.text === text) return this.#unkept.prepared;
    const prepared = this.#prepare(text, checkSaved);
    if (prepared instanceof GraphQLError) throw prepared;
    this.#unkept = { text, prepared };
    return prepared;
  }

  /** The document, or why the text cannot be parsed. */
  #prepare(text: string, check: (document: DocumentNode) => void = () => {}): Prepared | GraphQLError {
    let document: DocumentNode;
    try {
      document = parseWithinLimits(text);
      check(document);
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      throw error;
    }
    const errors = this.#validate(document).map((error) => notExecuted(error, 'GRAPHQL_VALIDATION_FAILED'));
    return new Prepared(this.#definition, document, errors);
  }

  #validate(document: DocumentNode): readonly GraphQLError[] {
    try {
      return validateDocument(this.#definition.schema, document, [limitRule], this.#rules);
    } catch (error) {
      const overflow = findOverflow(error);
      if (overflow === null) throw error;
      return [overflow];
    }
  }

  /** True if a client sends a subscription. Faults of the document are found when it runs. */
  isSubscription(query: string, operationName: string | null | undefined): boolean {
    try {
      return this.prepared(query).operation(operationName)?.isSubscription === true;
    } catch {
      return false;
    }
  }

  /** The number of characters of the kept documents. */
  get size(): number {
    return this.#prepared.calculatedSize;
  }
}
