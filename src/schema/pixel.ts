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
import { changeCost } from './cost/field-cost.ts';
import { listCost } from './cost/list-cost.ts';
import { enumType } from './enum-type.ts';
import { descriptionsOf, inputType } from './input-type.ts';
import { connectionOf, edgesArgs } from './list.ts';
import { findNodes, Node } from './node.ts';
import { asDeleted, asResult, resultsOf } from './result.ts';

const PixelType = enumType('PixelType', 'The network that a pixel reports to.', pixelTypes);

const described = descriptionsOf(updatePixelInput);

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

const PixelConnection = connectionOf('Pixel', 'pixels', Pixel);

builder.queryFields((t) => ({
  pixel: t.field({
    type: Pixel,
    nullable: true,
    description: 'The pixel with this id; null if the account has none.',
    args: { id: t.arg.id({ required: true, description: 'The id of the pixel.' }) },
    resolve: (_root, { id }, { db, actor }) => findPixel(db, actor, id),
  }),
  pixels: t.field({
    type: PixelConnection,
    extensions: listCost,
    description: "The account's pixels, oldest first, paginated by cursor.",
    args: edgesArgs,
    resolve: (_root, args, { lists, actor }) => pixelConnection(lists, actor, args),
  }),
}));

const CreatePixelInput = inputType('CreatePixelInput', 'A new pixel.', createPixelInput);
const UpdatePixelInput = inputType(
  'UpdatePixelInput',
  'Changes to a pixel. Absent fields do not change; no field can be cleared.',
  updatePixelInput,
  { updates: true },
);

const { CreateResult, UpdateResult, DeleteResult } = resultsOf('Pixel', Pixel);

builder.mutationFields((t) => ({
  createPixel: t.field({
    type: CreateResult,
    extensions: changeCost,
    description: 'Creates a pixel.',
    args: { input: t.arg({ type: CreatePixelInput, required: true, description: 'The new pixel.' }) },
    resolve: (_root, { input }, { db, actor, now }) => asResult(createPixel(db, actor, input, now())),
  }),
  updatePixel: t.field({
    type: UpdateResult,
    extensions: changeCost,
    description: 'Changes a pixel.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the pixel.' }),
      input: t.arg({ type: UpdatePixelInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, { id, input }, { db, actor, now }) => asResult(updatePixel(db, actor, id, input, now())),
  }),
  deletePixel: t.field({
    type: DeleteResult,
    extensions: changeCost,
    description: 'Deletes a pixel.',
    args: { id: t.arg.id({ required: true, description: 'The id of the pixel.' }) },
    resolve: (_root, { id }, { db, actor, now }) => asDeleted('Pixel', deletePixel(db, actor, id, now())),
  }),
}));
