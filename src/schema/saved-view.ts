import {
  createView,
  createViewInput,
  deleteView,
  findView,
  findViews,
  updateView,
  updateViewInput,
  type ViewKind,
  viewConnection,
  viewKinds,
} from '../domain/saved-view.ts';
import { builder } from './builder.ts';
import { enumType, listDescriptions } from './domain-types.ts';
import { defineConnection } from './list.ts';
import { findNodes, Node } from './node.ts';
import { defineMutations, defineQuery } from './record-fields.ts';
import { asDeleted, withFailures } from './result.ts';

const described = listDescriptions(createViewInput);

const ViewKindType = enumType('SavedViewKind', 'The parts of the console that views can be of.', viewKinds);

const SavedView = builder.prismaObject('SavedView', {
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the saved view.' }),
    name: t.exposeString('name', described('name')),
    view: t.field({
      type: ViewKindType,
      ...described('view'),
      select: { view: true },
      resolve: ({ view }) => view as ViewKind, // The table has only these.
    }),
    query: t.exposeString('query', described('query')),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

findNodes(SavedView, ({ db, actor }, ids) => findViews(db, actor, ids));

const connection = defineConnection('SavedView', 'saved views', SavedView);

builder.queryFields((t) => ({
  savedView: t.field({
    ...defineQuery(SavedView),
    resolve: (_root, { id }, { db, actor }) => findView(db, actor, id),
  }),
  savedViews: t.field({
    ...connection,
    description: "The account's saved views, oldest first, paginated by cursor.",
    resolve: (_root, args, { lists, actor }) => viewConnection(lists, actor, args),
  }),
}));

const { creation, update, deletion } = defineMutations(SavedView, {
  create: createViewInput,
  update: updateViewInput,
  changes: 'Changes to a saved view. Absent fields do not change.',
});

builder.mutationFields((t) => ({
  createSavedView: t.field({
    ...creation,
    description: 'Saves a view of the console under a name, for everybody in the account.',
    resolve: withFailures((_root, { input }, { db, actor, now }) => createView(db, actor, input, now())),
  }),
  updateSavedView: t.field({
    ...update,
    resolve: withFailures((_root, { id, input }, { db, actor, now }) =>
      updateView(db, actor, id, input, now()),
    ),
  }),
  deleteSavedView: t.field({
    ...deletion,
    resolve: withFailures((_root, { id }, { db, actor, now }) =>
      asDeleted('SavedView', deleteView(db, actor, id, now())),
    ),
  }),
}));
