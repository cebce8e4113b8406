import { nameIn } from '../../engine/rules/url.ts';

const parameters = ['source', 'medium', 'campaign', 'term', 'content'] as const;

/** Values of the placeholders in a template. */
export type UtmValues = Readonly<Record<'alias' | 'space' | 'date', string>>;

/** Without a space, its placeholder goes with what separates it. */
const withoutSpace = (text: string): string =>
  text.replaceAll(
    /([-_. ]*)\{space\}([-_. ]*)/g,
    (_, before: string, after: string) => before && after && before,
  );

/** The parameters of a template with its placeholders filled; none for an empty value. */
export function filledParameters(
  template: Readonly<Record<(typeof parameters)[number], string | null>>,
  values: UtmValues,
): [name: string, value: string][] {
  return parameters.flatMap((parameter): [string, string][] => {
    const text = template[parameter] ?? '';
    // In one pass: a space may be named like a placeholder.
    const value = (values.space === '' ? withoutSpace(text) : text).replaceAll(
      /\{(alias|space|date)\}/g,
      (_, name: keyof UtmValues) => values[name],
    );
    return value ? [[`utm_${parameter}`, value]] : [];
  });
}

/** The address with the parameters at the end of its query, except those that it has already. All else stays as it is written. */
export function withParameters(address: string, added: readonly (readonly [string, string])[]): string {
  const [, page = '', query, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(address) ?? [];
  const known = new Set(query?.split('&').map(nameIn));
  const missing = added
    .filter(([name]) => !known.has(name))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (missing.length === 0) return address;
  const before = query === undefined || query === '' || query.endsWith('&') ? (query ?? '') : `${query}&`;
  return `${page}?${before}${missing.join('&')}${fragment}`;
}
