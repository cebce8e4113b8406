import { platforms } from '../../domain/link/platforms.ts';
import {
  maxTargets,
  parseTargets,
  parseTargetType,
  type TargetLists,
  targetKeys,
  targetTypes,
} from '../../domain/link/targeting.ts';
import { costs } from '../../engine/graphql/cost/costs.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { enumType } from '../domain-types.ts';

const TargetType = enumType('TargetType', 'How a link chooses a target.', targetTypes);

export const Platform = enumType('Platform', 'An operating system of visitors.', platforms);

/** Most lists of targets are short, and `spendOnTargets` limits long ones. */
const targetCost = costs({ weight: 1 });

const ofSomeVisitors = { description: 'The target for some of the visitors.' };
const targetUrl = {
  type: 'URL',
  description: 'The destination of these visitors.',
  extensions: targetCost,
} as const;

const CountryTarget = builder.objectRef<TargetLists['countries'][number]>('CountryTarget').implement({
  ...ofSomeVisitors,
  fields: (t) => ({
    country: t.exposeString('country', { description: targetKeys.country, extensions: targetCost }),
    url: t.expose('url', targetUrl),
  }),
});
const PlatformTarget = builder.objectRef<TargetLists['platforms'][number]>('PlatformTarget').implement({
  ...ofSomeVisitors,
  fields: (t) => ({
    platform: t.expose('platform', {
      type: Platform,
      description: targetKeys.platform,
      extensions: targetCost,
    }),
    url: t.expose('url', targetUrl),
  }),
});
const LanguageTarget = builder.objectRef<TargetLists['languages'][number]>('LanguageTarget').implement({
  ...ofSomeVisitors,
  fields: (t) => ({
    language: t.exposeString('language', { description: targetKeys.language, extensions: targetCost }),
    url: t.expose('url', targetUrl),
  }),
});

/** The resolver of a list of targets, which counts its size for the limit of the answer. */
function targets<Kind extends keyof TargetLists>(kind: Kind) {
  return (link: Record<Kind, string>, _args: object, { spendOnTargets }: Context): TargetLists[Kind] => {
    spendOnTargets(link[kind].length);
    return parseTargets(link, kind);
  };
}

/** The columns with a link's targets. */
export const targetColumns = { countries: true, platforms: true, languages: true, rotation: true } as const;

/** The size of the link's targets, in bytes. */
export function targetsLength(link: Readonly<Record<keyof typeof targetColumns, string>>): number {
  return link.countries.length + link.platforms.length + link.languages.length + link.rotation.length;
}

export const LinkTargeting = builder.prismaObject('Link', {
  variant: 'LinkTargeting',
  select: { id: true },
  description:
    'Different destinations for different visitors. All lists are kept, but only the list of the type is used.',
  fields: (t) => ({
    type: t.field({
      type: TargetType,
      select: { targetType: true },
      description: 'How the link chooses a target.',
      resolve: parseTargetType,
    }),
    countries: t.field({
      type: [CountryTarget],
      select: { countries: true },
      description: 'The targets by country, in order.',
      extensions: costs({ size: maxTargets.countries }),
      resolve: targets('countries'),
    }),
    platforms: t.field({
      type: [PlatformTarget],
      select: { platforms: true },
      description: 'The targets by operating system, in order.',
      extensions: costs({ size: maxTargets.platforms }),
      resolve: targets('platforms'),
    }),
    languages: t.field({
      type: [LanguageTarget],
      select: { languages: true },
      description: 'The targets by language, in order.',
      extensions: costs({ size: maxTargets.languages }),
      resolve: targets('languages'),
    }),
    rotation: t.field({
      type: ['URL'],
      select: { rotation: true },
      description: 'The URLs in rotation, in order.',
      extensions: costs({ size: maxTargets.rotation, weight: 1 }),
      resolve: targets('rotation'),
    }),
  }),
});
