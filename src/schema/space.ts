import { createNamedInput, namedOrderFields, updateNamedInput } from '../domain/name-and-color.ts';
import {
  createSpace,
  deleteSpace,
  findSpace,
  findSpaces,
  spaceConnection,
  spaceFilter,
  spacePage,
  updateSpace,
} from '../domain/space.ts';
import { builder } from './builder.ts';
import { inputType, listDescriptions } from './domain-types.ts';
import { defineConnection, definePage, defineSelection } from './list.ts';
import { findNodes, Node } from './node.ts';
import { defineMutations, defineQuery, ifUpdatedAtArg, inSlices } from './record-fields.ts';
import { asDeleted, asUpdate, ConflictError, withFailures } from './result.ts';

const described = listDescriptions(updateNamedInput);

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

const connection = defineConnection('Space', 'spaces', Space);
const page = definePage('Space', 'spaces', Space);

const SpaceFilter = inputType('SpaceFilter', 'A filter for spaces.', spaceFilter);
const selectionArgs = defineSelection('Space', 'spaces', SpaceFilter, namedOrderFields);

builder.queryFields((t) => ({
  space: t.field({
    ...defineQuery(Space),
    resolve: (_root, { id }, { db, actor }) => findSpace(db, actor, id),
  }),
  spaces: t.field({
    ...connection,
    description: "The account's spaces, paginated by cursor.",
    args: { ...connection.args, ...selectionArgs },
    resolve: (_root, args, { lists, actor }) => spaceConnection(lists, actor, args),
  }),
  spacePage: t.field({
    ...page,
    description: "The account's spaces, paginated by page number.",
    args: { ...page.args, ...selectionArgs },
    resolve: (_root, args, { lists, actor }) => spacePage(lists, actor, args),
  }),
}));

const { creation, update, deletion } = defineMutations(Space, {
  create: createNamedInput,
  update: updateNamedInput,
  changes: 'Changes to a space. Absent fields do not change; neither field can be cleared.',
  failsToUpdate: [ConflictError],
});

builder.mutationFields((t) => ({
  createSpace: t.field({
    ...creation,
    resolve: withFailures((_root, { input }, { db, actor, now }) => createSpace(db, actor, input, now())),
  }),
  updateSpace: t.field({
    ...update,
    args: { ...update.args, ...ifUpdatedAtArg },
    resolve(_root, { id, input, ifUpdatedAt }, context) {
      const { db, actor, now } = context;
      const work = updateSpace(db, actor, id, input, now(), ifUpdatedAt);
      return asUpdate(context, Space, work, () => findSpace(db, actor, id), input);
    },
  }),
  deleteSpace: t.field({
    ...deletion,
    description: `Deletes a space. Its links remain, without a space.${inSlices}`,
    resolve: withFailures((_root, { id }, { db, longWork, actor, now }) =>
      asDeleted('Space', deleteSpace(db, longWork, actor, id, now())),
    ),
  }),
}));
