import { queryFromInfo } from '@pothos/plugin-prisma';
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { SelectedLink } from '../../db/links.ts';
import type { LinkSelect } from '../../db/reading/link-list.ts';
import { ALIAS_RULE } from '../../domain/link/alias-grammar.ts';
import { checkNewLinks } from '../../domain/link/bulk.ts';
import { duplicateLink } from '../../domain/link/duplicate.ts';
import {
  createLinkInput,
  duplicateLinkInput,
  MAX_EXTERNAL_ID,
  MAX_PIXELS,
  MAX_TAGS,
  updateLinkInput,
} from '../../domain/link/fields.ts';
import {
  archivedFilters,
  findLink,
  findLinkByExternalId,
  findLinkByShortUrl,
  findLinks,
  type LinksOf,
  linkConnection,
  linkFilter,
  linkOrderFields,
  linkPage,
  linkSearchFields,
  MAX_COUNTED,
} from '../../domain/link/find-links.ts';
import { createLink, deleteLink, prepareNewLink } from '../../domain/link/link.ts';
import { imagePath } from '../../domain/link/preview.ts';
import { qrCodeSvg, qrErrorCorrections } from '../../domain/link/qr-code.ts';
import { linkStatus, linkStatuses } from '../../domain/link/status.ts';
import { type LinkUpdate, prepareLinkUpdate, updateLink } from '../../domain/link/update.ts';
import { upsertLink } from '../../domain/link/upsert.ts';
import { spendOnDeletions, spendOnNew, spendOnUpdates } from '../../domain/link/written-rows.ts';
import { readStoredRules, readStoredTests } from '../../domain/rule/parse.ts';
import { listRuleWarnings } from '../../domain/rule/warnings.ts';
import { composeShortUrl } from '../../domain/short-domain/host.ts';
import { costs } from '../../engine/graphql/cost/costs.ts';
import { ofBatch } from '../../engine/graphql/input-limits.ts';
import { invalidField } from '../../engine/rules/errors.ts';
import { parseBatch, shownCount, shownCountLimit, type Unparsed } from '../../engine/rules/input.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { batchCost, changeCost, checkCost, upsertCost } from '../cost/field-cost.ts';
import { enumType, inputType, listDescriptions } from '../domain-types.ts';
import { defineConnection, definePage, defineSelection } from '../list.ts';
import { findNodes, Node } from '../node.ts';
import { Pixel } from '../pixel.ts';
import { defineMutations, defineQuery, ifUpdatedAt, ifUpdatedAtArg } from '../record-fields.ts';
import {
  asDeleted,
  asResult,
  asUpdate,
  ConflictError,
  defineResult,
  Failure,
  inSequence,
  NotFoundError,
  ValidationError,
  withCurrent,
} from '../result.ts';
import { Space } from '../space.ts';
import { Tag } from '../tag.ts';
import { LinkPrivacy } from './privacy.ts';
import { analysisCost, isOfRootField, LinkRule, RuleTest, RuleWarningType } from './rules.ts';
import { LinkTargeting, targetColumns, targetsLength } from './targeting.ts';

const LinkStatus = enumType('LinkStatus', 'The state of a link. Each link has exactly one.', linkStatuses);

const QrErrorCorrection = enumType(
  'QrErrorCorrection',
  'How much of a QR code may be damaged or covered, and still be read.',
  qrErrorCorrections,
);

/** A QR code takes a millisecond of work, and a few kilobytes of text. */
const qrCodeCost = { weight: 1_000, work: 200, isOfRecord: true };

const LinkExpiration = builder.prismaObject('Link', {
  variant: 'LinkExpiration',
  select: { id: true },
  description: 'When a link expires, and where visitors go then.',
  fields: (t) => ({
    url: t.expose('expirationUrl', { type: 'URL', nullable: true }),
    at: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    clicks: t.exposeInt('expirationClicks', { nullable: true }),
  }),
});

const LinkPreview = builder.prismaObject('Link', {
  variant: 'LinkPreview',
  select: { id: true },
  description: 'The card that chats and social networks show of a link.',
  fields: (t) => ({
    title: t.expose('previewTitle', {
      type: 'String',
      nullable: true,
      description: 'The title of the card.',
    }),
    description: t.expose('previewDescription', {
      type: 'String',
      nullable: true,
      description: 'The text below the title.',
    }),
    imageUrl: t.field({
      type: 'URL',
      nullable: true,
      select: { previewImage: true, domain: { select: { name: true } } },
      description: "The picture, on the link's own host. An input takes it as `image`, too.",
      resolve: ({ previewImage, domain }, _args, { services }) =>
        previewImage === null ? null : `${services.scheme}//${domain.name}${imagePath(previewImage)}`,
    }),
  }),
});

const described = listDescriptions(updateLinkInput);

/** Most links have few rules and tests, and `spendOnTargets` limits many. */
const usualRules = costs({ size: 2, weight: 1 });

/** Counts rules or tests as they are read: their parts in the answer count only beyond that. */
function spendOnReading({ length }: string, { spendOnTargets, rulesRead }: Context): void {
  spendOnTargets(length);
  rulesRead.bytes += length;
}

/** Triggers make a link's counter. */
function readClicks(counter: { clicks: number } | null): number {
  return counter?.clicks ?? 0;
}

export const Link = builder.prismaObject('Link', {
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id, as in the REST API, as a string.' }),
    url: t.expose('url', { type: 'URL' }),
    alias: t.exposeString('alias', {
      description: `The path on the domain: ${ALIAS_RULE}; unique on its domain, case-sensitive.`,
    }),
    shortUrl: t.field({
      type: 'URL',
      select: { alias: true, domain: { select: { name: true } } },
      description: 'The short URL.',
      resolve: (link, _args, { services }) => composeShortUrl(services, link.domain, link),
    }),
    title: t.exposeString('title', { ...described('title'), nullable: true }),
    externalId: t.exposeString('externalId', { ...described('externalId'), nullable: true }),
    domain: t.relation('domain', { description: 'The domain of the link.' }),
    space: t.relation('space', { nullable: true, description: 'The space of the link; null for none.' }),
    pixels: t.field({
      type: [Pixel],
      select: { pixels: { select: { pixel: true }, orderBy: { pixelId: 'asc' } } },
      description: 'The pixels that the link fires, oldest first.',
      extensions: costs({ size: MAX_PIXELS }),
      resolve: ({ pixels }) => pixels.map(({ pixel }) => pixel),
    }),
    tags: t.field({
      type: [Tag],
      select: { tags: { select: { tag: true } } },
      description: `The tags of the link, by name; at most ${MAX_TAGS}.`,
      extensions: costs({ size: MAX_TAGS }),
      resolve: ({ tags }) => tags.map(({ tag }) => tag),
    }),
    hasPassword: t.boolean({
      select: { password: true },
      description: 'Whether visitors must enter a password.',
      resolve: ({ password }) => password !== null,
    }),
    disabled: t.exposeBoolean('disabled', described('disabled')),
    forwardsQuery: t.exposeBoolean('forwardsQuery', described('forwardsQuery')),
    blocked: t.boolean({
      select: { url: true, expirationUrl: true, rules: true, ...targetColumns },
      description:
        'Whether the link leads to a host that the operator of the service has blocked; visitors then get a page instead of a redirect.',
      resolve: (link, _args, { services, spendOnTargets }) => {
        if (services.lists.isEmpty) return false;
        spendOnTargets(targetsLength(link) + link.rules.length);
        return services.lists.blocks(link);
      },
    }),
    // The database has only the enum's values, but Prisma does not know it.
    archived: t.exposeBoolean('archived', described('archived')),
    redirectStatus: t.exposeInt('redirectStatus', described('redirectStatus')),
    notes: t.exposeString('notes', { ...described('notes'), nullable: true }),
    startsAt: t.expose('startsAt', { ...described('startsAt'), type: 'DateTime', nullable: true }),
    privacy: t.expose('privacy' as never, { ...described('privacy'), type: LinkPrivacy }),
    hasPrivacyPassword: t.boolean({
      select: { privacyPassword: true },
      description: 'Whether a password for the statistics is set.',
      resolve: ({ privacyPassword }) => privacyPassword !== null,
    }),
    expiration: t.variant(LinkExpiration, { description: 'When the link expires.' }),
    targeting: t.variant(LinkTargeting, { description: 'Different destinations for different visitors.' }),
    preview: t.variant(LinkPreview, described('preview')),
    rules: t.field({
      type: [LinkRule],
      select: { rules: true },
      ...described('rules'),
      extensions: usualRules,
      resolve({ rules }, _args, context) {
        spendOnReading(rules, context);
        return readStoredRules(rules).rules;
      },
    }),
    ruleTests: t.field({
      type: [RuleTest],
      select: { ruleTests: true },
      ...described('ruleTests'),
      extensions: usualRules,
      resolve({ ruleTests }, _args, context) {
        spendOnReading(ruleTests, context);
        return readStoredTests(ruleTests);
      },
    }),
    ruleWarnings: t.field({
      type: [RuleWarningType],
      nullable: true,
      select: { url: true, rules: true, ruleTests: true },
      description:
        'Rules that can match nobody or that others cover, and tests that fail. Null except in the record of a root field, such as `link`.',
      extensions: analysisCost,
      resolve: (link, _args, { now }, info) => (isOfRootField(info) ? listRuleWarnings(link, now()) : null),
    }),
    clicks: t.int({
      select: { counter: { select: { clicks: true } } },
      description: `The number of counted visits. ${shownCountLimit}`,
      resolve: ({ counter }) => shownCount(readClicks(counter)),
    }),
    lastClickedAt: t.field({
      type: 'DateTime',
      nullable: true,
      select: { counter: { select: { lastClickedAt: true } } },
      description: 'The time of the last counted visit; null if there was none.',
      resolve: ({ counter }) => counter?.lastClickedAt,
    }),
    qrCode: t.string({
      select: { alias: true, domain: { select: { name: true } } },
      extensions: costs(qrCodeCost),
      description: 'The short URL as a QR code: an SVG image, black on white.',
      args: {
        size: t.arg.int({
          required: true,
          defaultValue: 256,
          description: 'The width and height in pixels, 32 to 2048.',
        }),
        errorCorrection: t.arg({
          type: QrErrorCorrection,
          required: true,
          defaultValue: 'M',
          description: 'How much of the code may be damaged or covered.',
        }),
        margin: t.arg.int({
          required: true,
          defaultValue: 4,
          description: 'The margin in modules, the dots of the code, 0 to 32. Readers expect 4.',
        }),
      },
      resolve: (link, args, { services }) => qrCodeSvg(composeShortUrl(services, link.domain, link), args),
    }),
    status: t.field({
      type: LinkStatus,
      select: {
        disabled: true,
        expiresAt: true,
        expirationClicks: true,
        counter: { select: { clicks: true } },
      },
      description: 'The state of the link.',
      resolve: (link, _args, { now }) => linkStatus({ ...link, clicks: readClicks(link.counter) }, now),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

/** Selections of links by the fields of operations. */
const linkPlans = new WeakMap<Context['operation'], Map<FieldNode, LinkSelect>>();

/**
 * Returns the columns of links that the operation selects: Prisma's `select`, as Pothos plans it. The plan is made once
 * per document, unless it may depend on variables.
 * @param paths the paths to the links below this field; by default they are its value
 */
export function selectFor(context: Context, info: GraphQLResolveInfo, paths: string[][] = []): LinkSelect {
  const { operation } = context;
  const [node] = info.fieldNodes;
  const isPlanned = info.fieldNodes.length === 1 && !operation.facts.hasDirectives;
  const plans = linkPlans.get(operation) ?? new Map<FieldNode, LinkSelect>();
  const before = node && isPlanned ? plans.get(node) : undefined;
  if (before !== undefined) return before;
  const { select = {} } = queryFromInfo({ context, info, typeName: 'Link', paths });
  if (node !== undefined && isPlanned) linkPlans.set(operation, plans.set(node, select));
  return select;
}

findNodes(Link, (context, ids, info) =>
  findLinks(context.lists, context.actor, ids, selectFor(context, info)),
);

const connection = defineConnection(
  'Link',
  'links',
  Link,
  ` For a search of one or two characters, or \`ANYWHERE\`, counting stops at ${MAX_COUNTED.toLocaleString('en-US')}.`,
);
const page = definePage('Link', 'links', Link);

enumType('ArchivedFilter', 'Whether a list has archived links.', archivedFilters);

enumType('LinkSearchField', 'The field of a link that is searched.', linkSearchFields);

const LinkFilter = inputType('LinkFilter', 'A filter for links. All conditions must match.', linkFilter);

const selectionArgs = defineSelection('Link', 'links', LinkFilter, linkOrderFields);

function connectionIn(
  context: Context,
  info: GraphQLResolveInfo,
  args: Parameters<typeof linkConnection>[2],
  of: LinksOf = {},
) {
  const { lists, actor, now } = context;
  return linkConnection(
    lists,
    actor,
    args,
    now,
    of,
    selectFor(context, info, [['edges', 'node'], ['nodes']]),
  );
}

builder.queryFields((t) => ({
  link: t.field({
    ...defineQuery(Link),
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
  linkByExternalId: t.field({
    type: Link,
    nullable: true,
    description: 'The link with this external id; null if the account has none.',
    args: { externalId: t.arg.string({ required: true, description: 'The external id, case-sensitive.' }) },
    resolve: (_root, { externalId }, context, info) =>
      findLinkByExternalId(context.lists, context.actor, externalId, selectFor(context, info)),
  }),
  links: t.field({
    ...connection,
    description: "The account's links, paginated by cursor.",
    args: { ...connection.args, ...selectionArgs },
    resolve: (_root, args, context, info) => connectionIn(context, info, args),
  }),
  linkPage: t.field({
    ...page,
    description: "The account's links, paginated by page number.",
    args: { ...page.args, ...selectionArgs },
    resolve: (_root, args, context, info) =>
      linkPage(context.lists, context.actor, args, context.now, selectFor(context, info, [['items']])),
  }),
}));

builder.objectField(Space, 'links', (t) =>
  t.field({
    ...connection,
    description: 'The links in the space, paginated by cursor.',
    args: { ...connection.args, ...selectionArgs },
    resolve: (space, args, context, info) => connectionIn(context, info, args, { spaceId: space.id }),
  }),
);

builder.objectField(Tag, 'links', (t) =>
  t.field({
    ...connection,
    description: 'The links with the tag, paginated by cursor.',
    args: { ...connection.args, ...selectionArgs },
    resolve: (tag, args, context, info) => connectionIn(context, info, args, { tagId: tag.id }),
  }),
);

const { CreateInput, UpdateInput, creation, update, deletion } = defineMutations(Link, {
  create: createLinkInput,
  update: updateLinkInput,
  changes:
    'Changes to a link. Absent fields do not change; null clears a field that can be cleared. The domain cannot change.',
  failsToUpdate: [ConflictError],
  failsToDelete: [ConflictError, ValidationError],
});

const UpsertLinkResult = defineResult('UpsertLink', 'The new or changed record', Link, [ValidationError]);

const DuplicateLinkResult = defineResult('DuplicateLink', 'The new record', Link, [
  ValidationError,
  NotFoundError,
]);

const DuplicateLinkInput = inputType(
  'DuplicateLinkInput',
  'What differs between a link and its copy. Absent fields are copied, except `alias` and `externalId`.',
  duplicateLinkInput,
  { updates: true },
);

const UpdateLinksInput = builder.inputType('UpdateLinksInput', {
  description: 'Changes to one of several links.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The id of the link.' }),
    input: t.field({ type: UpdateInput, required: true, description: 'What to change.' }),
    ifUpdatedAt: t.field({ type: 'DateTime', description: ifUpdatedAt }),
  }),
});

const newLinksArg = builder.args((t) => ({
  inputs: t.field({ type: [CreateInput], required: true, description: 'The new links.', ...ofBatch }),
}));

type NewLink = Unparsed<typeof createLinkInput>;

/** The arguments of `createLink` and `prepareNewLink`. */
function ofCreate({ db, actor, services, now }: Context, input: NewLink, select: LinkSelect) {
  return [db, actor, services, input, now(), select] as const;
}

/** The arguments of `updateLink` and `prepareLinkUpdate`. */
function ofUpdate({ db, actor, services, now }: Context, update: LinkUpdate, select: LinkSelect) {
  return [db, actor, { update, services, now: now(), select }] as const;
}

/** @throws DomainError VALIDATION for another number of times */
function requireTimeForEach(ids: readonly string[], ifUpdatedAt: readonly unknown[] | null = null): void {
  const [expected, given] = [ids.length, ifUpdatedAt?.length ?? ids.length];
  if (given !== expected)
    throw invalidField(
      'ifUpdatedAt',
      `must have a time or null for each of the ${expected} ids, not ${given}`,
    );
}

async function deleteIn(
  context: Context,
  info: GraphQLResolveInfo,
  id: string,
  ifUpdatedAt: string | null = null,
) {
  const { db, actor, now, lists } = context;
  const result = await asResult(
    context,
    asDeleted('Link', deleteLink(db, actor, id, now(), { ifUpdatedAt })),
  );
  return withCurrent(Link, result, () => findLink(lists, actor, id, selectFor(context, info)));
}

function asUpdated(
  context: Context,
  work: Promise<SelectedLink>,
  { id, input }: LinkUpdate,
  select: LinkSelect,
) {
  return asUpdate(context, Link, work, () => findLink(context.lists, context.actor, id, select), input);
}

builder.mutationFields((t) => ({
  createLink: t.field({
    ...creation,
    resolve: (_root, { input }, context, info) =>
      asResult(context, createLink(...ofCreate(context, input, selectFor(context, info))), input),
  }),
  createLinks: t.field({
    type: [creation.type],
    extensions: batchCost,
    description:
      'Creates up to 100 links. Returns one result for each, in order. A refused link does not affect the others.',
    args: newLinksArg,
    resolve: async (_root, { inputs }, context, info) => {
      const select = selectFor(context, info);
      spendOnNew(context.db, parseBatch('inputs', inputs));
      const prepared = await inSequence(inputs, async (input) => ({
        input,
        make: await asResult(context, prepareNewLink(...ofCreate(context, input, select)), input),
      }));
      return inSequence(prepared, ({ input, make }) =>
        make instanceof Failure ? make : asResult(context, make(true), input),
      );
    },
  }),
  upsertLink: t.field({
    type: UpsertLinkResult,
    description:
      'Changes the given fields of the link with this external id, or creates the link if the account has none. ' +
      'Simultaneous requests create one link.',
    extensions: upsertCost,
    args: {
      externalId: t.arg.string({
        required: true,
        description: `Your id of the link, 1 to ${MAX_EXTERNAL_ID} characters, case-sensitive.`,
      }),
      input: t.arg({
        type: CreateInput,
        required: true,
        description:
          'The new link, or what to change in the existing one: absent fields do not change. Its `alias` and `domainId` cannot change.',
      }),
    },
    resolve(_root, args, context, info) {
      const { db, actor, services, now } = context;
      const work = upsertLink(db, actor, services, args, now(), selectFor(context, info));
      return asResult(context, work, { ...args.input, externalId: args.externalId });
    },
  }),
  duplicateLink: t.field({
    type: DuplicateLinkResult,
    description:
      'Creates a link with the fields of another one, also its passwords, rules, tags and pixels, but without its clicks, its ' +
      'external id and its alias.',
    extensions: changeCost,
    args: {
      id: t.arg.id({ required: true, description: 'The id of the link to copy.' }),
      input: t.arg({
        type: DuplicateLinkInput,
        description: 'What differs in the new link; nothing by default.',
      }),
    },
    resolve(_root, args, context, info) {
      const { db, actor, services, now } = context;
      const work = duplicateLink(db, actor, services, args, now(), selectFor(context, info));
      return asResult(context, work, args.input ?? {});
    },
  }),
  updateLink: t.field({
    ...update,
    args: { ...update.args, ...ifUpdatedAtArg },
    resolve(_root, args, context, info) {
      const select = selectFor(context, info);
      return asUpdated(context, updateLink(...ofUpdate(context, args, select)), args, select);
    },
  }),
  updateLinks: t.field({
    type: [update.type],
    extensions: batchCost,
    description:
      'Changes up to 100 links. Returns one result for each, in order. A refused change does not affect the others.',
    args: {
      inputs: t.arg({
        type: [UpdateLinksInput],
        required: true,
        description: 'The links, and the changes of each.',
        ...ofBatch,
      }),
    },
    resolve: async (_root, { inputs }, context, info) => {
      const select = selectFor(context, info);
      await spendOnUpdates(context.db, context.actor, parseBatch('inputs', inputs));
      const prepared = await inSequence(inputs, async (one) => ({
        one,
        change: await asResult(context, prepareLinkUpdate(...ofUpdate(context, one, select)), one.input),
      }));
      return inSequence(prepared, ({ one, change }) =>
        change instanceof Failure ? change : asUpdated(context, change(), one, select),
      );
    },
  }),
  deleteLink: t.field({
    ...deletion,
    description: 'Deletes a link, with its clicks.',
    args: { ...deletion.args, ...ifUpdatedAtArg },
    async resolve(_root, { id, ifUpdatedAt }, context, info) {
      await spendOnDeletions(context.db, context.actor, [id]);
      return deleteIn(context, info, id, ifUpdatedAt);
    },
  }),
  deleteLinks: t.field({
    type: [deletion.type],
    extensions: batchCost,
    description: 'Deletes up to 100 links. Returns one result for each, in order.',
    args: {
      ids: t.arg.idList({ required: true, description: 'The ids of the links.', ...ofBatch }),
      ifUpdatedAt: t.arg({
        type: ['DateTime'],
        required: { list: false, items: false },
        description:
          'The `updatedAt` of each link when it was read, in the order of `ids`. A link that was changed since stays.',
        ...ofBatch,
      }),
    },
    async resolve(_root, { ids, ifUpdatedAt }, context, info) {
      parseBatch('ids', ids);
      requireTimeForEach(ids, ifUpdatedAt);
      await spendOnDeletions(context.db, context.actor, ids);
      const times = ids.map((id, index) => ({ id, seen: ifUpdatedAt?.[index] }));
      return inSequence(times, ({ id, seen }) => deleteIn(context, info, id, seen));
    },
  }),
}));

builder.queryField('checkLinks', (t) =>
  t.field({
    type: [ValidationError],
    nullable: { list: false, items: true },
    description:
      'Checks up to 100 new links without creating them, each as if the ones before it were created. Returns ' +
      'for each, in order, the error that `createLinks` would, or null.',
    extensions: checkCost,
    args: newLinksArg,
    resolve: async (_root, { inputs }, { db, actor, services, now }) =>
      (await checkNewLinks(db, actor, services, parseBatch('inputs', inputs), now())).map((error) =>
        error ? new Failure(error) : null,
      ),
  }),
);
