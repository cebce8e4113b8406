import type {
  CreateLinkInput,
  LinkPrivacy,
  LinkTargetingInput,
  LinkWholeFragment,
  Platform,
  TargetType,
  UpdateLinkInput,
} from '../generated/documents.ts';
import { fromLocalInput, toLocalInput, withScheme } from '../parts/format.ts';

/** A target: a country, platform or language, and its destination. In rotation, the key is empty. */
export interface TargetField {
  readonly key: string;
  readonly url: string;
}

export const targetTypes: readonly TargetType[] = ['NONE', 'COUNTRY', 'PLATFORM', 'LANGUAGE', 'ROTATION'];
export const privacies: readonly LinkPrivacy[] = ['PUBLIC', 'PRIVATE', 'PASSWORD'];

export type TargetList = Exclude<TargetType, 'NONE'>;

/** A link as it is edited: texts of inputs. */
export interface LinkFields {
  readonly url: string;
  readonly title: string;
  readonly alias: string;
  readonly domainId: string;
  readonly spaceId: string;
  /** A new password; empty if it stays. */
  readonly password: string;
  readonly removesPassword: boolean;
  /** A local time, as of `datetime-local`, or `INCOMPLETE`. */
  readonly expiresAt: string;
  readonly expiresAfter: string;
  readonly expiredUrl: string;
  readonly targetType: TargetType;
  readonly targets: Readonly<Record<TargetList, readonly TargetField[]>>;
  readonly pixelIds: readonly string[];
  readonly privacy: LinkPrivacy;
  readonly privacyPassword: string;
}

/** A time of which only parts are entered: browsers give such an input no value. */
export const INCOMPLETE = 'incomplete';

export const emptyFields: LinkFields = {
  url: '',
  title: '',
  alias: '',
  domainId: '',
  spaceId: '',
  password: '',
  removesPassword: false,
  expiresAt: '',
  expiresAfter: '',
  expiredUrl: '',
  targetType: 'NONE',
  targets: { COUNTRY: [], PLATFORM: [], LANGUAGE: [], ROTATION: [] },
  pixelIds: [],
  privacy: 'PUBLIC',
  privacyPassword: '',
};

/** The fields of a link as they are edited. */
export function fieldsOf(link: LinkWholeFragment): LinkFields {
  const { expiration, targeting } = link;
  return {
    url: link.url,
    title: link.title ?? '',
    alias: link.alias,
    domainId: link.domain.id,
    spaceId: link.space?.id ?? '',
    password: '',
    removesPassword: false,
    expiresAt: toLocalInput(expiration.at),
    expiresAfter: expiration.clicks === null ? '' : String(expiration.clicks),
    expiredUrl: expiration.url ?? '',
    targetType: targeting.type,
    targets: {
      COUNTRY: targeting.countries.map(({ country, url }) => ({ key: country, url })),
      PLATFORM: targeting.platforms.map(({ platform, url }) => ({ key: platform, url })),
      LANGUAGE: targeting.languages.map(({ language, url }) => ({ key: language, url })),
      ROTATION: targeting.rotation.map((url) => ({ key: '', url })),
    },
    pixelIds: link.pixels.map(({ id }) => id),
    privacy: link.privacy,
    privacyPassword: '',
  };
}

/** Entries in which nothing was entered do not count. */
const filled = (targets: readonly TargetField[]) =>
  targets
    .filter(({ key, url }) => key !== '' || url !== '')
    .map(({ key, url }) => ({ key, url: withScheme(url) }));

function targetingOf({ targetType, targets }: LinkFields): LinkTargetingInput {
  return {
    type: targetType,
    countries: filled(targets.COUNTRY).map(({ key, url }) => ({ country: key, url })),
    // The choices of the form are the API's values.
    platforms: filled(targets.PLATFORM).map(({ key, url }) => ({ platform: key as Platform, url })),
    languages: filled(targets.LANGUAGE).map(({ key, url }) => ({ language: key, url })),
    rotation: filled(targets.ROTATION).map(({ url }) => url),
  };
}

/** A whole number; anything else is sent as 0, which the API refuses in its own words. */
const clicksOf = (text: string): number | null =>
  text.trim() === '' ? null : /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;

const expirationOf = (fields: LinkFields) => ({
  at: fromLocalInput(fields.expiresAt),
  clicks: clicksOf(fields.expiresAfter),
  url: withScheme(fields.expiredUrl) || null,
});

/** What is sent for a new link: only what was entered. */
export function newLinkOf(fields: LinkFields): CreateLinkInput {
  const expiration = expirationOf(fields);
  return {
    url: withScheme(fields.url),
    ...(fields.title.trim() && { title: fields.title }),
    ...(fields.alias.trim() && { alias: fields.alias }),
    ...(fields.domainId && { domainId: fields.domainId }),
    ...(fields.spaceId && { spaceId: fields.spaceId }),
    ...(fields.password && { password: fields.password }),
    ...(Object.values(expiration).some((one) => one !== null) && { expiration }),
    ...(fields.targetType !== 'NONE' && { targeting: targetingOf(fields) }),
    ...(fields.pixelIds.length > 0 && { pixelIds: [...fields.pixelIds] }),
    ...(fields.privacy !== 'PUBLIC' && { privacy: fields.privacy }),
    ...(fields.privacy === 'PASSWORD' &&
      fields.privacyPassword && { privacyPassword: fields.privacyPassword }),
  };
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** What is sent for a changed link: only what differs from what was read. */
export function changesOf(fields: LinkFields, read: LinkFields): UpdateLinkInput {
  const differs = (...names: (keyof LinkFields)[]) => names.some((name) => !same(fields[name], read[name]));
  return {
    ...(differs('url') && { url: withScheme(fields.url) }),
    ...(differs('title') && { title: fields.title.trim() || null }),
    ...(differs('alias') && { alias: fields.alias }),
    ...(differs('spaceId') && { spaceId: fields.spaceId || null }),
    ...(fields.password && { password: fields.password }),
    ...(fields.removesPassword && !fields.password && { password: null }),
    ...(differs('expiresAt', 'expiresAfter', 'expiredUrl') && {
      expiration: {
        ...(differs('expiresAt') && { at: fromLocalInput(fields.expiresAt) }),
        ...(differs('expiresAfter') && { clicks: clicksOf(fields.expiresAfter) }),
        ...(differs('expiredUrl') && { url: withScheme(fields.expiredUrl) || null }),
      },
    }),
    ...(differs('targetType', 'targets') && { targeting: targetingOf(fields) }),
    ...(differs('pixelIds') && { pixelIds: [...fields.pixelIds] }),
    ...(differs('privacy') && { privacy: fields.privacy }),
    ...(fields.privacyPassword && { privacyPassword: fields.privacyPassword }),
  };
}

/** The errors of fields, by their paths with dots. */
export type FieldErrors = Readonly<Record<string, string>>;

/** What a form of a link, or a part of one, gets. */
export interface FormProps {
  readonly fields: LinkFields;
  readonly errors: FieldErrors;
  onChange(patch: Partial<LinkFields>): void;
}

/** What of it may be kept in the browser: passwords may not, and half a time cannot. */
export const draftOf = (fields: LinkFields): LinkFields => ({
  ...fields,
  ...{ password: '', privacyPassword: '' },
  ...(fields.expiresAt === INCOMPLETE && { expiresAt: '' }),
});

/** A draft that was kept, if it has the form of this version. */
export function fieldsOfDraft(draft: unknown): LinkFields | null {
  if (typeof draft !== 'object' || draft === null) return null;
  const known = Object.entries(emptyFields);
  const values = new Map(Object.entries(draft));
  const fits = known.every(([name, empty]) => typeof values.get(name) === typeof empty);
  return fits ? (draft as LinkFields) : null; // Every field was compared.
}
