import { createNamedInput, namedOrderFields, updateNamedInput } from '../domain/name-and-color.ts';
import {
  createTag,
  deleteTag,
  findTag,
  findTags,
  mergeTags,
  tagConnection,
  tagFilter,
  updateTag,
} from '../domain/tag.ts';
import { ofBatch } from '../engine/graphql/input-limits.ts';
import { MAX_BATCH } from '../engine/rules/input.ts';
import { builder } from './builder.ts';
import { batchCost } from './cost/field-cost.ts';
import { inputType, listDescriptions } from './domain-types.ts';
import { defineConnection, defineSelection } from './list.ts';
import { findNodes, Node } from './node.ts';
import { defineMutations, defineQuery, ifUpdatedAtArg, inSlices } from './record-fields.ts';
import {
  asDeleted,
  asUpdate,
  ConflictError,
  defineResult,
  NotFoundError,
  ValidationError,
  withFailures,
} from './result.ts';

const described = listDescriptions(updateNamedInput);

export const Tag = builder.prismaObject('Tag', {
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id, as in the REST API, as a string.' }),
    name: t.exposeString('name', described('name')),
    color: t.exposeInt('color', described('color')),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

findNodes(Tag, ({ db, actor }, ids) => findTags(db, actor, ids));

const connection = defineConnection('Tag', 'tags', Tag);
const TagFilter = inputType('TagFilter', 'A filter for tags.', tagFilter);

builder.queryFields((t) => ({
  tag: t.field({
    ...defineQuery(Tag),
    resolve: (_root, { id }, { db, actor }) => findTag(db, actor, id),
  }),
  tags: t.field({
    ...connection,
    description: "The account's tags, paginated by cursor.",
    args: { ...connection.args, ...defineSelection('Tag', 'tags', TagFilter, namedOrderFields) },
    resolve: (_root, args, { lists, actor }) => tagConnection(lists, actor, args),
  }),
}));

const { creation, update, deletion } = defineMutations(Tag, {
  create: createNamedInput,
  update: updateNamedInput,
  changes: 'Changes to a tag. Absent fields do not change; neither field can be cleared.',
  failsToUpdate: [ConflictError],
});

builder.mutationFields((t) => ({
  createTag: t.field({
    ...creation,
    description: 'Creates a tag. Its name is unique in the account, whatever its case.',
    resolve: withFailures((_root, { input }, { db, actor, now }) => createTag(db, actor, input, now())),
  }),
  updateTag: t.field({
    ...update,
    args: { ...update.args, ...ifUpdatedAtArg },
    resolve(_root, { id, input, ifUpdatedAt }, context) {
      const { db, actor, now } = context;
      const work = updateTag(db, actor, id, input, now(), ifUpdatedAt);
      return asUpdate(context, Tag, work, () => findTag(db, actor, id), input);
    },
  }),
  deleteTag: t.field({
    ...deletion,
    description: `Deletes a tag. Its links remain, without it.${inSlices}`,
    resolve: withFailures((_root, { id }, { db, longWork, actor, now }) =>
      asDeleted('Tag', deleteTag(db, longWork, actor, id, now())),
    ),
  }),
  mergeTags: t.field({
    type: defineResult('MergeTags', 'The tag that stays', Tag, [ValidationError, NotFoundError]),
    description: `Gives all links of some tags another one instead, and deletes those tags.${inSlices}`,
    extensions: batchCost,
    args: {
      ids: t.arg.idList({
        required: true,
        description: `The ids of the tags to delete, at most ${MAX_BATCH}.`,
        ...ofBatch,
      }),
      into: t.arg.id({ required: true, description: 'The id of the tag that their links get.' }),
    },
    resolve: withFailures((_root, args, { db, longWork, actor, now }) =>
      mergeTags(db, longWork, actor, args, now()),
    ),
  }),
}));
