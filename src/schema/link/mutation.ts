import type { SelectedLink } from '../../db/links.ts';
import type { LinkSelect } from '../../db/reading/link-selection.ts';
import { parseBatch, type Unparsed } from '../../domain/input.ts';
import { createLinkInput, updateLinkInput } from '../../domain/link/fields.ts';
import { findLink } from '../../domain/link/find-links.ts';
import { createLink, deleteLink, prepareNewLink } from '../../domain/link/link.ts';
import { type LinkUpdate, prepareLinkUpdate, updateLink } from '../../domain/link/update.ts';
import type { Context } from '../../graphql/context.ts';
import { builder } from '../builder.ts';
import { asUpdate, ConflictError, ifUpdatedAt } from '../conflict.ts';
import { batchCost, changeCost } from '../cost/field-cost.ts';
import { Failure } from '../error.ts';
import { inputType } from '../input-type.ts';
import { asDeleted, asResult, inSequence, resultsOf } from '../result.ts';
import { selectFor } from '../select.ts';
import { Link } from './link.ts';

export const CreateLinkInput = inputType('CreateLinkInput', 'A new link.', createLinkInput);
const UpdateLinkInput = inputType(
  'UpdateLinkInput',
  'Changes to a link. Absent fields do not change; null clears a field that can be cleared. The domain cannot change.',
  updateLinkInput,
  { updates: true },
);

const UpdateLinksInput = builder.inputType('UpdateLinksInput', {
  description: 'Changes to one of several links.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The id of the link.' }),
    input: t.field({ type: UpdateLinkInput, required: true, description: 'What to change.' }),
    ifUpdatedAt: t.field({ type: 'DateTime', description: ifUpdatedAt }),
  }),
});

const { CreateResult, UpdateResult, DeleteResult } = resultsOf('Link', Link, {
  failsToUpdate: [ConflictError],
});

type NewLink = Unparsed<typeof createLinkInput>;

/** The arguments of `createLink` and `prepareNewLink`. */
function ofCreate({ db, actor, services, now }: Context, input: NewLink, select: LinkSelect) {
  return [db, actor, services, input, now(), select] as const;
}

/** The arguments of `updateLink` and `prepareLinkUpdate`. */
function ofUpdate({ db, actor, services, now }: Context, update: LinkUpdate, select: LinkSelect) {
  return [db, actor, { update, services, now: now(), select }] as const;
}

const deleteIn = ({ db, actor, now }: Context, id: string) => deleteLink(db, actor, id, now());

function asUpdated(context: Context, work: Promise<SelectedLink>, id: string, select: LinkSelect) {
  return asUpdate(Link, work, () => findLink(context.lists, context.actor, id, select));
}

builder.mutationFields((t) => ({
  createLink: t.field({
    type: CreateResult,
    extensions: changeCost,
    description: 'Creates a link.',
    args: { input: t.arg({ type: CreateLinkInput, required: true, description: 'The new link.' }) },
    resolve: (_root, { input }, context, info) =>
      asResult(createLink(...ofCreate(context, input, selectFor(context, info)))),
  }),
  createLinks: t.field({
    type: [CreateResult],
    extensions: batchCost,
    description:
      'Creates up to 100 links. Returns one result for each, in order. A refused link does not affect the others.',
    args: { inputs: t.arg({ type: [CreateLinkInput], required: true, description: 'The new links.' }) },
    resolve: async (_root, { inputs }, context, info) => {
      const select = selectFor(context, info);
      const prepared = await inSequence(parseBatch('inputs', inputs), (input) =>
        asResult(prepareNewLink(...ofCreate(context, input, select))),
      );
      return inSequence(prepared, (one) => (one instanceof Failure ? one : asResult(one())));
    },
  }),
  updateLink: t.field({
    type: UpdateResult,
    extensions: changeCost,
    description: 'Changes a link.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the link.' }),
      input: t.arg({ type: UpdateLinkInput, required: true, description: 'What to change.' }),
      ifUpdatedAt: t.arg({ type: 'DateTime', description: ifUpdatedAt }),
    },
    resolve: (_root, args, context, info) => {
      const select = selectFor(context, info);
      return asUpdated(context, updateLink(...ofUpdate(context, args, select)), args.id, select);
    },
  }),
  updateLinks: t.field({
    type: [UpdateResult],
    extensions: batchCost,
    description:
      'Changes up to 100 links. Returns one result for each, in order. A refused change does not affect the others.',
    args: {
      inputs: t.arg({
        type: [UpdateLinksInput],
        required: true,
        description: 'The links, and the changes of each.',
      }),
    },
    resolve: async (_root, { inputs }, context, info) => {
      const select = selectFor(context, info);
      const prepared = await inSequence(parseBatch('inputs', inputs), async (one) => ({
        id: one.id,
        update: await prepareLinkUpdate(...ofUpdate(context, one, select)),
      }));
      return inSequence(prepared, ({ id, update }) => asUpdated(context, update(), id, select));
    },
  }),
  deleteLink: t.field({
    type: DeleteResult,
    extensions: changeCost,
    description: 'Deletes a link, with its clicks.',
    args: { id: t.arg.id({ required: true, description: 'The id of the link.' }) },
    resolve: (_root, { id }, context) => asDeleted('Link', deleteIn(context, id)),
  }),
  deleteLinks: t.field({
    type: [DeleteResult],
    extensions: batchCost,
    description: 'Deletes up to 100 links. Returns one result for each, in order.',
    args: { ids: t.arg.idList({ required: true, description: 'The ids of the links.' }) },
    resolve: (_root, { ids }, context) =>
      inSequence(parseBatch('ids', ids), (id) => asDeleted('Link', deleteIn(context, id))),
  }),
}));
