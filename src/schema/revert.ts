import { findChange } from '../domain/change/find-changes.ts';
import { forgetChanges } from '../domain/change/forget.ts';
import { hasValues, type KindWithValues } from '../domain/change/values.ts';
import { type Reverted, type RevertOptions, revertChange } from '../domain/revert.ts';
import { costs, STATEMENT_COST } from '../engine/graphql/cost/costs.ts';
import { ofBatch } from '../engine/graphql/input-limits.ts';
import { notFound } from '../engine/rules/errors.ts';
import { MAX_BATCH, parseBatch, parseId } from '../engine/rules/input.ts';
import { keysOf } from '../engine/tools/keys-of.ts';
import { builder } from './builder.ts';
import { Change, typeOf } from './change.ts';
import type { Context } from './context.ts';
import { batchCost, changeCost } from './cost/field-cost.ts';
import { encodeNodeId, findNode, Node, parseNodeId } from './node.ts';
import { inSlices } from './record-fields.ts';
import {
  asResult,
  ConflictError,
  ConflictOfRecord,
  defineResult,
  Failure,
  inSequence,
  NotFoundError,
  ValidationError,
} from './result.ts';

const RevertedChange = builder.objectRef<Reverted>('RevertedChange').implement({
  description: 'A change that was taken back.',
  fields: (t) => ({
    record: t.field({
      type: Node,
      nullable: true,
      description: 'The record as it is now; null if its creation was taken back.',
      extensions: costs({ work: STATEMENT_COST, isOfRecord: true }),
      resolve: ({ kind, recordId }, _args, context, info) =>
        findNode(context, encodeNodeId(typeOf[kind], recordId), info),
    }),
    change: t.field({
      type: Change,
      description: 'The change that took it back, and can itself be reverted.',
      extensions: costs({ work: STATEMENT_COST, isOfRecord: true }),
      async resolve({ changeId }, _args, { db, actor }) {
        const change = await findChange(db, actor, String(changeId));
        if (change === null) throw notFound('change');
        return change;
      },
    }),
  }),
});

const RevertChangeResult = defineResult('RevertChange', 'The reverted change', RevertedChange, [
  NotFoundError,
  ConflictError,
  ValidationError,
]);

/** Reverts a change; a conflict has the record as it is now. */
async function revert(context: Context, id: string, options?: RevertOptions): Promise<Reverted | Failure> {
  const result = await asResult(context, revertChange(context, id, options));
  if (!(result instanceof Failure) || result.error.code !== 'CONFLICT') return result;
  const change = await findChange(context.db, context.actor, id);
  if (change === null || !hasValues(change.kind)) return new Failure(notFound('change'));
  return new ConflictOfRecord(result.error, encodeNodeId(typeOf[change.kind], change.recordId));
}

/** Newest first: a change has a larger id than those before it. */
function byAge(a: string, b: string): number {
  return (parseId(b) ?? 0) - (parseId(a) ?? 0);
}

/** Reverts changes one after the other, and returns the results in the order of the ids. */
async function revertAll(
  context: Context,
  ids: readonly string[],
  onlyOwn: boolean,
): Promise<(Reverted | Failure)[]> {
  const undone: number[] = [];
  const order = [...ids.keys()];
  if (onlyOwn) order.sort((a, b) => byAge(ids[a] ?? '', ids[b] ?? ''));
  const results = new Map<number, Reverted | Failure>();
  await inSequence(order, async (index) => {
    const id = ids[index] ?? '';
    const result = await revert(context, id, { onlyOwn, undone });
    if (!(result instanceof Failure)) undone.push(parseId(id) ?? 0);
    results.set(index, result);
  });
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}

const howReverted =
  'An update sets its fields back, except passwords. A creation deletes the record, with its clicks. A deletion restores it with its ' +
  'id, fields, passwords and number of clicks, without statistics, and with the pixels, tags and space that still exist; a ' +
  'space or tag gets its links back.';

builder.mutationFields((t) => ({
  revertChange: t.field({
    type: RevertChangeResult,
    description:
      `Takes a change of a link, space or tag back, by the rules for any other change. ${howReverted} If something was changed ` +
      `since, the result is a ConflictError.${inSlices}`,
    extensions: changeCost,
    args: { id: t.arg.id({ required: true, description: 'The id of the change.' }) },
    resolve: (_root, { id }, context) => revert(context, id),
  }),
  revertChanges: t.field({
    type: [RevertChangeResult],
    description:
      'Takes up to 100 changes back, one after the other. Returns one result for each, in order. A refused one does not affect the ' +
      'others. A created record that was changed since can be taken back together with those changes, after them.',
    extensions: batchCost,
    args: {
      ids: t.arg.idList({
        required: true,
        description: `The ids of the changes, at most ${MAX_BATCH}.`,
        ...ofBatch,
      }),
      onlyOwn: t.arg.boolean({
        defaultValue: false,
        description:
          'If true, only changes by the same key or user of the last 24 hours are taken back, the newest first whatever their order.',
      }),
    },
    resolve: (_root, { ids, onlyOwn }, context) =>
      revertAll(context, parseBatch('ids', ids), onlyOwn === true),
  }),
}));

interface Forgotten {
  readonly count: number;
}

const ForgottenChanges = builder.objectRef<Forgotten>('ForgottenChanges').implement({
  description: 'Changes whose values were deleted.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'The number of changes that had values.' }),
  }),
});

/** The record of a global id, of which the log may have values. @throws DomainError NOT_FOUND */
function parseRecord(nodeId: string): { kind: KindWithValues; recordId: number } {
  const parsed = parseNodeId(nodeId);
  const kind = parsed && keysOf(typeOf).find((one) => typeOf[one] === parsed.type);
  if (!parsed || !kind || !hasValues(kind)) throw notFound('record');
  return { kind, recordId: parsed.id };
}

builder.mutationField('forgetChanges', (t) =>
  t.field({
    type: defineResult('ForgetChanges', 'The number of changes', ForgottenChanges, [NotFoundError]),
    description:
      'Deletes the values of all changes of a link, space or tag, also of a deleted one. The changes stay, and cannot be reverted. ' +
      'It is itself a change, of the field `history`, if there were values.',
    extensions: changeCost,
    args: {
      nodeId: t.arg.id({ required: true, description: 'The global id of the record.' }),
    },
    resolve(_root, { nodeId }, context) {
      const forget = async (): Promise<Forgotten> => {
        const { db, longWork, actor, now } = context;
        return { count: await forgetChanges(db, longWork, actor, parseRecord(nodeId), now()) };
      };
      return asResult(context, forget());
    },
  }),
);
