import type { LinkToChangeFragment, UpdateLinksInput } from '../generated/documents.ts';
import { filledUtm, missingIn, type Utm, utcToday, withUtm } from './utm.ts';

/** A change of the campaign of a link. */
export interface UtmChange {
  readonly change: UpdateLinksInput;
  readonly link: LinkToChangeFragment;
  readonly url: string;
  /** The number of URLs of its targeting that change. */
  readonly targets: number;
}

/** The lists of targets, for an input: records of the cache have more fields. */
function targetLists(
  { countries, platforms, languages, rotation }: LinkToChangeFragment['targeting'],
  changed: (url: string) => string,
) {
  return {
    countries: countries.map(({ country, url }) => ({ country, url: changed(url) })),
    platforms: platforms.map(({ platform, url }) => ({ platform, url: changed(url) })),
    languages: languages.map(({ language, url }) => ({ language, url: changed(url) })),
    rotation: rotation.map(changed),
  };
}

/** The changes of the links that get other parameters, also on their targets; placeholders are filled for each link. */
export function utmChanges(
  links: readonly LinkToChangeFragment[],
  template: Utm,
  { replaces }: { readonly replaces: boolean },
): UtmChange[] {
  return links.flatMap((link) => {
    const { id, alias, space, updatedAt } = link;
    const values = filledUtm(template, { alias, space: space?.name ?? '', date: utcToday() });
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
    const changed = (url: string) => withUtm(url, replaces ? given : missingIn(url, values));
    const url = changed(link.url);
    let targets = 0;
    const targeting = targetLists(link.targeting, (one) => {
      const next = changed(one);
      if (next !== one) targets++;
      return next;
    });
    if (url === link.url && targets === 0) return [];
    return {
      ...{ link, url, targets },
      // Exactly the changes that were shown are sent.
      change: { id, ifUpdatedAt: updatedAt, input: { url, ...(targets > 0 && { targeting }) } },
    };
  });
}
