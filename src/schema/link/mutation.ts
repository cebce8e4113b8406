import type { SelectedLink } from '../../db/links.ts';
import type { LinkSelect } from '../../db/reading/link-selection.ts';
import { parseBatch, type Unparsed } from '../../domain/input.ts';
import { createLinkInput, updateLinkInput } from '../../domain/link/input.ts';
import { createLink, deleteLink, prepareNewLink } from '../../domain/link/link.ts';
import { findLink } from '../../domain/link/list.ts';
import { type LinkUpdate, prepareLinkUpdate, updateLink } from '../../domain/link/update.ts';
import { builder } from '../builder.ts';
import { asUpdate, ConflictError, ifUpdatedAt } from '../conflict.ts';
import { batchCost, changeCost } from '../cost/field-cost.ts';
import type { Failure } from '../error.ts';
import { inputType } from '../input-type.ts';
import { asDeleted, asResult, inSequence, resultsOf } from '../result.ts';
import { selectFor } from '../select.ts';
import type { Context } from '../server/context.ts';
import { prepares } from '../server/prepare-mutations.ts';
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

const create = (context: Context, input: NewLink, select: LinkSelect) =>
  asResult(createLink(context.db, context.actor, context.services, input, context.now(), select));

async function update(
  { db, lists, actor, services, now }: Context,
  change: LinkUpdate,
  select: LinkSelect,
): Promise<SelectedLink | Failure> {
  const updated = updateLink(db, actor, { update: change, services, now: now(), select });
  return asUpdate(Link, updated, () => findLink(lists, actor, change.id, select));
}

function prepareNew({ db, actor, services, now }: Context, input: NewLink) {
  return prepareNewLink(db, actor, services, input, now());
}

function prepareUpdate({ db, actor, services }: Context, change: LinkUpdate) {
  return prepareLinkUpdate(db, actor, services, change);
}

builder.mutationFields((t) => ({
  createLink: t.field({
    type: CreateResult,
    extensions: {
      ...changeCost,
      ...prepares((context, { input }: { input: NewLink }) => prepareNew(context, input)),
    },
    description: 'Creates a link.',
    args: { input: t.arg({ type: CreateLinkInput, required: true, description: 'The new link.' }) },
    resolve: (_root, { input }, context, info) => create(context, input, selectFor(context, info)),
  }),
  createLinks: t.field({
    type: [CreateResult],
    extensions: {
      ...batchCost,
      ...prepares((context, { inputs }: { inputs: readonly NewLink[] }) =>
        inSequence(inputs, (input) => prepareNew(context, input)),
      ),
    },
    description:
      'Creates up to 100 links. Returns one result for each, in order. A refused link does not affect the others.',
    args: { inputs: t.arg({ type: [CreateLinkInput], required: true, description: 'The new links.' }) },
    resolve: (_root, { inputs }, context, info) => {
      const select = selectFor(context, info);
      return inSequence(parseBatch('inputs', inputs), (input) => create(context, input, select));
    },
  }),
  updateLink: t.field({
    type: UpdateResult,
    extensions: { ...changeCost, ...prepares(prepareUpdate) },
    description: 'Changes a link.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the link.' }),
      input: t.arg({ type: UpdateLinkInput, required: true, description: 'What to change.' }),
      ifUpdatedAt: t.arg({ type: 'DateTime', description: ifUpdatedAt }),
    },
    resolve: (_root, args, context, info) => update(context, args, selectFor(context, info)),
  }),
  updateLinks: t.field({
    type: [UpdateResult],
    extensions: {
      ...batchCost,
      ...prepares((context, { inputs }: { inputs: readonly LinkUpdate[] }) =>
        inSequence(inputs, (one) => prepareUpdate(context, one)),
      ),
    },
    description:
      'Changes up to 100 links. Returns one result for each, in order. A refused change does not affect the others.',
    args: {
      inputs: t.arg({
        type: [UpdateLinksInput],
        required: true,
        description: 'The links, and the changes of each.',
      }),
    },
    resolve: (_root, { inputs }, context, info) => {
      const select = selectFor(context, info);
      return inSequence(parseBatch('inputs', inputs), (one) => update(context, one, select));
    },
  }),
  deleteLink: t.field({
    type: DeleteResult,
    extensions: changeCost,
    description: 'Deletes a link, with its clicks.',
    args: { id: t.arg.id({ required: true, description: 'The id of the link.' }) },
    resolve: (_root, { id }, { db, actor, now }) => asDeleted('Link', deleteLink(db, actor, id, now())),
  }),
  deleteLinks: t.field({
    type: [DeleteResult],
    extensions: batchCost,
    description: 'Deletes up to 100 links. Returns one result for each, in order.',
    args: { ids: t.arg.idList({ required: true, description: 'The ids of the links.' }) },
    resolve: (_root, { ids }, { db, actor, now }) =>
      inSequence(parseBatch('ids', ids), (id) => asDeleted('Link', deleteLink(db, actor, id, now()))),
  }),
}));
