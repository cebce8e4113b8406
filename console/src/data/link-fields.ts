import type {
  CreateLinkInput,
  LinkPrivacy,
  LinkRowFragment,
  LinkRuleInput,
  LinkTargetingInput,
  LinkWholeFragment,
  Platform,
  TargetType,
  UpdateLinkInput,
} from '../generated/documents.ts';
import { fromLocalInput, INCOMPLETE, toLocalInput, withScheme } from '../words/format.ts';
import { toAlias } from './alias.ts';
import {
  type RuleField,
  type RuleTestField,
  ruleInput,
  testInput,
  toRuleField,
  toTestField,
} from './rule-fields.ts';
import { followUtm, noUtm, toSlug, utmIn, withUtm } from './utm.ts';

/** A target: a country, platform or language, and its destination. In rotation, the key is empty. */
export interface TargetField {
  readonly key: string;
  readonly url: string;
  /** The text that is typed and not chosen as its key. */
  readonly typed?: string | undefined;
}

export const targetTypes: readonly TargetType[] = ['NONE', 'COUNTRY', 'PLATFORM', 'LANGUAGE', 'ROTATION'];
export const privacies: readonly LinkPrivacy[] = ['PUBLIC', 'PRIVATE', 'PASSWORD'];

export type TargetList = Exclude<TargetType, 'NONE'>;

/** The names of the lists and of their keys in the API. */
export const targetNames = {
  COUNTRY: ['countries', 'country'],
  PLATFORM: ['platforms', 'platform'],
  LANGUAGE: ['languages', 'language'],
  ROTATION: ['rotation', ''],
} as const;

/** A link as it is edited: texts of inputs. */
export interface LinkFields {
  readonly url: string;
  readonly title: string;
  readonly notes: string;
  readonly alias: string;
  readonly domainId: string;
  readonly spaceId: string;
  /** The text that is typed and not chosen as the space. */
  readonly spaceTyped: string;
  /** A new password; empty if it stays. */
  readonly password: string;
  readonly removesPassword: boolean;
  /** A local time, as of `datetime-local`, or `INCOMPLETE`. */
  readonly expiresAt: string;
  /** A time like `expiresAt`. */
  readonly startsAt: string;
  /** The status of the redirect, as a text. */
  readonly redirectStatus: string;
  readonly expiresAfter: string;
  readonly expiredUrl: string;
  readonly targetType: TargetType;
  readonly targets: Readonly<Record<TargetList, readonly TargetField[]>>;
  /** The link's own rules, in order, which come before the targets. */
  readonly rules: readonly RuleField[];
  readonly ruleTests: readonly RuleTestField[];
  readonly preview: PreviewFields;
  readonly pixelIds: readonly string[];
  /** The text that is typed and not chosen as another pixel. */
  readonly pixelTyped: string;
  readonly tagIds: readonly string[];
  /** The text that is typed and not chosen as another tag. */
  readonly tagTyped: string;
  readonly privacy: LinkPrivacy;
  readonly privacyPassword: string;
  readonly forwardsQuery: boolean;
  /** The template whose parameters the service adds. */
  readonly utmTemplateId: string;
  readonly utmOnTargets: boolean;
  /** Each of them gets a link of its own; only for new links. */
  readonly sources: readonly string[];
  /** The text that is typed and not entered as another source. */
  readonly sourceTyped: string;
}

/** A preview as it is edited; the image is a data URL, or the path of the one that the link has. */
export interface PreviewFields {
  readonly title: string;
  readonly description: string;
  readonly image: string;
}

export const emptyFields: LinkFields = {
  url: '',
  title: '',
  notes: '',
  alias: '',
  domainId: '',
  spaceId: '',
  spaceTyped: '',
  password: '',
  removesPassword: false,
  expiresAt: '',
  startsAt: '',
  redirectStatus: '302',
  expiresAfter: '',
  expiredUrl: '',
  targetType: 'NONE',
  targets: { COUNTRY: [], PLATFORM: [], LANGUAGE: [], ROTATION: [] },
  rules: [],
  ruleTests: [],
  preview: { title: '', description: '', image: '' },
  pixelIds: [],
  pixelTyped: '',
  tagIds: [],
  tagTyped: '',
  privacy: 'PUBLIC',
  privacyPassword: '',
  forwardsQuery: true,
  utmTemplateId: '',
  utmOnTargets: true,
  sources: [],
  sourceTyped: '',
};

/** The form of a new link: as the account has it, nothing is typed. */
export const newFields = (account: { readonly defaultPrivacy: LinkPrivacy }): LinkFields => ({
  ...{ ...emptyFields, privacy: account.defaultPrivacy },
});

/** The fields of a link as they are edited: nothing else is typed yet. */
export function toLinkFields(link: LinkWholeFragment): LinkFields {
  const { expiration, targeting, preview } = link;
  return {
    ...emptyFields,
    url: link.url,
    title: link.title ?? '',
    notes: link.notes ?? '',
    alias: link.alias,
    domainId: link.domain.id,
    spaceId: link.space?.id ?? '',
    expiresAt: toLocalInput(expiration.at),
    startsAt: toLocalInput(link.startsAt),
    redirectStatus: String(link.redirectStatus),
    expiresAfter: expiration.clicks === null ? '' : String(expiration.clicks),
    expiredUrl: expiration.url ?? '',
    targetType: targeting.type,
    targets: {
      COUNTRY: targeting.countries.map(({ country, url }) => ({ key: country, url })),
      PLATFORM: targeting.platforms.map(({ platform, url }) => ({ key: platform, url })),
      LANGUAGE: targeting.languages.map(({ language, url }) => ({ key: language, url })),
      ROTATION: targeting.rotation.map((url) => ({ key: '', url })),
    },
    rules: link.rules.map(toRuleField),
    ruleTests: link.ruleTests.map(toTestField),
    preview: {
      title: preview.title ?? '',
      description: preview.description ?? '',
      // The host of the console has it, too.
      image: preview.imageUrl === null ? '' : new URL(preview.imageUrl).pathname,
    },
    pixelIds: link.pixels.map(({ id }) => id),
    tagIds: link.tags.map(({ id }) => id),
    privacy: link.privacy,
    forwardsQuery: link.forwardsQuery,
  };
}

/** The targets in which something was entered, with their positions in the form. */
export const filledTargets = (targets: readonly TargetField[]) =>
  targets
    .map(({ key, url, typed = '' }, at) => ({ key, url: withScheme(url), typed, at }))
    .filter(({ key, url, typed }) => key !== '' || url !== '' || typed !== '');

/** The destination to name for a link: a rotation leads nobody to the link's own. */
export const namedUrl = ({
  url,
  targeting: { type, rotation },
}: Pick<LinkRowFragment, 'url' | 'targeting'>): string => (type === 'ROTATION' && rotation[0]) || url;

/** The list that is shown; the others stay as they are. Its URLs follow the parameters of the link's. */
function targetingInput(
  { url: address, utmOnTargets, targetType: type, targets }: LinkFields,
  read: LinkFields,
): LinkTargetingInput {
  if (type === 'NONE') return { type };
  const before = read.targets[type].length === 0 ? noUtm : utmIn(read.url);
  const filled = filledTargets(targets[type]).map((target) => ({
    ...target,
    ...(utmOnTargets && target.url !== '' && { url: followUtm(target.url, before, utmIn(address)) }),
  }));
  if (type === 'ROTATION') return { type, rotation: filled.map(({ url }) => url) };
  if (type === 'COUNTRY') return { type, countries: filled.map(({ key, url }) => ({ country: key, url })) };
  if (type === 'LANGUAGE') return { type, languages: filled.map(({ key, url }) => ({ language: key, url })) };
  // The choices of the form are the API's values.
  return { type, platforms: filled.map(({ key, url }) => ({ platform: key as Platform, url })) };
}

/**
 * The rules as they are sent: the URLs of their targets follow the parameters of the link's. Those of the first rules get them, but
 * not those that targets or rules had before.
 */
function rulesInput({ url: address, utmOnTargets, rules }: LinkFields, read: LinkFields): LinkRuleInput[] {
  const [before, after] = [utmIn(read.url), utmIn(address)];
  const known = new Set(Object.values(read.targets).flatMap((list) => list.map(({ url }) => url)));
  const isNew = (url: string) => read.rules.length === 0 && !known.has(url);
  return rules.map((rule) =>
    ruleInput(rule, read.rules, (url) =>
      utmOnTargets && url !== '' ? followUtm(url, isNew(url) ? noUtm : before, after) : url,
    ),
  );
}

/** A whole number; anything else is sent as 0, which the API refuses in its own words. */
const parseClicks = (text: string): number | null =>
  text.trim() === '' ? null : /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;

const expirationInput = (fields: LinkFields) => ({
  at: fromLocalInput(fields.expiresAt),
  clicks: parseClicks(fields.expiresAfter),
  url: withScheme(fields.expiredUrl) || null,
});

const utmTemplateInput = ({ utmTemplateId, utmOnTargets }: LinkFields) => ({
  ...(utmTemplateId && { utmTemplateId, ...(!utmOnTargets && { utmOnTargets }) }),
});

const previewParts = ['title', 'description', 'image'] as const;

/** The parts of a preview that differ from the ones that were read; empty if none does. */
const previewInput = ({ preview }: LinkFields, { preview: read }: LinkFields) =>
  Object.fromEntries(
    previewParts
      .filter((name) => preview[name].trim() !== read[name])
      .map((name) => [name, preview[name].trim() || null]),
  );

const hasOtherPreview = (fields: LinkFields, read: LinkFields): boolean =>
  Object.keys(previewInput(fields, read)).length > 0;

/** The input for a new link: only fields that were entered. */
export function newLinkInput(fields: LinkFields): CreateLinkInput {
  const expiration = expirationInput(fields);
  return {
    ...utmTemplateInput(fields),
    ...(!fields.forwardsQuery && { forwardsQuery: false }),
    url: withScheme(fields.url),
    ...(fields.title.trim() && { title: fields.title }),
    ...(fields.notes.trim() && { notes: fields.notes }),
    ...(fields.startsAt && { startsAt: fromLocalInput(fields.startsAt) }),
    ...(fields.redirectStatus !== '302' && { redirectStatus: Number(fields.redirectStatus) }),
    ...(fields.alias.trim() && { alias: toAlias(fields.alias) }),
    ...(fields.domainId && { domainId: fields.domainId }),
    ...(fields.spaceId && { spaceId: fields.spaceId }),
    ...(fields.password && { password: fields.password }),
    ...(Object.values(expiration).some((one) => one !== null) && { expiration }),
    ...(fields.targetType !== 'NONE' && { targeting: targetingInput(fields, emptyFields) }),
    ...(fields.rules.length > 0 && { rules: rulesInput(fields, emptyFields) }),
    ...(fields.ruleTests.length > 0 && { ruleTests: fields.ruleTests.map(testInput) }),
    ...(hasOtherPreview(fields, emptyFields) && { preview: previewInput(fields, emptyFields) }),
    ...(fields.pixelIds.length > 0 && { pixelIds: [...fields.pixelIds] }),
    ...(fields.tagIds.length > 0 && { tagIds: [...fields.tagIds] }),
    ...(fields.privacy !== 'PUBLIC' && { privacy: fields.privacy }),
    ...(fields.privacy === 'PASSWORD' &&
      fields.privacyPassword && { privacyPassword: fields.privacyPassword }),
  };
}

/** The most links that a request makes. */
const MAX_SOURCES = 100;

/** The sources, with what is typed and not entered. Those that would have the same alias are one. */
export function enteredSources({ sources, sourceTyped }: LinkFields): string[] {
  const all = [...sources, ...sourceTyped.split(/[,;\t\n]/).map((one) => one.trim())].filter(Boolean);
  const bySlug = new Map(all.toReversed().map((one, at) => [toSlug(one, all.length - at), one]));
  return [...bySlug.values()].toReversed().slice(0, MAX_SOURCES);
}

/** The aliases of new links, one for each source if there are any; empty for those that the service makes. */
export function newAliases(fields: LinkFields): string[] {
  const [given, sources] = [toAlias(fields.alias), enteredSources(fields)];
  if (sources.length === 0 || given === '') return [given];
  return sources.map((source, at) => `${given}-${toSlug(source, at + 1)}`);
}

/** The title of the link for a source, by which people tell them apart. */
export const titleFor = (title: string, source: string): string =>
  title.trim() && `${title.trim().slice(0, 200)} · ${source.slice(0, 50)}`;

/** The inputs for new links, one for each source. */
export function newLinkInputs(fields: LinkFields): CreateLinkInput[] {
  const [url, aliases] = [withScheme(fields.url), newAliases(fields)];
  return enteredSources(fields).map((source, at) =>
    newLinkInput({
      ...{ ...fields, url: withUtm(url, { source }), alias: aliases[at] ?? '' },
      title: titleFor(fields.title, source),
    }),
  );
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const hasOtherTargets = (fields: LinkFields, read: LinkFields): boolean =>
  !same(targetingInput(fields, read), targetingInput(read, read));

const hasOtherRules = (fields: LinkFields, read: LinkFields): boolean =>
  !same(rulesInput(fields, read), rulesInput(read, read));

/** The input for a changed link: only fields that differ from the ones that were read. */
export function changedInput(fields: LinkFields, read: LinkFields): UpdateLinkInput {
  const differs = (...names: (keyof LinkFields)[]) => names.some((name) => !same(fields[name], read[name]));
  return {
    ...(differs('url') && { url: withScheme(fields.url) }),
    ...(differs('title') && { title: fields.title.trim() || null }),
    ...(differs('notes') && { notes: fields.notes.trim() || null }),
    ...(differs('startsAt') && { startsAt: fromLocalInput(fields.startsAt) }),
    ...(differs('redirectStatus') && { redirectStatus: Number(fields.redirectStatus) }),
    ...(differs('alias') && { alias: toAlias(fields.alias) }),
    ...(differs('spaceId') && { spaceId: fields.spaceId || null }),
    ...(fields.password && { password: fields.password }),
    ...(fields.removesPassword && !fields.password && { password: null }),
    ...(differs('expiresAt', 'expiresAfter', 'expiredUrl') && {
      expiration: {
        ...(differs('expiresAt') && { at: fromLocalInput(fields.expiresAt) }),
        ...(differs('expiresAfter') && { clicks: parseClicks(fields.expiresAfter) }),
        ...(differs('expiredUrl') && { url: withScheme(fields.expiredUrl) || null }),
      },
    }),
    ...(hasOtherTargets(fields, read) && { targeting: targetingInput(fields, read) }),
    ...(hasOtherRules(fields, read) && { rules: rulesInput(fields, read) }),
    ...(differs('ruleTests') && { ruleTests: fields.ruleTests.map(testInput) }),
    ...(hasOtherPreview(fields, read) && { preview: previewInput(fields, read) }),
    ...(differs('pixelIds') && { pixelIds: [...fields.pixelIds] }),
    ...(differs('tagIds') && { tagIds: [...fields.tagIds] }),
    ...utmTemplateInput(fields),
    ...(differs('forwardsQuery') && { forwardsQuery: fields.forwardsQuery }),
    ...(differs('privacy') && { privacy: fields.privacy }),
    ...(fields.privacyPassword && { privacyPassword: fields.privacyPassword }),
  };
}

/** The texts that are typed and not chosen in the list that is shown. */
const typedIn = ({ targetType: type, targets }: LinkFields): string[] =>
  type === 'NONE' ? [] : filledTargets(targets[type]).map(({ typed }) => typed);

/** True if the list of targets that is shown differs, or has a text that is typed and not chosen. */
export const hasChangedTargets = (fields: LinkFields, read: LinkFields): boolean =>
  hasOtherTargets(fields, read) || !same(typedIn(fields), typedIn(read));

/** True if anything is to be saved or lost. */
export const hasChanges = (fields: LinkFields, read: LinkFields): boolean =>
  Object.keys(changedInput(fields, read)).length > 0 ||
  fields.spaceTyped !== '' ||
  fields.pixelTyped !== '' ||
  fields.tagTyped !== '' ||
  // A text that is typed and not chosen is no change of a rule yet.
  !same(fields.rules, read.rules) ||
  hasChangedTargets(fields, read);

/** The errors of fields, by their paths with dots. */
export type FieldErrors = Readonly<Record<string, string>>;

/** True if a field has an error whose path begins with one of these. */
export const hasErrors = (errors: FieldErrors, starts: readonly string[]): boolean =>
  Object.keys(errors).some(
    (path) => errors[path] !== undefined && starts.some((one) => path.startsWith(one)),
  );

/** The props of a form of a link, or of a part of one. */
export interface FormProps {
  readonly fields: LinkFields;
  readonly errors: FieldErrors;
  onChange(patch: Partial<LinkFields>): void;
}

/** The fields that may be kept in the browser: without passwords, and without half a time. */
export const toDraft = (fields: LinkFields): LinkFields => ({
  ...fields,
  ...{ password: '', privacyPassword: '' },
  ...(fields.expiresAt === INCOMPLETE && { expiresAt: '' }),
  ...(fields.startsAt === INCOMPLETE && { startsAt: '' }),
});

/** A draft that was kept; fields that this version does not know, or has since then, are empty. */
export function fieldsOfDraft(draft: unknown): LinkFields | null {
  if (typeof draft !== 'object' || draft === null) return null;
  const known = new Set(Object.keys(emptyFields));
  const kept = Object.entries(draft).filter(
    ([name, value]) => known.has(name) && typeof value === typeof emptyFields[name as keyof LinkFields],
  );
  return { ...emptyFields, ...Object.fromEntries(kept) };
}
