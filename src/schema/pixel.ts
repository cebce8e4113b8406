import {
  createPixel,
  createPixelInput,
  deletePixel,
  findPixel,
  findPixels,
  pixelConnection,
  pixelTypes,
  typeOfPixel,
  updatePixel,
  updatePixelInput,
} from '../domain/pixel.ts';
import { builder } from './builder.ts';
import { enumType, listDescriptions } from './domain-types.ts';
import { defineConnection } from './list.ts';
import { findNodes, Node } from './node.ts';
import { defineMutations, defineQuery, inSlices } from './record-fields.ts';
import { asDeleted, withFailures } from './result.ts';

const PixelType = enumType('PixelType', 'The network that a pixel reports to.', pixelTypes);

const described = listDescriptions(updatePixelInput);

export const Pixel = builder.prismaObject('Pixel', {
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the pixel.' }),
    name: t.exposeString('name', described('name')),
    type: t.field({
      ...described('type'),
      type: PixelType,
      select: { type: true },
      resolve: typeOfPixel,
    }),
    value: t.exposeString('value', described('value')),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

findNodes(Pixel, ({ db, actor }, ids) => findPixels(db, actor, ids));

const connection = defineConnection('Pixel', 'pixels', Pixel);

builder.queryFields((t) => ({
  pixel: t.field({
    ...defineQuery(Pixel),
    resolve: (_root, { id }, { db, actor }) => findPixel(db, actor, id),
  }),
  pixels: t.field({
    ...connection,
    description: "The account's pixels, oldest first, paginated by cursor.",
    resolve: (_root, args, { lists, actor }) => pixelConnection(lists, actor, args),
  }),
}));

const { creation, update, deletion } = defineMutations(Pixel, {
  create: createPixelInput,
  update: updatePixelInput,
  changes: 'Changes to a pixel. Absent fields do not change; no field can be cleared.',
});

builder.mutationFields((t) => ({
  createPixel: t.field({
    ...creation,
    resolve: withFailures((_root, { input }, { db, actor, now }) => createPixel(db, actor, input, now())),
  }),
  updatePixel: t.field({
    ...update,
    resolve: withFailures((_root, { id, input }, { db, actor, now }) =>
      updatePixel(db, actor, id, input, now()),
    ),
  }),
  deletePixel: t.field({
    ...deletion,
    description: `Deletes a pixel. Its links remain, without it.${inSlices}`,
    resolve: withFailures((_root, { id }, { db, longWork, actor, now }) =>
      asDeleted('Pixel', deletePixel(db, longWork, actor, id, now())),
    ),
  }),
}));
