import type { LinkRow } from '../db/link-rows.ts';
import { notFound } from '../domain/errors.ts';
import { parseBatch } from '../domain/input.ts';
import { createLink, deleteLink, updateLink } from '../domain/link.ts';
import { findLink } from '../domain/link-list.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { batchCost, changeCost } from './cost.ts';
import { Link, LinkPrivacy, Platform, TargetType, targetKeys } from './link.ts';
import { asDeleted, asResult, inSequence, resultsOf } from './result.ts';

const LinkExpirationInput = builder.inputType('LinkExpirationInput', {
  description: 'What ends a link, and what visitors get then.',
  fields: (t) => ({
    url: t.string({
      description:
        "Where visitors of the ended link are sent, as an absolute http or https URL; the service's own page by default.",
    }),
    at: t.string({
      description:
        'When the link ends: a moment in ISO 8601 with its offset from UTC, such as 2027-01-01T00:00:00Z. One given to the minute leaves a stored moment of that minute as it is.',
    }),
    clicks: t.int({ description: 'After how many clicks the link ends, 1 to 999999999.' }),
  }),
});

const url = 'Where these visitors are led: an absolute http or https URL.';

const CountryTargetInput = builder.inputType('CountryTargetInput', {
  description: 'Where the visitors of one country are led.',
  fields: (t) => ({
    country: t.string({ required: true, description: `${targetKeys.country} In any case.` }),
    url: t.string({ required: true, description: url }),
  }),
});

const PlatformTargetInput = builder.inputType('PlatformTargetInput', {
  description: 'Where the visitors with one operating system are led.',
  fields: (t) => ({
    platform: t.field({ type: Platform, required: true, description: targetKeys.platform }),
    url: t.string({ required: true, description: url }),
  }),
});

const LanguageTargetInput = builder.inputType('LanguageTargetInput', {
  description: 'Where the visitors with one preferred language are led.',
  fields: (t) => ({
    language: t.string({ required: true, description: `${targetKeys.language} In any case.` }),
    url: t.string({ required: true, description: url }),
  }),
});

const LinkTargetingInput = builder.inputType('LinkTargetingInput', {
  description:
    'Where different visitors are led. Each list, of at most 250 entries, replaces the stored one of its kind; null empties it.',
  fields: (t) => ({
    type: t.field({ type: TargetType, description: 'By what the link chooses.' }),
    countries: t.field({ type: [CountryTargetInput], description: 'By country, each once.' }),
    platforms: t.field({ type: [PlatformTargetInput], description: 'By operating system, each once.' }),
    languages: t.field({ type: [LanguageTargetInput], description: 'By language, each once.' }),
    rotation: t.stringList({ description: 'The URLs that take turns.' }),
  }),
});

const CreateLinkInput = builder.inputType('CreateLinkInput', {
  description: 'A new link.',
  fields: (t) => ({
    url: t.string({
      required: true,
      description:
        'Where the link leads: an absolute http or https URL, at most 2048 characters, not on a short domain of the service.',
    }),
    domainId: t.id({ description: "The domain that the alias is on; the service's own by default." }),
    alias: t.string({
      description: 'Letters, digits, `-` and `_`, 1 to 255 of them; a short free one by default.',
    }),
    title: t.string({ description: 'The title, at most 255 characters.' }),
    password: t.string({ description: 'What visitors must give, 1 to 128 characters.' }),
    spaceId: t.id({ description: 'The space to put it in.' }),
    pixelIds: t.idList({ description: 'The pixels that it fires.' }),
    disabled: t.boolean({ description: 'Whether it is switched off; false by default.' }),
    privacy: t.field({ type: LinkPrivacy, description: 'Who may see its statistics; PUBLIC by default.' }),
    privacyPassword: t.string({
      description:
        'The password for the statistics, 1 to 128 characters; required where privacy is PASSWORD.',
    }),
    expiration: t.field({ type: LinkExpirationInput, description: 'What ends it; nothing by default.' }),
    targeting: t.field({
      type: LinkTargetingInput,
      description: 'Where different visitors are led; all to the URL by default.',
    }),
  }),
});

const UpdateLinkInput = builder.inputType('UpdateLinkInput', {
  description:
    'Changes of a link. What is absent stays as it is; null clears what can be cleared. The domain cannot change.',
  fields: (t) => ({
    url: t.string({ description: 'Where the link leads; cannot be cleared.' }),
    domainId: t.id({ description: 'The domain that the link is on; no other.' }),
    alias: t.string({ description: 'The alias; cannot be cleared.' }),
    title: t.string({ description: 'The title; null clears it.' }),
    password: t.string({ description: 'What visitors must give; null asks them for none.' }),
    spaceId: t.id({ description: 'The space to put it in; null takes it out of its space.' }),
    pixelIds: t.idList({ description: 'The pixels that it fires, instead of all it had; null for none.' }),
    disabled: t.boolean({ description: 'Whether it is switched off; cannot be cleared.' }),
    privacy: t.field({ type: LinkPrivacy, description: 'Who may see its statistics; cannot be cleared.' }),
    privacyPassword: t.string({
      description: 'The password for the statistics; null clears it, where privacy is not PASSWORD.',
    }),
    expiration: t.field({
      type: LinkExpirationInput,
      description: 'What ends it. Absent fields of it stay, null clears one, and null instead clears all.',
    }),
    targeting: t.field({
      type: LinkTargetingInput,
      description: 'Where different visitors are led. Absent lists stay; null instead clears all.',
    }),
  }),
});

const { CreateResult, UpdateResult, DeleteResult } = resultsOf('Link', Link);

/** A link that was just written, with what it belongs to. */
async function shown({ lists, actor }: Context, written: Promise<{ id: number }>): Promise<LinkRow> {
  const { id } = await written;
  const link = await findLink(lists, actor, String(id));
  if (link === null) throw notFound('link');
  return link;
}

function create(context: Context, input: typeof CreateLinkInput.$inferInput) {
  const { db, actor, site, now } = context;
  return asResult(shown(context, createLink(db, actor, site, input, now())));
}

builder.mutationFields((t) => ({
  createLink: t.field({
    type: CreateResult,
    extensions: changeCost,
    description: 'Makes a link.',
    args: { input: t.arg({ type: CreateLinkInput, required: true, description: 'The new link.' }) },
    resolve: (_root, { input }, context) => create(context, input),
  }),
  createLinks: t.field({
    type: [CreateResult],
    extensions: batchCost,
    description:
      'Makes up to 100 links, with a result for each, in order. One that is refused spoils no other.',
    args: { inputs: t.arg({ type: [CreateLinkInput], required: true, description: 'The new links.' }) },
    resolve: (_root, { inputs }, context) =>
      inSequence(parseBatch('inputs', inputs), (input) => create(context, input)),
  }),
  updateLink: t.field({
    type: UpdateResult,
    extensions: changeCost,
    description: 'Changes a link.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the link.' }),
      input: t.arg({ type: UpdateLinkInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, { id, input }, context) => {
      const { db, actor, site, now } = context;
      return asResult(shown(context, updateLink(db, actor, site, id, input, now())));
    },
  }),
  deleteLink: t.field({
    type: DeleteResult,
    extensions: changeCost,
    description: 'Deletes a link, with its clicks.',
    args: { id: t.arg.id({ required: true, description: 'The id of the link.' }) },
    resolve: (_root, { id }, { db, actor, now }) => asDeleted(deleteLink(db, actor, id, now())),
  }),
  deleteLinks: t.field({
    type: [DeleteResult],
    extensions: batchCost,
    description: 'Deletes up to 100 links, with a result for each, in order.',
    args: { ids: t.arg.idList({ required: true, description: 'The ids of the links.' }) },
    resolve: (_root, { ids }, { db, actor, now }) =>
      inSequence(parseBatch('ids', ids), (id) => asDeleted(deleteLink(db, actor, id, now()))),
  }),
}));
