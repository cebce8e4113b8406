import DataLoader from 'dataloader';
import { RUNS_KEPT } from '../db/operations.ts';
import { type OperationVariable, operationKinds } from '../domain/operation/checks.ts';
import {
  createOperation,
  createOperationInput,
  deleteOperation,
  findOperation,
  findOperationByName,
  findOperations,
  operationConnection,
  updateOperation,
  updateOperationInput,
} from '../domain/operation/operation.ts';
import { DEFAULT_DAYS, firstDayOfRuns, type OperationRuns, runsOf } from '../domain/operation/runs.ts';
import {
  type ArgumentValues,
  costs,
  countItems,
  type FieldCost,
  getField,
  STATEMENT_COST,
} from '../engine/graphql/cost/costs.ts';
import { limitedTo } from '../engine/graphql/input-limits.ts';
import { MAX_BATCH } from '../engine/rules/input.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { enumType, listDescriptions } from './domain-types.ts';
import { defineConnection } from './list.ts';
import { findNodes, Node } from './node.ts';
import { defineMutations, defineQuery, ifUpdatedAtArg } from './record-fields.ts';
import { asDeleted, asUpdate, ConflictError, withFailures } from './result.ts';

const described = listDescriptions(createOperationInput);

const Kind = enumType('SavedOperationKind', 'The kinds of saved operations.', operationKinds);

const Variable = builder.objectRef<OperationVariable>('SavedVariable').implement({
  description: 'A variable of a saved operation.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name, without `$`.' }),
    type: t.exposeString('type', { description: "The type, in GraphQL's notation: `[ID!]!`." }),
    isRequired: t.exposeBoolean('isRequired', { description: 'Whether it has to be given.' }),
    defaultValue: t.exposeString('defaultValue', {
      nullable: true,
      description: "The value if it is not given, in GraphQL's notation; null without one.",
    }),
  }),
});

const Runs = builder.objectRef<OperationRuns>('OperationRuns').implement({
  description: 'The runs of a saved operation on a day.',
  fields: (t) => ({
    date: t.expose('date', { type: 'Date', description: 'The day, in UTC.' }),
    runs: t.exposeInt('runs', { description: 'The number of runs, failed ones included.' }),
    errors: t.exposeInt('errors', { description: 'The number of runs that failed.' }),
  }),
});

type Loader = DataLoader<number, readonly OperationRuns[]>;

/** The readers of runs in each execution, by the first day: those of all operations share a statement. */
const loaders = new WeakMap<Context, Map<number, Loader>>();

function runsSince(context: Context, days: number | null | undefined): Loader {
  const since = firstDayOfRuns(days, context.now());
  const known = loaders.get(context) ?? new Map<number, Loader>();
  loaders.set(context, known);
  const load = async (ids: readonly number[]) => {
    const found = await runsOf(context.db, ids, since);
    return ids.map((id) => found.get(id) ?? []);
  };
  const loader = known.get(since) ?? new DataLoader(load, { maxBatchSize: MAX_BATCH });
  known.set(since, loader);
  return loader;
}

/** Numbers of values of which an operation has no more as a rule. */
const [VARIABLES, DEPRECATIONS] = [20, 10];
/** The work of a check, which is mostly remembered. */
const CHECK_COST = 20;

const text = { document: true, hash: true } as const;

const SavedOperation = builder.prismaObject('SavedOperation', {
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the saved operation.' }),
    name: t.exposeString('name', described('name')),
    description: t.exposeString('description', { ...described('description'), nullable: true }),
    document: t.exposeString('document', { ...described('document'), extensions: costs({ weight: 100 }) }),
    kind: t.field({
      type: Kind,
      description: 'Whether it reads or changes records.',
      select: text,
      extensions: costs({ work: CHECK_COST, isOfRecord: true }),
      resolve: async (row, _args, { documentChecks }) => (await documentChecks.inSlices(row)).kind,
    }),
    variables: t.field({
      type: [Variable],
      description: 'The variables that it takes.',
      select: text,
      extensions: costs({ size: VARIABLES, work: CHECK_COST, isOfRecord: true }),
      resolve: async (row, _args, { documentChecks }) => [...(await documentChecks.inSlices(row)).variables],
    }),
    isTool: t.exposeBoolean('isTool', { description: 'Whether agents may use it as a tool.' }),
    path: t.string({
      description: 'The path of its REST endpoint.',
      select: { name: true },
      resolve: ({ name }) => `/api/run/${name}`,
    }),
    hash: t.exposeString('hash', {
      description:
        "SHA-256 of the document's text, in 64 hexadecimal digits. `sha256:HASH` is a `documentId`.",
    }),
    revision: t.exposeInt('revision', { description: '1 at first, and one more after each change.' }),
    deprecations: t.stringList({
      description: 'The deprecated fields, arguments and values that it uses, such as `Link.old`.',
      select: text,
      extensions: costs({ size: DEPRECATIONS, work: CHECK_COST, isOfRecord: true }),
      resolve: async (row, _args, { documentChecks }) => [
        ...(await documentChecks.inSlices(row)).deprecations,
      ],
    }),
    broken: t.string({
      nullable: true,
      description: 'Why this version of the service cannot run it; null if it can.',
      select: text,
      extensions: costs({ work: CHECK_COST, isOfRecord: true }),
      resolve: async (row, _args, { documentChecks }) => (await documentChecks.inSlices(row)).broken,
    }),
    runs: t.field({
      type: [Runs],
      description: 'The days on which it ran, oldest first, up to about ten seconds ago.',
      select: { id: true },
      args: {
        days: t.arg.int({
          defaultValue: DEFAULT_DAYS,
          description: `The number of days, of which today is the last: 1 to ${RUNS_KEPT}.`,
        }),
      },
      extensions: costs({
        size: ({ days }) => countItems(days, RUNS_KEPT) ?? DEFAULT_DAYS,
        work: STATEMENT_COST,
      }),
      resolve: async ({ id }, { days }, context) => [...(await runsSince(context, days).load(id))],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

findNodes(SavedOperation, ({ db, actor }, ids) => findOperations(db, actor, ids));

const connection = defineConnection('SavedOperation', 'saved operations', SavedOperation);

builder.queryFields((t) => ({
  savedOperation: t.field({
    ...defineQuery(SavedOperation),
    resolve: (_root, { id }, { db, actor }) => findOperation(db, actor, id),
  }),
  savedOperationByName: t.field({
    type: SavedOperation,
    nullable: true,
    description: 'The saved operation with this name; null if the account has none.',
    args: { name: t.arg.string({ required: true, description: 'The name.' }) },
    resolve: (_root, { name }, { db, actor }) => findOperationByName(db, actor, name),
  }),
  savedOperations: t.field({
    ...connection,
    description: "The account's saved operations, oldest first, paginated by cursor.",
    resolve: (_root, args, { lists, actor }) => operationConnection(lists, actor, args),
  }),
}));

const { CreateInput, UpdateInput, creation, update, deletion } = defineMutations(SavedOperation, {
  create: createOperationInput,
  update: updateOperationInput,
  changes: 'Changes to a saved operation. Absent fields do not change; null clears the description.',
  failsToUpdate: [ConflictError],
});

/** A document may be longer than other texts. */
const ofDocument = limitedTo({ isLong: true });

/** Characters of a document whose check costs 1. */
const CHECKED_PER_COST = 2;

/** Its work is the check of the document. */
function checking({ cost }: { readonly cost: FieldCost }) {
  const work = ({ input }: ArgumentValues) => {
    const document = getField(input, 'document');
    return typeof document === 'string' ? document.length / CHECKED_PER_COST : 0;
  };
  return costs({ ...cost, work });
}

builder.mutationFields((t) => ({
  createSavedOperation: t.field({
    ...creation,
    extensions: checking(creation.extensions),
    description: 'Saves an operation: a query or a mutation under a name.',
    args: {
      input: t.arg({ type: CreateInput, required: true, description: 'The new operation.', ...ofDocument }),
    },
    resolve: withFailures((_root, { input }, { db, actor, documentChecks, now }) =>
      createOperation(db, actor, documentChecks, input, now()),
    ),
  }),
  updateSavedOperation: t.field({
    ...update,
    extensions: checking(update.extensions),
    args: {
      ...update.args,
      input: t.arg({ type: UpdateInput, required: true, description: 'What to change.', ...ofDocument }),
      ...ifUpdatedAtArg,
    },
    resolve(_root, { id, input, ifUpdatedAt }, context) {
      const { db, actor, documentChecks, now } = context;
      const work = updateOperation(db, actor, documentChecks, id, input, now(), ifUpdatedAt);
      return asUpdate(context, SavedOperation, work, () => findOperation(db, actor, id), input);
    },
  }),
  deleteSavedOperation: t.field({
    ...deletion,
    resolve: withFailures((_root, { id }, { db, actor, now }) =>
      asDeleted('SavedOperation', deleteOperation(db, actor, id, now())),
    ),
  }),
}));
