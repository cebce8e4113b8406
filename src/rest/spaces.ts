import { createNamedInput, updateNamedInput } from '../domain/name-and-color.ts';
import { spacePageInput } from '../domain/space.ts';
import { encodePage, notFound, success } from '../engine/rest/answer.ts';
import { choice, type Fields, integerField, textField } from '../engine/rest/form/field.ts';
import { defineRecord, describeFields, recordAnswer } from '../engine/rest/record.ts';
import { needText, route, withoutFields } from '../engine/rest/route.ts';
import {
  type CreateSpaceInput,
  RestCreateSpaceDocument,
  RestDeleteSpaceDocument,
  RestSpaceDocument,
  RestSpacePageDocument,
  RestSpaceRowsDocument,
  RestUpdateSpaceDocument,
  type SpaceFieldsFragment,
} from '../generated/documents.ts';
import { schema } from '../schema/index.ts';

const fields = {
  name: { ...textField('name'), example: 'Launch' },
  color: {
    ...integerField('color'),
    about: 'One of six colours, 1 to 6; clients choose which colours these are.',
    example: '3',
  },
} satisfies Fields;

const listFields = {
  search: textField('filter.search'),
  search_by: { ...choice(null, { name: undefined }), about: 'The field that is searched.' },
  sort_by: choice('orderBy.field', { id: 'ID', name: 'NAME' }),
  sort: choice('orderBy.direction', { desc: 'DESC', asc: 'ASC' }),
  per_page: integerField('perPage'),
  page: integerField('page'),
};

const { plain, cell } = describeFields<SpaceFieldsFragment>(schema, 'Space');

export const spaceAnswer = recordAnswer<SpaceFieldsFragment, SpaceFieldsFragment>({
  id: cell({ type: 'integer' }, ({ id }) => Number(id)),
  name: plain('name'),
  color: plain('color'),
  created_at: plain('createdAt'),
  updated_at: plain('updatedAt'),
});

export const spaceRoutes = [
  route({
    methods: ['GET'],
    path: '/spaces',
    fields: listFields,
    schema: spacePageInput,
    document: RestSpacePageDocument,
    variables: (input) => input,
    encode: ({ spacePage }, url) => encodePage(spacePage, spaceAnswer.encode, url),
    csv: spaceAnswer.csv(RestSpaceRowsDocument, ({ spaces }) => spaces),
  }),
  route({
    methods: ['POST'],
    path: '/spaces',
    fields,
    schema: createNamedInput,
    document: RestCreateSpaceDocument,
    variables: (input) => ({ input: { ...input, name: needText(input.name) } satisfies CreateSpaceInput }),
    encode: ({ createSpace }) => success({ data: spaceAnswer.encode(defineRecord(createSpace)) }, 201),
  }),
  route({
    methods: ['GET'],
    path: '/spaces/:id',
    ...withoutFields,
    document: RestSpaceDocument,
    variables: (_input, id) => ({ id }),
    encode: ({ space }) => (space ? success({ data: spaceAnswer.encode(space) }) : notFound),
  }),
  route({
    methods: ['PUT', 'PATCH'],
    path: '/spaces/:id',
    fields,
    schema: updateNamedInput,
    document: RestUpdateSpaceDocument,
    variables: (input, id) => ({ id, input }),
    encode: ({ updateSpace }) => success({ data: spaceAnswer.encode(defineRecord(updateSpace)) }),
  }),
  route({
    methods: ['DELETE'],
    path: '/spaces/:id',
    ...withoutFields,
    document: RestDeleteSpaceDocument,
    variables: (_input, id) => ({ id }),
    encode: ({ deleteSpace }) =>
      success({ id: Number(defineRecord(deleteSpace).id), object: 'space', deleted: true }),
  }),
];
