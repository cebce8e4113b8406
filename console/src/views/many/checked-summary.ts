import type { Checked } from '../../data/checked-lines.ts';
import type { Outcome } from '../../data/import-run.ts';
import { separatorIn } from '../../data/separators.ts';

/** Counts the links of outcomes that have a status. */
const countOutcomes = (outcomes: readonly Outcome[], status: 'CREATED' | 'EXISTS'): number =>
  outcomes.flatMap(({ results }) => results).filter((one) => one.status === status).length;

/** True if other links lead already where all links of the record lead. */
const isLinked = ({ results }: Outcome): boolean =>
  results.length > 0 && results.every(({ existingLink }) => existingLink !== null);

/** True if the record names no alias; one that does is wanted, also if its destination has a link. */
const isPlain = ({ record, results }: Outcome): boolean =>
  !results.some(({ alias }) => alias !== null && record.text.includes(alias));

/** Maps the lines of records that repeat another one to the line of that one. */
export function repeatsIn(outcomes: readonly Outcome[]): ReadonlyMap<number, number> {
  const made = new Map<string | null, number>();
  const repeats = new Map<number, number>();
  for (const { record, results } of outcomes)
    for (const { status, alias } of results) {
      const first = made.get(alias);
      if (status === 'CREATED') made.set(alias, record.line);
      else if (status === 'EXISTS' && first !== undefined) repeats.set(record.line, first);
    }
  return repeats;
}

/** Checked lines in numbers and groups, as the page shows them. */
export interface CheckedSummary {
  readonly linked: readonly Outcome[];
  readonly leavesOut: boolean;
  readonly repeats: ReadonlyMap<number, number>;
  /** The number of links that can be made. */
  readonly ready: number;
  /** The number of links that are there already. */
  readonly there: number;
  readonly wrongCount: number;
  /** Records that were wrong at first; corrected ones keep their places. */
  readonly wrong: readonly Outcome[];
  /** All other records, beginning with those whose links are there already. */
  readonly others: readonly Outcome[];
  /** A separator that may begin a column, or be a part of the URLs. */
  readonly separated: ReturnType<typeof separatorIn>;
  isWanted(one: Outcome): boolean;
}

/**
 * Sums up checked lines.
 * @param chosen true to leave out destinations that have a link; null if nobody has chosen
 * @param partOfUrls the separator that belongs to the URLs, if any
 */
export function summarize(
  checked: Checked | null,
  chosen: boolean | null,
  partOfUrls: string | null,
): CheckedSummary {
  const outcomes = checked?.outcomes ?? [];
  const linked = outcomes.filter(isLinked);
  const leavesOut = chosen ?? linked.every(isPlain);
  const repeats = repeatsIn(outcomes);
  const isWanted = (one: Outcome) => countOutcomes([one], 'CREATED') > 0 && !(leavesOut && isLinked(one));
  const wasWrong = ({ record }: Outcome) => checked?.wrong.has(record.line) === true;
  const isThere = (one: Outcome) => isLinked(one) || countOutcomes([one], 'EXISTS') > 0;
  const rest = outcomes.filter((one) => !wasWrong(one));
  const found = checked && separatorIn(checked.cut);
  return {
    ...{ linked, leavesOut, repeats, isWanted },
    ready: countOutcomes(outcomes.filter(isWanted), 'CREATED'),
    there: countOutcomes(outcomes, 'EXISTS') - repeats.size,
    wrongCount: outcomes.filter(({ error }) => error !== null).length,
    wrong: outcomes.filter(wasWrong),
    others: [...rest.filter(isThere), ...rest.filter((one) => !isThere(one))],
    separated: found?.separator === partOfUrls ? null : found,
  };
}
