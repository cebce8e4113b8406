import type { GraphQLResolveInfo } from 'graphql';
import {
  findLink,
  findLinkByShortUrl,
  findLinks,
  linkConnection,
  linkOrderFields,
  linkPage,
  linkSearchFields,
  MAX_COUNTED,
} from '../../domain/link/find-links.ts';
import type { Context } from '../../graphql/context.ts';
import { builder } from '../builder.ts';
import { listCost } from '../cost/list-cost.ts';
import { enumType } from '../enum-type.ts';
import { connectionOf, edgesArgs, pageArgs, pageOf, selectionOf, updatedSince } from '../list.ts';
import { findNodes } from '../node.ts';
import { inConnection, inPage, selectFor } from '../select.ts';
import { Space } from '../space.ts';
import { Link, LinkStatus } from './link.ts';

findNodes(Link, (context, ids, info) =>
  findLinks(context.lists, context.actor, ids, selectFor(context, info)),
);

const LinkConnection = connectionOf(
  'Link',
  'links',
  Link,
  ` For a search of one or two characters, counting stops at ${MAX_COUNTED.toLocaleString('en-US')}.`,
);
const LinkPage = pageOf('Link', 'links', Link);

const LinkSearchField = enumType(
  'LinkSearchField',
  'The field of a link that is searched.',
  linkSearchFields,
);

const LinkFilter = builder.inputType('LinkFilter', {
  description: 'A filter for links. All conditions must match.',
  fields: (t) => ({
    search: t.string({ description: 'Only links that contain this text, case-insensitive.' }),
    searchBy: t.field({
      type: LinkSearchField,
      description: 'The field that is searched; TITLE by default.',
    }),
    status: t.field({ type: LinkStatus, description: 'Only links with this status.' }),
    spaceId: t.id({ description: 'Only links in the space with this id.' }),
    withoutSpace: t.boolean({
      description: 'If true, only links without a space; if false, no condition.',
    }),
    domainId: t.id({ description: 'Only links on the domain with this id.' }),
    pixelId: t.id({ description: 'Only links with the pixel with this id.' }),
    updatedSince: t.field({ type: 'DateTime', description: updatedSince }),
  }),
});

const selectionArgs = selectionOf('Link', 'links', LinkFilter, linkOrderFields);

function connection(
  context: Context,
  info: GraphQLResolveInfo,
  args: Parameters<typeof linkConnection>[2],
  space?: { readonly id: number },
) {
  const { lists, actor, now } = context;
  return linkConnection(lists, actor, args, now, space, selectFor(context, info, inConnection));
}

builder.queryFields((t) => ({
  link: t.field({
    type: Link,
    nullable: true,
    description: 'The link with this id; null if the account has none.',
    args: { id: t.arg.id({ required: true, description: 'The id of the link.' }) },
    resolve: (_root, { id }, context, info) =>
      findLink(context.lists, context.actor, id, selectFor(context, info)),
  }),
  linkByShortUrl: t.field({
    type: Link,
    nullable: true,
    description: 'The link with this short URL; null if the account has none.',
    args: {
      url: t.arg.string({
        required: true,
        description: 'The short URL, with or without its scheme. Its query and fragment do not matter.',
      }),
    },
    resolve: (_root, { url }, context, info) =>
      findLinkByShortUrl(context.lists, context.actor, url, selectFor(context, info)),
  }),
  links: t.field({
    type: LinkConnection,
    extensions: listCost,
    description: "The account's links, paginated by cursor.",
    args: { ...edgesArgs, ...selectionArgs },
    resolve: (_root, args, context, info) => connection(context, info, args),
  }),
  linkPage: t.field({
    type: LinkPage,
    extensions: listCost,
    description: "The account's links, paginated by page number.",
    args: { ...pageArgs, ...selectionArgs },
    resolve: (_root, args, context, info) =>
      linkPage(context.lists, context.actor, args, context.now, selectFor(context, info, inPage)),
  }),
}));

builder.objectField(Space, 'links', (t) =>
  t.field({
    type: LinkConnection,
    extensions: listCost,
    description: 'The links in the space, paginated by cursor.',
    args: { ...edgesArgs, ...selectionArgs },
    resolve: (space, args, context, info) => connection(context, info, args, space),
  }),
);
