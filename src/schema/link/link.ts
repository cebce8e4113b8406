import { type LinkRow, pixelsIn } from '../../db/reading/link-rows.ts';
import { ALIAS_RULE } from '../../domain/link/alias.ts';
import { linkPrivacies, MAX_PIXELS, privacyOf, updateLinkInput } from '../../domain/link/input.ts';
import { qrCodeSvg, qrErrorCorrections } from '../../domain/link/qr-code.ts';
import { shortUrlOf } from '../../domain/link/short-url.ts';
import { linkStatuses, statusOf } from '../../domain/link/status.ts';
import {
  mostTargets,
  platforms,
  type Targeting,
  type TargetLists,
  targetingOf,
  targetKeys,
  targetsOf,
  targetTypes,
} from '../../domain/link/targeting.ts';
import { builder } from '../builder.ts';
import { describedValues } from '../described-values.ts';
import { Domain } from '../domain.ts';
import { nameEnum, takenBy } from '../input-type.ts';
import { Node } from '../node.ts';
import { Pixel } from '../pixel.ts';
import { reads, readsOf } from '../selected.ts';
import type { Context } from '../server/context.ts';
import { costs } from '../server/cost.ts';
import { Space } from '../space.ts';

export const LinkPrivacy = builder.enumType('LinkPrivacy', {
  description: 'Who may see the statistics of a link. Visits do not depend on it: see the password.',
  values: describedValues(linkPrivacies),
});

export const LinkStatus = builder.enumType('LinkStatus', {
  description: 'The state of a link. Each link has exactly one.',
  values: describedValues(linkStatuses),
});

export const TargetType = builder.enumType('TargetType', {
  description: 'How a link chooses a target.',
  values: describedValues(targetTypes),
});

export const Platform = builder.enumType('Platform', {
  description: 'An operating system of visitors.',
  values: describedValues(platforms),
});

nameEnum('LinkPrivacy', LinkPrivacy);
nameEnum('TargetType', TargetType);
nameEnum('Platform', Platform);
const QrErrorCorrection = builder.enumType('QrErrorCorrection', {
  description: 'How much of a QR code may be damaged or covered, and still be read.',
  values: describedValues(qrErrorCorrections),
});

/** A QR code takes a millisecond of work, and a few kilobytes of text. */
const qrCodeCost = { weight: 1_000, work: 200 };

const LinkExpiration = builder.objectRef<LinkRow>('LinkExpiration').implement({
  description: 'When a link expires, and where visitors go then.',
  fields: (t) => ({
    url: t.expose('expirationUrl', {
      type: 'URL',
      nullable: true,
      description: "The URL for visitors after the link has expired; null for the service's own page.",
    }),
    at: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the link expires; null if it does not expire by time.',
    }),
    clicks: t.exposeInt('expirationClicks', {
      nullable: true,
      description: 'The click limit: the link expires after this many clicks; null for no limit.',
    }),
  }),
});

/** The weight of a target's value: most lists are short, and `spendOnTargets` limits long ones. */
const OF_TARGET = 1;

/** The type of a target with a key. */
function targetBy<Target extends { url: string }>(
  name: string,
  key: { name: Extract<keyof Target, string>; type: 'String' | typeof Platform; description: string },
) {
  return builder.objectRef<Target>(name).implement({
    description: 'The target for some of the visitors.',
    fields: (t) => ({
      [key.name]: t.field({
        type: key.type,
        description: key.description,
        extensions: costs({ weight: OF_TARGET }),
        // TypeScript cannot follow Pothos' conditional type of a result through the type parameter.
        resolve: (target) => target[key.name] as never,
      }),
      url: t.field({
        type: 'URL',
        description: 'The destination of these visitors.',
        extensions: costs({ weight: OF_TARGET }),
        resolve: ({ url }) => url as never,
      }),
    }),
  });
}

const CountryTarget = targetBy<Targeting['countries'][number]>('CountryTarget', {
  name: 'country',
  type: 'String',
  description: targetKeys.country,
});
const PlatformTarget = targetBy<Targeting['platforms'][number]>('PlatformTarget', {
  name: 'platform',
  type: Platform,
  description: targetKeys.platform,
});
const LanguageTarget = targetBy<Targeting['languages'][number]>('LanguageTarget', {
  name: 'language',
  type: 'String',
  description: targetKeys.language,
});

/** The resolver of a list of targets, which counts its size for the limit of the answer. */
function targets<Kind extends keyof TargetLists>(kind: Kind) {
  return (link: LinkRow, _args: object, { spendOnTargets }: Context): TargetLists[Kind] => {
    spendOnTargets?.(link[kind].length);
    return targetsOf(link, kind);
  };
}

/** The size of the link's targets, in bytes. */
function targetsLength({ countries, platforms, languages, rotation }: LinkRow): number {
  return countries.length + platforms.length + languages.length + rotation.length;
}

const LinkTargeting = builder.objectRef<LinkRow>('LinkTargeting').implement({
  description:
    'Different destinations for different visitors. All lists are kept, but only the list of the type is used.',
  fields: (t) => ({
    type: t.field({
      type: TargetType,
      description: 'How the link chooses a target.',
      resolve: (link) => targetingOf(link).type,
    }),
    countries: t.field({
      type: [CountryTarget],
      description: 'The targets by country, in order.',
      extensions: costs({ size: mostTargets.countries }),
      resolve: targets('countries'),
    }),
    platforms: t.field({
      type: [PlatformTarget],
      description: 'The targets by operating system, in order.',
      extensions: costs({ size: mostTargets.platforms }),
      resolve: targets('platforms'),
    }),
    languages: t.field({
      type: [LanguageTarget],
      description: 'The targets by language, in order.',
      extensions: costs({ size: mostTargets.languages }),
      resolve: targets('languages'),
    }),
    rotation: t.field({
      type: ['URL'],
      description: 'The URLs in rotation, in order.',
      extensions: costs({ size: mostTargets.rotation, weight: OF_TARGET }),
      resolve: targets('rotation'),
    }),
  }),
});

const asTaken = takenBy(updateLinkInput);

export const Link = builder.objectRef<LinkRow>('Link').implement({
  interfaces: [Node],
  description: 'A short link: an alias on a domain that leads visitors to a URL.',
  fields: (t) => ({
    id: t.exposeID('id', { extensions: reads(), description: 'The id, as in the REST API, as a string.' }),
    url: t.expose('url', { extensions: reads('url'), type: 'URL', description: 'The destination.' }),
    alias: t.exposeString('alias', {
      extensions: reads('alias'),
      description: `The path on the domain: ${ALIAS_RULE}; unique on its domain, case-sensitive.`,
    }),
    shortUrl: t.field({
      extensions: reads('alias', 'domain.name'),
      type: 'URL',
      description: 'The short URL.',
      resolve: (link, _args, { site }) => shortUrlOf(site, link.domain, link),
    }),
    title: t.exposeString('title', { ...asTaken('title'), nullable: true }),
    domain: t.expose('domain', {
      extensions: readsOf('domain'),
      type: Domain,
      description: 'The domain of the link.',
    }),
    space: t.expose('space', {
      extensions: readsOf('space'),
      type: Space,
      nullable: true,
      description: 'The space of the link; null for none.',
    }),
    pixels: t.field({
      type: [Pixel],
      description: 'The pixels that the link fires, oldest first.',
      extensions: { ...costs({ size: MAX_PIXELS }), ...readsOf('pixels') },
      resolve: (link) => pixelsIn(link),
    }),
    hasPassword: t.boolean({
      extensions: reads('password'),
      description: 'Whether visitors must enter a password.',
      resolve: ({ password }) => password !== null,
    }),
    disabled: t.exposeBoolean('disabled', asTaken('disabled')),
    blocked: t.boolean({
      extensions: reads('url', 'expirationUrl', 'countries', 'platforms', 'languages', 'rotation'),
      description:
        'Whether the link leads to a host that the operator of the service has blocked; visitors get a page then, and are not redirected.',
      resolve: (link, _args, { site, spendOnTargets }) => {
        if (site.lists.isEmpty) return false;
        spendOnTargets?.(targetsLength(link));
        return site.lists.blocks(link);
      },
    }),
    privacy: t.field({ ...asTaken('privacy'), type: LinkPrivacy, resolve: privacyOf }),
    hasPrivacyPassword: t.boolean({
      extensions: reads('privacyPassword'),
      description: 'Whether a password for the statistics is set.',
      resolve: ({ privacyPassword }) => privacyPassword !== null,
    }),
    expiration: t.field({
      extensions: reads('expirationUrl', 'expiresAt', 'expirationClicks'),
      type: LinkExpiration,
      description: 'When the link expires.',
      resolve: (link) => link,
    }),
    targeting: t.field({
      extensions: reads('targetType', 'countries', 'platforms', 'languages', 'rotation'),
      type: LinkTargeting,
      description: 'Different destinations for different visitors.',
      resolve: (link) => link,
    }),
    clicks: t.exposeInt('clicks', {
      extensions: reads('clicks'),
      description: 'The number of counted visits.',
    }),
    lastClickedAt: t.expose('lastClickedAt', {
      extensions: reads('lastClickedAt'),
      type: 'DateTime',
      nullable: true,
      description: 'When the last counted visit was; null if there was none.',
    }),
    qrCode: t.string({
      extensions: { ...costs(qrCodeCost), ...reads('alias', 'domain') },
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
      resolve: (link, args, { site }) => qrCodeSvg(shortUrlOf(site, link.domain, link), args),
    }),
    status: t.field({
      extensions: reads('disabled', 'expiresAt', 'expirationClicks', 'clicks'),
      type: LinkStatus,
      description: 'The state of the link.',
      resolve: (link, _args, { now }) => statusOf(link, now),
    }),
    createdAt: t.expose('createdAt', {
      extensions: reads('createdAt'),
      type: 'DateTime',
      description: 'When the link was created.',
    }),
    updatedAt: t.expose('updatedAt', {
      extensions: reads('updatedAt'),
      type: 'DateTime',
      description: 'When the link was last changed.',
    }),
  }),
});
