import {
  createSpace,
  createSpaceInput,
  deleteSpace,
  findSpace,
  findSpaces,
  spaceConnection,
  spacePage,
  updateSpace,
  updateSpaceInput,
} from '../domain/space.ts';
import { builder } from './builder.ts';
import { asUpdate, ConflictError, ifUpdatedAt } from './conflict.ts';
import { changeCost } from './cost/field-cost.ts';
import { listCost } from './cost/list-cost.ts';
import { descriptionsOf, inputType } from './input-type.ts';
import { connectionOf, edgesArgs, pageArgs, pageOf, selectionOf, updatedSince } from './list.ts';
import { findNodes, Node } from './node.ts';
import { asDeleted, asResult, resultsOf } from './result.ts';

const described = descriptionsOf(updateSpaceInput);

export const Space = builder.prismaObject('Space', {
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

findNodes(Space, ({ db, actor }, ids) => findSpaces(db, actor, ids));

const SpaceConnection = connectionOf('Space', 'spaces', Space);
const SpacePage = pageOf('Space', 'spaces', Space);

const SpaceFilter = builder.inputType('SpaceFilter', {
  description: 'A filter for spaces.',
  fields: (t) => ({
    search: t.string({ description: 'Only spaces whose name contains this text, case-insensitive.' }),
    updatedSince: t.field({ type: 'DateTime', description: updatedSince }),
  }),
});

const selectionArgs = selectionOf('Space', 'spaces', SpaceFilter, {
  ID: 'The order of creation.',
  NAME: 'The name, case-insensitive.',
  UPDATED_AT: 'When they were last changed.',
});

builder.queryFields((t) => ({
  space: t.field({
    type: Space,
    nullable: true,
    description: 'The space with this id; null if the account has none.',
    args: { id: t.arg.id({ required: true, description: 'The id of the space.' }) },
    resolve: (_root, { id }, { db, actor }) => findSpace(db, actor, id),
  }),
  spaces: t.field({
    type: SpaceConnection,
    extensions: listCost,
    description: "The account's spaces, paginated by cursor.",
    args: { ...edgesArgs, ...selectionArgs },
    resolve: (_root, args, { lists, actor }) => spaceConnection(lists, actor, args),
  }),
  spacePage: t.field({
    type: SpacePage,
    extensions: listCost,
    description: "The account's spaces, paginated by page number.",
    args: { ...pageArgs, ...selectionArgs },
    resolve: (_root, args, { lists, actor }) => spacePage(lists, actor, args),
  }),
}));

const CreateSpaceInput = inputType('CreateSpaceInput', 'A new space.', createSpaceInput);
const UpdateSpaceInput = inputType(
  'UpdateSpaceInput',
  'Changes to a space. Absent fields do not change; neither field can be cleared.',
  updateSpaceInput,
  { updates: true },
);

const { CreateResult, UpdateResult, DeleteResult } = resultsOf('Space', Space, {
  failsToUpdate: [ConflictError],
});

builder.mutationFields((t) => ({
  createSpace: t.field({
    type: CreateResult,
    extensions: changeCost,
    description: 'Creates a space.',
    args: { input: t.arg({ type: CreateSpaceInput, required: true, description: 'The new space.' }) },
    resolve: (_root, { input }, { db, actor, now }) => asResult(createSpace(db, actor, input, now())),
  }),
  updateSpace: t.field({
    type: UpdateResult,
    extensions: changeCost,
    description: 'Changes a space.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the space.' }),
      input: t.arg({ type: UpdateSpaceInput, required: true, description: 'What to change.' }),
      ifUpdatedAt: t.arg({ type: 'DateTime', description: ifUpdatedAt }),
    },
    resolve: (_root, { id, input, ifUpdatedAt: seen }, { db, actor, now }) =>
      asUpdate(Space, updateSpace(db, actor, id, input, now(), seen), () => findSpace(db, actor, id)),
  }),
  deleteSpace: t.field({
    type: DeleteResult,
    extensions: changeCost,
    description: 'Deletes a space. Its links remain, without a space.',
    args: { id: t.arg.id({ required: true, description: 'The id of the space.' }) },
    resolve: (_root, { id }, { db, actor, now }) => asDeleted('Space', deleteSpace(db, actor, id, now())),
  }),
}));
