import { foldMarks } from '../../engine/rules/input.ts';
import type { ClosingField } from './closing-columns.ts';
import type { Note } from './report.ts';
import { isoTime, parseTime } from './times.ts';
import { count, isSet, shown } from './values.ts';
import { foldWord, words } from './words.ts';

/** A cell by which a link may be closed to visitors. */
export interface ClosingCell {
  readonly field: ClosingField;
  readonly column: string;
  readonly value: unknown;
}

/**
 * Effect of a cell on a link. `because` continues a sentence that begins with the column; `note` is a sentence of its
 * own.
 */
type Effect =
  | { readonly is: 'open'; readonly note?: string }
  | { readonly is: 'closed'; readonly because?: string; readonly note?: string }
  | { readonly is: 'deleted' | 'locked' | 'archived' }
  | { readonly is: 'starting'; readonly at: Date }
  | { readonly is: 'ending'; readonly at: Date }
  | { readonly is: 'limited'; readonly clicks: number };

const OPEN: Effect = { is: 'open' };

/** Such as 31.12.2026 18:30: nobody begins a day with its month and has dots. */
const DOTTED = /^(\d\d?)\.(\d\d?)\.(\d{4})(?:,? (\d\d?:\d\d(?::\d\d)?))?$/;

/** The time in a cell; null if it has none. */
function timeIn(value: unknown): Date | null {
  const text =
    typeof value === 'object'
      ? ''
      : String(value)
          .trim()
          .replace(/^(\d+)\.0+$/, '$1');
  const [, day = '', month = '', year, time = '0:00'] = DOTTED.exec(text) ?? [];
  if (year === undefined) return parseTime(text);
  return isoTime(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${time.padStart(5, '0')}Z`);
}

/** The effect of a cell that says yes or no, or since when; at a time to come, the link ends. */
function decideMark(value: unknown, now: Date, effect: Effect): Effect {
  if (!isSet(value)) return OPEN;
  const at = timeIn(value);
  return at !== null && at > now ? { is: 'ending', at } : effect;
}

/** Our own export also has the start of a link that has begun. */
function decideStart(at: Date, now: Date, { isOwn }: Source): Effect {
  return isOwn || at > now ? { is: 'starting', at } : OPEN;
}

/** Returns true also for a closed state in more words, such as `not active` and `blocked (spam)`. */
function isClosedStatus(value: unknown): boolean {
  const word = foldWord(value);
  const parts = foldMarks(shown(value)).split(/[^\p{L}]+/u);
  const isNot = (one: string, index: number) =>
    /^(?:not|nicht|no|non)$/.test(one) && words.active.has(parts[index + 1] ?? '');
  return words.no.has(word) || [word, ...parts].some((one) => words.closed.has(one)) || parts.some(isNot);
}

const unclear = (value: unknown, what: string): Effect => ({
  is: 'closed',
  because: `is "${shown(value)}"${what}`,
});
const isUnlimited = (value: unknown) => !isSet(value) || words.endless.has(foldWord(value));

/** The origin of a line. */
export interface Source {
  /** True if people may have named the columns. */
  readonly isSheet: boolean;
  /** True for our own export. */
  readonly isOwn: boolean;
  /** True if archived links still redirect visitors. */
  readonly servesArchived: boolean;
}

const effects: Record<ClosingField, (value: unknown, now: Date, source: Source) => Effect> = {
  disabled(value, now) {
    const word = foldWord(value);
    const isPlain = words.yes.has(word) || words.closed.has(word) || timeIn(value) !== null;
    return decideMark(value, now, isPlain ? { is: 'closed' } : unclear(value, ''));
  },
  active(value, now, source) {
    const word = foldWord(value);
    if (words.nothing.has(word) || words.yes.has(word) || words.active.has(word)) return OPEN;
    const at = timeIn(value);
    if (at !== null) return decideStart(at, now, source);
    return words.no.has(word) || words.closed.has(word) ? { is: 'closed' } : unclear(value, '');
  },
  archived(value, now, { isOwn, servesArchived }) {
    if (isOwn || servesArchived) return isSet(value) ? { is: 'archived' } : OPEN;
    return decideMark(value, now, { is: 'closed', note: 'is archived: it is disabled' });
  },
  deleted: (value, now) => decideMark(value, now, { is: 'deleted' }),
  has_password: (value) =>
    isSet(value) && !words.unprotected.has(foldWord(value)) ? { is: 'locked' } : OPEN,
  expires_at(value) {
    if (isUnlimited(value)) return OPEN;
    const at = timeIn(value);
    return at === null ? unclear(value, ', which is no time') : { is: 'ending', at };
  },
  starts_at(value, now, source) {
    if (isUnlimited(value)) return OPEN;
    const at = timeIn(value);
    return at === null ? unclear(value, ', which is no time') : decideStart(at, now, source);
  },
  expiration_clicks(value) {
    if (isUnlimited(value)) return OPEN;
    // 1.000 may be a thousand.
    const { data: clicks } = count.safeParse(String(value).replace(/\.00?$/, ''));
    if (clicks === undefined) return unclear(value, ', which is no number of clicks');
    return clicks === 0 ? OPEN : { is: 'limited', clicks };
  },
  status(value, _now, { isSheet }) {
    const word = foldWord(value);
    if (words.nothing.has(word) || words.active.has(word) || words.yes.has(word)) return OPEN;
    if (words.deleted.has(word)) return { is: 'deleted' };
    const status = `has the status "${shown(value)}"`;
    // A sheet has a column of this name for anything.
    if (isSheet && !isClosedStatus(value)) return { is: 'open', note: `${status}, which is left out` };
    return { is: 'closed', note: `${status}: it is disabled` };
  },
};

const NEVER_OPENS: Note = { message: 'would expire before it begins: it is disabled' };

/** A link's access as the cells of its line set it. `deletedBy` is the cell that marks it as deleted. */
export interface Access {
  readonly isClosed: boolean;
  readonly isLocked: boolean;
  readonly isArchived: boolean;
  readonly startsAt: Date | undefined;
  readonly endsAt: Date | undefined;
  readonly clicks: number | undefined;
  readonly deletedBy: ClosingCell | undefined;
  readonly notes: readonly Note[];
}

export function decideAccess(cells: readonly ClosingCell[], source: Source, now: Date): Access {
  const found = cells.map((cell) => ({ cell, effect: effects[cell.field](cell.value, now, source) }));
  const all = found.map(({ effect }) => effect);
  const ends = all.flatMap((effect) => (effect.is === 'ending' ? effect.at.getTime() : []));
  const starts = all.flatMap((effect) => (effect.is === 'starting' ? effect.at.getTime() : []));
  const [start, end] = [Math.max(...starts), Math.min(...ends)];
  const neverOpens = start >= end;
  const limits = all.flatMap((effect) => (effect.is === 'limited' ? effect.clicks : []));
  return {
    isClosed: neverOpens || all.some(({ is }) => is === 'closed'),
    isLocked: all.some(({ is }) => is === 'locked'),
    isArchived: all.some(({ is }) => is === 'archived'),
    startsAt: starts.length > 0 && !neverOpens ? new Date(start) : undefined,
    endsAt: ends.length > 0 ? new Date(end) : undefined,
    clicks: limits.length > 0 ? Math.min(...limits) : undefined,
    deletedBy: found.find(({ effect }) => effect.is === 'deleted')?.cell,
    notes: [
      ...(neverOpens ? [NEVER_OPENS] : []),
      ...found.flatMap(({ cell: { field, column }, effect }): Note[] => {
        if ('note' in effect && effect.note !== undefined) return [{ message: effect.note }];
        if (!('because' in effect) || effect.because === undefined) return [];
        return [{ field, column, message: `${effect.because}: the link is disabled` }];
      }),
    ],
  };
}
