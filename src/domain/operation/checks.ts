import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isBlocked, nextSlice } from '../../engine/tools/time-slices.ts';

/** The kinds of saved operations. */
export const operationKinds = {
  QUERY: 'It reads.',
  MUTATION: 'It changes records.',
} as const;

export type OperationKind = keyof typeof operationKinds;

/** A variable of an operation, as its document declares it. */
export interface OperationVariable {
  readonly name: string;
  /** In GraphQL's notation: `[ID!]!`. */
  readonly type: string;
  /** True if it has to be given. */
  readonly isRequired: boolean;
  /** In GraphQL's notation; null without one. */
  readonly defaultValue: string | null;
}

/** A document, as the schema of this process understands it. */
export interface CheckedDocument {
  readonly kind: OperationKind;
  readonly variables: readonly OperationVariable[];
  /** The deprecated parts of the schema that it uses. */
  readonly deprecations: readonly string[];
  /** Why it cannot run here; null if it can. */
  readonly broken: string | null;
  /** Why it is not to be saved, though it is not broken; null if it is. */
  readonly unfit: string | null;
}

/** Reads and prices a document by the schema of this process. */
export type CheckDocument = (document: string) => CheckedDocument;

/** Maximum size of the remembered checks, in characters, and a guess of those around each text. */
const [MAX_REMEMBERED, AROUND_TEXT] = [10_000_000, 100];

function sizeOf({ variables, deprecations, broken }: CheckedDocument): number {
  const ofVariables = variables.map(({ name, type, defaultValue }) => [name, type, defaultValue ?? '']);
  const texts = [...ofVariables.flat(), ...deprecations, broken ?? ''];
  return texts.reduce((sum, text) => sum + AROUND_TEXT + text.length, AROUND_TEXT);
}

/** The stored name of a document's text: SHA-256, in hex. */
export function hashDocument(document: string): string {
  return hash('sha256', document);
}

/** The name of a saved operation as a tool. */
export function toolName(name: string): string {
  return name.replaceAll('-', '_');
}

/** Names that operations of accounts may not have. */
export interface ReservedNames {
  /** Returns true for the id of a trusted document. */
  isOfOperator(id: string): boolean;
  /** Returns true for the name of a built-in tool. */
  isBuiltInTool(name: string): boolean;
}

const nothing: ReservedNames = { isOfOperator: () => false, isBuiltInTool: () => false };

/** Checks documents by the schema of this process, each once. */
export class DocumentChecks {
  readonly #check: CheckDocument;
  readonly #reserved: ReservedNames;
  readonly #known = new LRUCache<string, CheckedDocument>({
    maxSize: MAX_REMEMBERED,
    sizeCalculation: sizeOf,
  });

  constructor(check: CheckDocument, reserved = nothing) {
    this.#check = check;
    this.#reserved = reserved;
  }

  of({ document, hash }: { readonly document: string; readonly hash: string }): CheckedDocument {
    const known = this.#known.get(hash);
    if (known !== undefined) return known;
    const checked = this.#check(document);
    this.#known.set(hash, checked);
    return checked;
  }

  /** Checks a document with other work in between, for many at once. */
  async inSlices(saved: { readonly document: string; readonly hash: string }): Promise<CheckedDocument> {
    // Of many that wait for the same pause, the first one may block again.
    while (!this.#known.has(saved.hash) && isBlocked()) await nextSlice();
    return this.of(saved);
  }

  isOfOperator(id: string): boolean {
    return this.#reserved.isOfOperator(id);
  }

  /** True if an operation with this name cannot be a tool. */
  isBuiltInTool(name: string): boolean {
    return this.#reserved.isBuiltInTool(toolName(name));
  }
}
