import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { invalidField, notFound } from '../../engine/rules/errors.ts';
import {
  flag,
  isStorable,
  parseInput,
  textSchema,
  type Unparsed,
  unless,
  withDefault,
} from '../../engine/rules/input.ts';
import { refusing } from '../../engine/rules/refusal.ts';
import type { SavedOperation } from '../../generated/sqlite/client.ts';
import type { Actor } from '../access/actor.ts';
import {
  createOwned,
  createReaders,
  deleteOwned,
  type Kind,
  requireRoom,
  updateOwned,
} from '../access/ownership.ts';
import { changedColumns, parseIfUpdatedAt } from '../change/change.ts';
import { whereNameIsFree } from '../name-and-color.ts';
import { refusal } from '../rules.ts';
import { type DocumentChecks, hashDocument } from './checks.ts';

export type { SavedOperation };

export const MAX_OPERATIONS = 200;
/** The size of a document, in bytes. */
export const MAX_DOCUMENT = 20_000;
const MAX_DESCRIPTION = 300;

const NAME = /^[a-z][a-z0-9-]{0,62}$/;
/** Characters that people do not see, or that change what is around them. */
const HIDDEN =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u200B-\u200F\u2060\uFEFF\uFFF9-\uFFFB]/u;

const nameWrong = refusal('OPERATION_NAME');
const name = z
  .string({ error: unless(nameWrong) })
  .refine((text) => NAME.test(text), nameWrong)
  .meta({ pattern: NAME.source })
  .describe(
    'The name, in the path and as an id of the document: a small letter, then up to 62 small letters, digits and `-`; unique in its account.',
  );

const size = (text: unknown) => Buffer.byteLength(String(text));
const document = z
  .string({ error: unless(refusal('TEXT')) })
  .refine((text) => size(text) <= MAX_DOCUMENT, {
    error: refusing(({ input }) => refusal('OPERATION_SIZE', { max: MAX_DOCUMENT, length: size(input) })),
    abort: true,
  })
  .refine(isStorable, refusal('STORABLE'))
  .describe(
    `The GraphQL document: one query or mutation, and its fragments; at most ${MAX_DOCUMENT / 1_000} kB.`,
  );

const description = textSchema(0, MAX_DESCRIPTION)
  .refine((text) => !HIDDEN.test(text), refusal('OPERATION_TEXT'))
  .describe(`One line about what it does, for people and agents; at most ${MAX_DESCRIPTION} characters.`)
  .transform((text) => text || null)
  .nullish();

const isTool = flag.describe('True if agents may use it as a tool.');

export const createOperationInput = z.object({
  name,
  document,
  description,
  isTool: withDefault(isTool, false),
});
export const updateOperationInput = z.object({
  name: name.optional(),
  document: document.optional(),
  description,
  isTool: isTool.optional(),
});

const kind = {
  kind: 'SAVED_OPERATION',
  what: 'saved operation',
  table: 'SavedOperation',
  fields: { hash: 'document' },
  rows: (tx) => tx.prisma.savedOperation,
} satisfies Kind<SavedOperation, Partial<SavedOperation>>;

export const {
  find: findOperation,
  findMany: findOperations,
  connection: operationConnection,
} = createReaders<SavedOperation>(kind);

/** The account's operation with this name; null if it has none. */
export async function findOperationByName(
  db: Data,
  { accountId }: Pick<Actor, 'accountId'>,
  name: string,
): Promise<SavedOperation | null> {
  if (!NAME.test(name)) return null;
  return db.prisma.savedOperation.findUnique({ where: { accountId_name: { accountId, name } } });
}

const taken = refusal('OPERATION_NAME_TAKEN');

/** @throws DomainError VALIDATION if the document cannot run, or the name is the operator's */
async function requireUsable(
  checks: DocumentChecks,
  { name, document }: { readonly name?: string | undefined; readonly document?: string | undefined },
): Promise<{ hash?: string }> {
  if (name !== undefined && checks.isOfOperator(name))
    throw invalidField('name', refusal('OPERATION_OF_OPERATOR'));
  if (document === undefined) return {};
  const hash = hashDocument(document);
  const { broken, unfit } = await checks.inSlices({ document, hash });
  const reason = broken ?? unfit;
  if (reason !== null)
    throw invalidField('document', refusal('OPERATION_DOCUMENT', { reason: withoutPeriod(reason) }));
  return { hash };
}

/** The reason as the end of a sentence, which gets a period of its own. */
const withoutPeriod = (reason: string): string => reason.replace(/\.$/, '');

/** @throws DomainError VALIDATION if it would be a tool with the name of a built-in one */
function requireToolName(
  checks: DocumentChecks,
  { name, isTool }: { readonly name: string; readonly isTool: boolean },
): void {
  if (isTool && checks.isBuiltInTool(name)) throw invalidField('name', refusal('OPERATION_NAME_OF_TOOL'));
}

/** Returns the columns of a new operation. @throws DomainError VALIDATION */
export async function parseOperation(checks: DocumentChecks, input: Unparsed<typeof createOperationInput>) {
  const fields = parseInput(createOperationInput, input);
  const { hash = hashDocument(fields.document) } = await requireUsable(checks, fields);
  requireToolName(checks, fields);
  return { ...fields, hash };
}

/** @throws DomainError VALIDATION */
export async function createOperation(
  db: Data,
  actor: Writer,
  checks: DocumentChecks,
  input: Unparsed<typeof createOperationInput>,
  now: Date,
): Promise<SavedOperation> {
  const { hash, ...fields } = await parseOperation(checks, input);
  const { accountId } = actor;
  const create = createOwned(db, kind, actor, now, fields, async (tx, common) => {
    const count = () => tx.prisma.savedOperation.count({ where: { accountId } });
    const noRoom = () => invalidField('name', refusal('OPERATIONS_OF_ACCOUNT', { max: MAX_OPERATIONS }));
    await requireRoom(tx, accountId, MAX_OPERATIONS, count, noRoom);
    return tx.prisma.savedOperation.create({ data: { ...fields, hash, ...common } });
  });
  return whereNameIsFree(create, taken);
}

/**
 * Changes the given fields; null clears the description.
 * @param ifUpdatedAt the time of the last change that the caller saw
 * @throws DomainError VALIDATION, NOT_FOUND, CONFLICT
 */
export async function updateOperation(
  db: Data,
  actor: Actor,
  checks: DocumentChecks,
  id: string,
  input: Unparsed<typeof updateOperationInput>,
  now: Date,
  ifUpdatedAt?: string | null,
): Promise<SavedOperation> {
  const fields = parseInput(updateOperationInput, input);
  // A document is checked for an operation that is there.
  if ((await findOperation(db, actor, id)) === null) throw notFound(kind.what);
  const columns = { ...fields, ...(await requireUsable(checks, fields)) };
  const decide = (row: SavedOperation) => {
    if (fields.name !== undefined || fields.isTool !== undefined)
      requireToolName(checks, { name: fields.name ?? row.name, isTool: fields.isTool ?? row.isTool });
    const isSame = Object.keys(changedColumns(row, columns)).length === 0;
    return isSame ? columns : { ...columns, revision: row.revision + 1 };
  };
  const options = { ifUpdatedAt: parseIfUpdatedAt(ifUpdatedAt) };
  return whereNameIsFree(updateOwned(db, kind, actor, id, now, decide, options), taken);
}

/**
 * Deletes the operation and returns its id.
 * @throws DomainError NOT_FOUND
 */
export async function deleteOperation(db: Data, actor: Actor, id: string, now: Date): Promise<number> {
  return deleteOwned(db, kind, actor, id, now);
}
