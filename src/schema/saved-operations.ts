import type { ExecutionResult } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import type { DocumentChecks } from '../domain/operation/checks.ts';
import type { AccountOperations, OperationLookup } from '../domain/operation/lookup.ts';
import type { SavedOperation } from '../domain/operation/operation.ts';
import type { RunCounter } from '../domain/operation/runs.ts';
import type { Documents, Operation } from '../engine/graphql/document.ts';
import { brokenDocument, type NamedDocument } from '../engine/graphql/named-document.ts';
import { type Outcome, readOutcome } from '../engine/graphql/outcome.ts';
import { run } from '../engine/graphql/pipeline.ts';
import { nameFor } from '../engine/tools/name-for.ts';
import { api } from './api.ts';
import type { ApiRequest } from './context.ts';

/** The options of a run. */
export interface RunOptions {
  /** True for a run that must not change anything. */
  readonly isGet: boolean;
  /** True if the outcome's extensions have the ids of changes. */
  readonly tellsChanges?: boolean;
}

/** A document that callers run by its name: a saved one, or one of the service's own. */
export interface StoredText {
  readonly document: string;
  readonly hash: string;
}

/** Runs a stored document by the pipeline of all operations. Nothing is thrown that a caller may see: it is in the outcome. */
export async function runStored(
  documents: Documents,
  operation: Operation,
  { document, hash }: StoredText,
  variables: Readonly<Record<string, unknown>>,
  request: ApiRequest,
  { isGet, tellsChanges = false }: RunOptions,
): Promise<Outcome> {
  const sent = { query: document, variables, ...(tellsChanges && { extensions: { changes: true } }) };
  const sameAs = () => JSON.stringify(['run', hash, variables]);
  const how = { isGet, acceptsStream: false, tellsFailures: true, sameAs };
  const result = await run(api, documents, sent, request, how);
  if (isAsyncIterable(result)) throw new Error('no stored document subscribes');
  return readOutcome(operation, result, request.keyed?.hasFailed);
}

/** @throws DomainError if the caller may not run the operation */
export function requireRights({ actor }: Pick<ApiRequest, 'actor'>, { needs }: Operation): void {
  actor.requireAlive();
  for (const permission of needs) api.requirePermission(actor, permission);
}

/** True if the caller has all permissions that the operation needs. */
export function mayRun({ actor }: Pick<ApiRequest, 'actor'>, { needs }: Operation): boolean {
  const allowed: ReadonlySet<string> = actor.permissions;
  return [...needs].every((one) => allowed.has(one));
}

/** A name for the caller's permissions: callers with equal ones may run the same. */
export function rightsOf({ actor }: Pick<ApiRequest, 'actor'>): string {
  return nameFor('rights', ...[...actor.permissions].sort());
}

interface Dependencies {
  readonly documents: Documents;
  readonly lookup: OperationLookup;
  readonly checks: DocumentChecks;
  readonly counter: Pick<RunCounter, 'add'>;
}

/** Runs the saved operations of accounts, for all transports. */
export class SavedOperations {
  readonly #documents: Documents;
  readonly #lookup: OperationLookup;
  readonly #checks: DocumentChecks;
  readonly #counter: Pick<RunCounter, 'add'>;

  constructor({ documents, lookup, checks, counter }: Dependencies) {
    this.#documents = documents;
    this.#lookup = lookup;
    this.#checks = checks;
    this.#counter = counter;
  }

  /** All operations of the caller's account. Equal objects stand for equal operations. */
  of({ actor }: Pick<ApiRequest, 'actor'>): Promise<AccountOperations> {
    return this.#lookup.of(actor.accountId);
  }

  /** The account's operation by its name, or by `sha256:` and its hash; null if it has none. */
  async find(request: Pick<ApiRequest, 'actor'>, id: string): Promise<SavedOperation | null> {
    return (await this.of(request)).find(id);
  }

  /** The parsed operation, of which the pipeline keeps one. @throws GraphQLError OPERATION_BROKEN if it cannot run */
  prepare(saved: SavedOperation): Operation {
    const { broken } = this.#checks.of(saved);
    const operation = broken === null ? this.#documents.prepared(saved.document).operation(null) : null;
    if (operation === null) throw brokenDocument(broken ?? 'it has no operation');
    return operation;
  }

  /**
   * The parsed operation, for a caller who wants to run it.
   * @throws GraphQLError OPERATION_BROKEN; DomainError FORBIDDEN if it is broken, and the caller may not read why
   */
  prepareFor({ actor }: Pick<ApiRequest, 'actor'>, saved: SavedOperation): Operation {
    if (this.#checks.of(saved).broken !== null) {
      api.requirePermission(actor, 'READ');
      this.refused(saved);
    }
    return this.prepare(saved);
  }

  /** Counts a run that was refused before it began. */
  refused({ id }: SavedOperation): void {
    this.#counter.add(id, true);
  }

  /** A secret of the caller's account, for this process and others. */
  async secretOf(request: Pick<ApiRequest, 'actor'>): Promise<string> {
    return (await this.of(request)).secret;
  }

  /** The operation, which is not kept; null if it is broken, or the caller lacks a permission that it needs. */
  runnable(request: Pick<ApiRequest, 'actor'>, saved: SavedOperation): Operation | null {
    if (this.#checks.of(saved).broken !== null) return null;
    const operation = this.#documents.unkept(saved.document).operation(null);
    return operation !== null && mayRun(request, operation) ? operation : null;
  }

  /** Runs an operation by the pipeline of all operations. Nothing is thrown that a caller may see: it is in the outcome. */
  async run(
    request: ApiRequest,
    saved: SavedOperation,
    variables: Readonly<Record<string, unknown>>,
    options: RunOptions,
  ): Promise<Outcome> {
    const operation = this.prepare(saved);
    const outcome = await runStored(this.#documents, operation, saved, variables, request, options);
    this.#counter.add(saved.id, outcome.refused !== null || outcome.failures.length > 0);
    return outcome;
  }

  /** The document that a caller names at `/graphql`; null if the account has none. @throws GraphQLError OPERATION_BROKEN */
  async findNamed(id: string, request: Pick<ApiRequest, 'actor'>): Promise<NamedDocument | null> {
    const saved = await this.find(request, id);
    if (saved === null) return null;
    this.prepareFor(request, saved);
    return {
      query: saved.document,
      ended: ({ errors }: ExecutionResult) => this.#counter.add(saved.id, errors !== undefined),
    };
  }
}
