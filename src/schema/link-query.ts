import {
  edgesOfLinks,
  findLink,
  linkOrderFields,
  linkSearchFields,
  pageOfLinks,
} from '../domain/link-list.ts';
import { builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { Link, LinkStatus } from './link.ts';
import { connectionOf, edgesArgs, listCost, pageArgs, pageOf, selectionOf } from './list.ts';

const LinkConnection = connectionOf('Link', 'links', Link);
const LinkPage = pageOf('Link', 'links', Link);

const LinkSearchField = builder.enumType('LinkSearchField', {
  description: 'In what of a link a search looks.',
  values: describedValues(linkSearchFields),
});

const LinkFilter = builder.inputType('LinkFilter', {
  description: 'Narrows a list of links; what is given must all hold.',
  fields: (t) => ({
    search: t.string({ description: 'Only those that contain this text, in any case.' }),
    searchBy: t.field({
      type: LinkSearchField,
      description: 'Where the text is looked for; TITLE by default.',
    }),
    status: t.field({ type: LinkStatus, description: 'Only those with this status.' }),
    spaceId: t.id({ description: 'Only those in the space with this id.' }),
    withoutSpace: t.boolean({
      description: 'Where true, only those in no space; where false, no condition.',
    }),
    domainId: t.id({ description: 'Only those on the domain with this id.' }),
    pixelId: t.id({ description: 'Only those that fire the pixel with this id.' }),
  }),
});

const selectionArgs = selectionOf('Link', 'links', LinkFilter, linkOrderFields);

builder.queryFields((t) => ({
  link: t.field({
    type: Link,
    nullable: true,
    description: 'The link with this id; null where the account has none.',
    args: { id: t.arg.id({ required: true, description: 'The id of the link.' }) },
    resolve: (_root, { id }, { lists, actor }) => findLink(lists, actor, id),
  }),
  links: t.field({
    type: LinkConnection,
    extensions: listCost,
    description: "The account's links, by cursor.",
    args: { ...edgesArgs, ...selectionArgs },
    resolve: (_root, args, { lists, actor, now }) => edgesOfLinks(lists, actor, args, now),
  }),
  linkPage: t.field({
    type: LinkPage,
    extensions: listCost,
    description: "The account's links, by numbered pages.",
    args: { ...pageArgs, ...selectionArgs },
    resolve: (_root, args, { lists, actor, now }) => pageOfLinks(lists, actor, args, now),
  }),
}));

builder.prismaObjectField('Space', 'links', (t) =>
  t.field({
    type: LinkConnection,
    extensions: listCost,
    description: 'The links in it, by cursor.',
    args: { ...edgesArgs, ...selectionArgs },
    resolve: (space, args, { lists, actor, now }) => edgesOfLinks(lists, actor, args, now, space),
  }),
);
