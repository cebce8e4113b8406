import type { FieldNode, OperationDefinitionNode } from 'graphql';
import type { LinkSelect } from '../../db/reading/link-selection.ts';

/** What a document uses of the schema. */
export interface DocumentFacts {
  /** The deprecated fields, arguments and values, each once: `Link.old`, `Query.links(old)`, `Order.OLD`. */
  readonly deprecated: readonly string[];
  /** Whether it has directives, so that what it selects may depend on variables. */
  readonly hasDirectives: boolean;
  /**
   * Whether compiled code gives the same answer as the executor: it does not support abstract types and introspection, loses
   * the conditions of fields that are selected more than once, and loses fields with the response name `__proto__`.
   */
  readonly isCompilable: boolean;
  /**
   * Whether the rows have all that its fields select. Two fields with different arguments may select the same relation
   * differently, and only links are read with their relations.
   */
  readonly isCovered: boolean;
}

/** What is computed once for an operation. */
export interface OperationRecord {
  /** A number that no other operation has. */
  readonly number: number;
  /** How often it was executed. */
  executions: number;
  facts?: DocumentFacts;
  /** What its fields read of links. */
  readonly plans: Map<FieldNode, LinkSelect>;
}

/** Parsed documents are cached, so a record lives as long as its document does. */
const records = new WeakMap<OperationDefinitionNode, OperationRecord>();
let count = 0;

export function recordOf(operation: OperationDefinitionNode): OperationRecord {
  const known = records.get(operation);
  if (known !== undefined) return known;
  const record: OperationRecord = { number: ++count, executions: 0, plans: new Map() };
  records.set(operation, record);
  return record;
}
