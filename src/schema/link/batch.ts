import { parseBatch } from '../../domain/input.ts';
import type { LinkUpdate } from '../../domain/link/update.ts';
import { builder } from '../builder.ts';
import { ifUpdatedAt } from '../conflict.ts';
import { inSequence } from '../result.ts';
import { selectFor } from '../select.ts';
import { batchCost } from '../server/cost.ts';
import { prepares } from '../server/prepares.ts';
import { prepareUpdate, UpdateLinkInput, UpdateResult, update } from './mutation.ts';

const UpdateLinksInput = builder.inputType('UpdateLinksInput', {
  description: 'Changes to one of several links.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The id of the link.' }),
    input: t.field({ type: UpdateLinkInput, required: true, description: 'What to change.' }),
    ifUpdatedAt: t.field({ type: 'DateTime', description: ifUpdatedAt }),
  }),
});

builder.mutationField('updateLinks', (t) =>
  t.field({
    type: [UpdateResult],
    extensions: {
      ...batchCost,
      ...prepares(async (context, { inputs }: { inputs: readonly LinkUpdate[] }) => {
        for (const one of inputs) await prepareUpdate(context, one);
      }),
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
);
