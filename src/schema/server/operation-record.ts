import type { FieldNode, OperationDefinitionNode } from 'graphql';
import type { LinkSelect } from '../../db/reading/link-rows.ts';

/** What is worked out once for an operation; each part is set by the file that it is named for. */
export interface OperationRecord {
  /** A number that no other operation has (`operation-size.ts`). */
  number?: number;
  /** How often it was executed (`compiled-queries.ts`). */
  executions: number;
  /** Whether its compiled code gives the answer of the executor (`compiled-queries.ts`). */
  isCompilable?: boolean;
  /** The deprecated parts of the schema in its document (`deprecated.ts`). */
  deprecated?: readonly string[];
  /** Whether a directive may change what it selects (`../select.ts`). */
  isConditional?: boolean;
  /** What fields read, by the node of the field and the type of the records (`../select.ts`). */
  readonly plans: Map<FieldNode, Map<string, LinkSelect>>;
}

/** Parsed documents are cached, so a record lives as long as its document does. */
const records = new WeakMap<OperationDefinitionNode, OperationRecord>();

export function recordOf(operation: OperationDefinitionNode): OperationRecord {
  const known = records.get(operation);
  if (known !== undefined) return known;
  const record: OperationRecord = { executions: 0, plans: new Map() };
  records.set(operation, record);
  return record;
}
