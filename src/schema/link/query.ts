import type { GraphQLResolveInfo } from 'graphql';
import {
  findLink,
  findLinks,
  linkConnection,
  linkOrderFields,
  linkPage,
  linkSearchFields,
  MOST_COUNTED,
} from '../../domain/link/list.ts';
import { findLinkByShortUrl } from '../../domain/link/short-url.ts';
import { builder } from '../builder.ts';
import { describedValues } from '../described-values.ts';
import { connectionOf, edgesArgs, listCost, pageArgs, pageOf, selectionOf, updatedSince } from '../list.ts';
import { findNodes } from '../node.ts';
import { columnsRead, reads } from '../selected.ts';
import { Space } from '../space.ts';
import { Link, LinkStatus } from './link.ts';

findNodes('Link', ({ lists, actor }, ids, info) =>
  findLinks(lists, actor, ids, columnsRead(info, 'Link', [])),
);

const LinkConnection = connectionOf(
  'Link',
  'links',
  Link,
  ` For a search of one or two characters, counting stops at ${MOST_COUNTED.toLocaleString('en-US')}.`,
);
const LinkPage = pageOf('Link', 'links', Link);

const LinkSearchField = builder.enumType('LinkSearchField', {
  description: 'The field of a link that is searched.',
  values: describedValues(linkSearchFields),
});

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

/** The columns that the query reads of a connection's links. */
function columnsOfEdges(info: GraphQLResolveInfo): ReadonlySet<string> | null {
  const [edges, nodes] = [columnsRead(info, 'Link', ['edges', 'node']), columnsRead(info, 'Link', ['nodes'])];
  return edges && nodes && new Set([...edges, ...nodes]);
}

const selectionArgs = selectionOf('Link', 'links', LinkFilter, linkOrderFields);

builder.queryFields((t) => ({
  link: t.field({
    type: Link,
    nullable: true,
    description: 'The link with this id; null if the account has none.',
    args: { id: t.arg.id({ required: true, description: 'The id of the link.' }) },
    resolve: (_root, { id }, { lists, actor }, info) =>
      findLink(lists, actor, id, columnsRead(info, 'Link', [])),
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
    resolve: (_root, { url }, { lists, actor }, info) =>
      findLinkByShortUrl(lists, actor, url, columnsRead(info, 'Link', [])),
  }),
  links: t.field({
    type: LinkConnection,
    extensions: listCost,
    description: "The account's links, paginated by cursor.",
    args: { ...edgesArgs, ...selectionArgs },
    resolve: (_root, args, { lists, actor, now }, info) =>
      linkConnection(lists, actor, args, now, undefined, columnsOfEdges(info)),
  }),
  linkPage: t.field({
    type: LinkPage,
    extensions: listCost,
    description: "The account's links, paginated by page number.",
    args: { ...pageArgs, ...selectionArgs },
    resolve: (_root, args, { lists, actor, now }, info) =>
      linkPage(lists, actor, args, now, columnsRead(info, 'Link', ['items'])),
  }),
}));

builder.objectField(Space, 'links', (t) =>
  t.field({
    type: LinkConnection,
    extensions: { ...listCost, ...reads() },
    description: 'The links in the space, paginated by cursor.',
    args: { ...edgesArgs, ...selectionArgs },
    resolve: (space, args, { lists, actor, now }, info) =>
      linkConnection(lists, actor, args, now, space, columnsOfEdges(info)),
  }),
);
