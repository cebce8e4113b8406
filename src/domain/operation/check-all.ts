import type { Logger } from 'pino';
import type { Data } from '../../db/database.ts';
import { noteCheckedSchema, type StoredDocument, storedDocuments } from '../../db/operations.ts';
import { BatchWork } from '../../engine/db/retention.ts';
import { pauseIfBlocked } from '../../engine/tools/time-slices.ts';
import { type CheckDocument, hashDocument } from './checks.ts';

/** The operations of an account that this version does not run, or that use deprecated parts of the schema. */
export interface AccountReport {
  readonly account: string;
  readonly operations: number;
  readonly broken: readonly { readonly name: string; readonly reason: string }[];
  readonly deprecated: readonly { readonly name: string; readonly uses: readonly string[] }[];
}

function report(
  account: string,
  documents: readonly (StoredDocument & ReturnType<CheckDocument>)[],
): AccountReport {
  return {
    account,
    operations: documents.length,
    broken: documents.flatMap(({ name, broken }) => (broken === null ? [] : [{ name, reason: broken }])),
    deprecated: documents.flatMap(({ name, deprecations }) =>
      deprecations.length === 0 ? [] : [{ name, uses: deprecations }],
    ),
  };
}

/**
 * Checks the saved operations of all accounts by the schema of this process, in slices.
 * @param isStopped returns true if the rest is left out
 */
export async function* checkAll(
  db: Data,
  check: CheckDocument,
  isStopped = () => false,
): AsyncGenerator<AccountReport> {
  let account = 0;
  for (;;) {
    const documents = await storedDocuments(db, account);
    const [first] = documents;
    if (first === undefined) return;
    const checked: (StoredDocument & ReturnType<CheckDocument>)[] = [];
    for (const one of documents) {
      await pauseIfBlocked();
      if (isStopped()) return;
      checked.push({ ...one, ...check(one.document) });
    }
    yield report(first.account, checked);
    account = first.accountId;
  }
}

/** A number that stands for a text. */
function numberOf(text: string): number {
  return Number.parseInt(hashDocument(text).slice(0, 7), 16);
}

/** Checks all saved operations once after an upgrade, in one process, and logs what it finds, a line for each account. */
export class UpgradeCheck extends BatchWork {
  readonly #db: Data;
  readonly #check: CheckDocument;
  readonly #schemaText: () => string;
  #isDone = false;

  /** @param schemaText the schema and the version of this process, as a text */
  constructor(db: Data, check: CheckDocument, schemaText: () => string, log: Logger) {
    super(log, 0);
    this.#db = db;
    this.#check = check;
    this.#schemaText = schemaText;
  }

  override async work(): Promise<void> {
    if (this.#isDone) return;
    const isFirst = await noteCheckedSchema(this.#db, numberOf(this.#schemaText()));
    this.#isDone = true;
    if (!isFirst) return;
    for await (const { broken, deprecated, ...found } of checkAll(
      this.#db,
      this.#check,
      () => this.isStopped,
    )) {
      const told = { ...found, broken, deprecated };
      if (broken.length > 0) this.log.warn(told, 'saved operations are broken in this version');
      else this.log.info(told, 'saved operations checked');
    }
  }
}
