import { useLocation, useSearch } from 'wouter';
import { focusSoon } from '../../app/focus.ts';
import type { StatisticsDimension } from '../../generated/documents.ts';
import type { Owner } from './owner.ts';
import { dimensions, useChosen } from './values.ts';

/** The most lines of a comparison. */
export const MAX_LINES = 3;

const kinds = ['link', 'space', 'tag'] as const;

/** A line of a comparison: the clicks of a link, a space or a tag, or those with a value; null is what is unknown. */
export type ComparedLine =
  | { readonly kind: (typeof kinds)[number]; readonly id: string }
  | { readonly kind: 'value'; readonly dimension: StatisticsDimension; readonly value: string | null };

/** A line as the address has it, such as `space:12` and `country:DE`. */
export const formatLine = (line: ComparedLine): string =>
  line.kind === 'value'
    ? `${line.dimension.toLowerCase()}${line.value === null ? '' : `:${line.value}`}`
    : `${line.kind}:${line.id}`;

/** The first line of a comparison: that of the page, of which the account has none. */
const linesOf = ({ kind, id }: Owner): ComparedLine[] => (kind === 'account' ? [] : [{ kind, id }]);

/** True for a comparison that is begun, and has no other line than the first one. */
export const isBegun = (lines: readonly ComparedLine[] | null, owner: Owner): boolean =>
  lines?.every((line) => linesOf(owner).some((own) => formatLine(own) === formatLine(line))) ?? false;

function parseLine(text: string): ComparedLine[] {
  const [name = '', ...rest] = text.split(':');
  const value = text.includes(':') ? rest.join(':') : null;
  const kind = kinds.find((one) => one === name);
  if (kind) return value !== null && /^\d+$/.test(value) ? [{ kind, id: value }] : [];
  const dimension = dimensions.find((one) => one.toLowerCase() === name);
  return dimension ? [{ kind: 'value', dimension, value }] : [];
}

/** The lines of a query string; null if nothing is compared. An empty line begins a comparison. */
export function parseLines(query: string): ComparedLine[] | null {
  const all = new URLSearchParams(query).getAll('line');
  return all.length === 0 ? null : [...new Set(all)].flatMap(parseLine).slice(0, MAX_LINES);
}

/** The query string with other lines. */
export function withLines(query: string, lines: readonly ComparedLine[] | null): string {
  const params = new URLSearchParams(query);
  params.delete('line');
  for (const line of lines ?? []) params.append('line', formatLine(line));
  if (lines?.length === 0) params.append('line', '');
  return String(params);
}

/** The lines in the address, or the chosen value alone, and what changes them. */
export function useLines(owner: Owner): {
  lines: readonly ComparedLine[] | null;
  isFull: boolean;
  /** True if the chosen value is the only line, which leaves by its chip in the filters. */
  isChosen: boolean;
  has(line: ComparedLine): boolean;
  /** Shows these lines; null shows all clicks, also without a chosen value. */
  setLines(lines: readonly ComparedLine[] | null): void;
  /** Begins a comparison, or ends it, and moves to the field for the next line. */
  begin(): void;
  /** Adds a line, or takes it away. */
  toggle(line: ComparedLine): void;
} {
  const [location, navigate] = useLocation();
  const query = useSearch();
  const { chosen, addressOf } = useChosen();
  const own = chosen && owner.kind !== 'link' ? { ...chosen, value: chosen.value ?? null } : null;
  const parsed = parseLines(query);
  const lines = parsed ?? (own && [{ kind: 'value' as const, ...own }]);
  const has = (line: ComparedLine) => lines?.some((one) => formatLine(one) === formatLine(line)) ?? false;
  const setLines = (next: readonly ComparedLine[] | null) => {
    const rest = withLines(next ? query : (addressOf(null).split('?')[1] ?? ''), next);
    navigate(rest ? `${location}?${rest}` : location, { replace: true });
  };
  return {
    ...{
      lines,
      has,
      setLines,
      isFull: (lines?.length ?? 0) >= MAX_LINES,
      isChosen: parsed === null && own !== null,
    },
    begin() {
      setLines(lines ? null : linesOf(owner));
      if (!lines) focusSoon('.chart .legend-bar input');
    },
    toggle(line) {
      const others = (lines ?? []).filter((one) => formatLine(one) !== formatLine(line));
      if (!has(line)) return setLines([...others, line].slice(0, MAX_LINES));
      setLines(others.length > 0 ? others : null);
    },
  };
}
