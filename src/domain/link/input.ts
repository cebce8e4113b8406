import { z } from 'zod';
import { choiceOf, idOf, integerOf, listOf, textOf, withDefault } from '../input.ts';
import { passwordInput } from '../password.ts';
import { webAddress } from '../url.ts';
import { aliasInput } from './alias.ts';
import { targetLists, targetTypeInput } from './targeting.ts';

/** Who may see the statistics of a link. It has no say in who may visit it: that is what its password is for. */
export const linkPrivacies = {
  PUBLIC: 'Everybody.',
  PRIVATE: 'The account of the link.',
  PASSWORD: 'Whoever knows the privacy password.',
} as const;

export type LinkPrivacy = keyof typeof linkPrivacies;

const privacy = choiceOf(linkPrivacies);

/** The privacy that a stored link has. */
export function privacyOf(link: { privacy: string }): LinkPrivacy {
  return privacy.parse(link.privacy);
}

export const wrongDomain = 'must be the id of a domain that you may use';
export const fixedDomain = 'cannot be changed: a link stays on its domain';
export const wrongSpace = 'must be the id of one of your spaces';
export const wrongPixel = 'must be ids of your pixels';
export const missingPrivacyPassword = 'is required where a password guards the statistics';

export const MAX_PIXELS = 50;
const notAMoment = 'must be a moment in ISO 8601 with its offset from UTC, such as 2027-01-01T00:00Z';

const isoMoment = z.union(
  [z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })],
  notAMoment,
);

/**
 * A moment, and whether it was given to the minute only. Its year has four digits in UTC, so that both databases keep
 * it and order it rightly.
 */
export const moment = z
  .string(notAMoment)
  .trim()
  .pipe(isoMoment)
  .transform((text, context) => {
    const at = new Date(text);
    if (/^[1-9]\d{3}-/.test(at.toISOString())) return { at, toTheMinute: !/T\d\d:\d\d:/.test(text) };
    context.addIssue({ code: 'custom', message: 'must lie in the years 1000 to 9999, in UTC' });
    return z.NEVER;
  });

/** A field that null sets to what stands for nothing there; absent, it stays absent. */
function clearedTo<Schema extends z.ZodType>(schema: Schema, nothing: z.output<Schema>) {
  return schema
    .nullable()
    .transform((given) => given ?? nothing)
    .optional();
}

const expiration = z.object({
  url: webAddress.nullish(),
  at: moment.nullish(),
  clicks: integerOf(1, 999_999_999).nullish(),
});
const noExpiration = { url: null, at: null, clicks: null };

const targeting = z.object({ type: clearedTo(targetTypeInput, 'NONE'), ...targetLists });
const noTargeting = {
  type: 'NONE',
  countries: null,
  platforms: null,
  languages: null,
  rotation: null,
} as const;

/** What null clears. */
const clearable = {
  title: textOf(0, 255)
    .transform((title) => title || null)
    .nullish(),
  password: passwordInput.nullish(),
  spaceId: idOf(wrongSpace).nullish(),
  pixelIds: clearedTo(listOf(idOf(wrongPixel), MAX_PIXELS), []),
  privacyPassword: passwordInput.nullish(),
  expiration: clearedTo(expiration, noExpiration),
  targeting: clearedTo(targeting, noTargeting),
};

const disabled = z.boolean('must be true or false');

export const createLinkInput = z
  .object({
    url: webAddress,
    domainId: idOf(wrongDomain).nullish(),
    alias: aliasInput.nullish(),
    ...clearable,
    /** Whether a link that is there already will do. */
    reuse: z.boolean('must be true or false').nullish(),
    disabled: withDefault(disabled, false),
    privacy: withDefault(privacy, 'PUBLIC'),
  })
  .refine(({ privacy, privacyPassword }) => privacy !== 'PASSWORD' || privacyPassword != null, {
    path: ['privacyPassword'],
    error: missingPrivacyPassword,
    // Also where another field is wrong: all are told at once.
    when: () => true,
  });

export const updateLinkInput = z.object({
  url: webAddress.optional(),
  domainId: idOf(fixedDomain).optional(),
  alias: aliasInput.optional(),
  ...clearable,
  disabled: disabled.optional(),
  privacy: privacy.optional(),
});

export type LinkInput = z.output<typeof createLinkInput> | z.output<typeof updateLinkInput>;
