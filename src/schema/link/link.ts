import { shownCount, shownCountLimit } from '../../domain/input.ts';
import { ALIAS_RULE } from '../../domain/link/alias.ts';
import { linkPrivacies, MAX_PIXELS, privacyOf, updateLinkInput } from '../../domain/link/fields.ts';
import { qrCodeSvg, qrErrorCorrections } from '../../domain/link/qr-code.ts';
import { linkStatuses, statusOf } from '../../domain/link/status.ts';
import { shortUrlOf } from '../../domain/url.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost/field-cost.ts';
import { enumType } from '../enum-type.ts';
import { descriptionsOf } from '../input-type.ts';
import { Node } from '../node.ts';
import { Pixel } from '../pixel.ts';
import { LinkTargeting, targetColumns, targetsLength } from './targeting.ts';

const LinkPrivacy = enumType(
  'LinkPrivacy',
  'Who may see the statistics of a link. Visits do not depend on it: see the password.',
  linkPrivacies,
);

export const LinkStatus = enumType(
  'LinkStatus',
  'The state of a link. Each link has exactly one.',
  linkStatuses,
);

const QrErrorCorrection = enumType(
  'QrErrorCorrection',
  'How much of a QR code may be damaged or covered, and still be read.',
  qrErrorCorrections,
);

/** A QR code takes a millisecond of work, and a few kilobytes of text. */
const qrCodeCost = { weight: 1_000, work: 200 };

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

const described = descriptionsOf(updateLinkInput);

/** Triggers make a link's counter. */
function clicksOf(counter: { clicks: number } | null): number {
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
      resolve: (link, _args, { services }) => shortUrlOf(services, link.domain, link),
    }),
    title: t.exposeString('title', { ...described('title'), nullable: true }),
    domain: t.relation('domain', { description: 'The domain of the link.' }),
    space: t.relation('space', { nullable: true, description: 'The space of the link; null for none.' }),
    pixels: t.field({
      type: [Pixel],
      select: { pixels: { select: { pixel: true }, orderBy: { pixelId: 'asc' } } },
      description: 'The pixels that the link fires, oldest first.',
      extensions: costs({ size: MAX_PIXELS }),
      resolve: ({ pixels }) => pixels.map(({ pixel }) => pixel),
    }),
    hasPassword: t.boolean({
      select: { password: true },
      description: 'Whether visitors must enter a password.',
      resolve: ({ password }) => password !== null,
    }),
    disabled: t.exposeBoolean('disabled', described('disabled')),
    blocked: t.boolean({
      select: { url: true, expirationUrl: true, ...targetColumns },
      description:
        'Whether the link leads to a host that the operator of the service has blocked; visitors then get a page instead of a redirect.',
      resolve: (link, _args, { services, spendOnTargets }) => {
        if (services.lists.isEmpty) return false;
        spendOnTargets(targetsLength(link));
        return services.lists.blocks(link);
      },
    }),
    privacy: t.field({
      ...described('privacy'),
      type: LinkPrivacy,
      select: { privacy: true },
      resolve: privacyOf,
    }),
    hasPrivacyPassword: t.boolean({
      select: { privacyPassword: true },
      description: 'Whether a password for the statistics is set.',
      resolve: ({ privacyPassword }) => privacyPassword !== null,
    }),
    expiration: t.variant(LinkExpiration, { description: 'When the link expires.' }),
    targeting: t.variant(LinkTargeting, { description: 'Different destinations for different visitors.' }),
    clicks: t.int({
      select: { counter: { select: { clicks: true } } },
      description: `The number of counted visits. ${shownCountLimit}`,
      resolve: ({ counter }) => shownCount(clicksOf(counter)),
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
      resolve: (link, args, { services }) => qrCodeSvg(shortUrlOf(services, link.domain, link), args),
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
      resolve: (link, _args, { now }) => statusOf({ ...link, clicks: clicksOf(link.counter) }, now),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
