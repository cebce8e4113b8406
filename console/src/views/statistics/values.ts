import { useLocation, useSearch } from 'wouter';
import type { StatisticsDimension, TopLinksBy } from '../../generated/documents.ts';
import { addressText } from '../../parts/address.tsx';
import { texts } from '../../texts.ts';
import { countryName, languageName } from '../../words/format.ts';
import { isolated } from '../../words/isolated.ts';

export const dimensions: readonly StatisticsDimension[] = [
  ...(['COUNTRY', 'REFERRER', 'DEVICE', 'OS', 'BROWSER', 'LANGUAGE', 'DESTINATION'] as const),
];

export function formatValue(by: StatisticsDimension, value: string | null): string {
  const t = texts.statistics;
  if (value === null) return by === 'REFERRER' ? t.direct : t.unknown;
  if (by === 'COUNTRY') return countryName(value);
  if (by === 'LANGUAGE') return languageName(value);
  if (by === 'DEVICE') return t.devices[value] ?? value;
  return by === 'DESTINATION' ? addressText(value) : isolated(value);
}

/** The address that shows the links of a value. */
export const TOP_LINKS = '#top-links';
/** The value in the address, whose links are shown, and the address for another one. */
export function useChosen(): {
  chosen: TopLinksBy | null;
  addressOf: (chosen: TopLinksBy | null) => string;
} {
  const [location] = useLocation();
  const query = useSearch();
  const params = new URLSearchParams(query);
  const dimension = dimensions.find((one) => one === params.get('by')?.toUpperCase());
  return {
    chosen: dimension ? { dimension, value: params.get('value') } : null,
    addressOf: (next) => {
      const to = new URLSearchParams(query);
      for (const name of ['by', 'value']) to.delete(name);
      if (next) to.set('by', next.dimension.toLowerCase());
      if (next?.value != null) to.set('value', next.value);
      return to.size > 0 ? `${location}?${to}` : location;
    },
  };
}
