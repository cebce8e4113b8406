import {
  createUtmTemplate,
  createUtmTemplateInput,
  deleteUtmTemplate,
  findUtmTemplate,
  findUtmTemplates,
  updateUtmTemplate,
  updateUtmTemplateInput,
  utmTemplateConnection,
} from '../domain/utm-template.ts';
import { builder } from './builder.ts';
import { listDescriptions } from './domain-types.ts';
import { defineConnection } from './list.ts';
import { findNodes, Node } from './node.ts';
import { defineMutations, defineQuery } from './record-fields.ts';
import { asDeleted, withFailures } from './result.ts';

const described = listDescriptions(updateUtmTemplateInput);
const parameter = (name: Parameters<typeof described>[0]) =>
  ({ ...described(name), nullable: true }) as const;

const UtmTemplate = builder.prismaObject('UtmTemplate', {
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the UTM template.' }),
    name: t.exposeString('name', described('name')),
    source: t.exposeString('source', parameter('source')),
    medium: t.exposeString('medium', parameter('medium')),
    campaign: t.exposeString('campaign', parameter('campaign')),
    term: t.exposeString('term', parameter('term')),
    content: t.exposeString('content', parameter('content')),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

findNodes(UtmTemplate, ({ db, actor }, ids) => findUtmTemplates(db, actor, ids));

const connection = defineConnection('UtmTemplate', 'UTM templates', UtmTemplate);

builder.queryFields((t) => ({
  utmTemplate: t.field({
    ...defineQuery(UtmTemplate),
    resolve: (_root, { id }, { db, actor }) => findUtmTemplate(db, actor, id),
  }),
  utmTemplates: t.field({
    ...connection,
    description: "The account's UTM templates, oldest first, paginated by cursor.",
    resolve: (_root, args, { lists, actor }) => utmTemplateConnection(lists, actor, args),
  }),
}));

const { creation, update, deletion } = defineMutations(UtmTemplate, {
  create: createUtmTemplateInput,
  update: updateUtmTemplateInput,
  changes: 'Changes to a UTM template. Absent fields do not change; null clears a field that can be cleared.',
});

builder.mutationFields((t) => ({
  createUtmTemplate: t.field({
    ...creation,
    resolve: withFailures((_root, { input }, { db, actor, now }) =>
      createUtmTemplate(db, actor, input, now()),
    ),
  }),
  updateUtmTemplate: t.field({
    ...update,
    description: 'Changes a UTM template. Links that have its parameters keep them as they are.',
    resolve: withFailures((_root, { id, input }, { db, actor, now }) =>
      updateUtmTemplate(db, actor, id, input, now()),
    ),
  }),
  deleteUtmTemplate: t.field({
    ...deletion,
    description: 'Deletes a UTM template. Links keep its parameters.',
    resolve: withFailures((_root, { id }, { db, actor, now }) =>
      asDeleted('UtmTemplate', deleteUtmTemplate(db, actor, id, now())),
    ),
  }),
}));
