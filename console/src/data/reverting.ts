import {
  RevertChangeDocument,
  type RevertChangeMutation,
  RevertChangesDocument,
} from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { inBatches, inTime, unwatched } from './batches.ts';
import { announceKinds } from './bus.ts';
import { type Refusal, refusalText } from './refusals.ts';
import type { Session } from './session.ts';
import { loadScript } from './version.ts';
import { write } from './write.ts';

/** The longest time that the links of a space or tag need to get it back, in milliseconds. */
const PATIENCE = 300_000;

type RevertResult = RevertChangeMutation['revertChange'];

/** Takes a change back. @throws Fault */
export async function revert(session: Session, id: string): Promise<RevertResult> {
  const long = { until: AbortSignal.timeout(PATIENCE) };
  const { revertChange } = await write(session, RevertChangeDocument, { id }, long);
  announceKinds('LINK', 'SPACE', 'TAG');
  return revertChange;
}

/** Says why a change cannot be taken back. Of tests of rules, the answer has only the places. */
export async function whyRefused(session: Session, changeId: string, refusal: Refusal): Promise<string> {
  const tests = refusal.fields?.filter(({ path }) => path[0] === 'ruleTests') ?? [];
  if (tests.length === 0) return refusalText(refusal);
  const told = await loadScript(() => import('./rule-refusals.ts'))
    .then(({ describeRefusedTests }) => describeRefusedTests(session, changeId, tests))
    .catch(() => null);
  return told ?? refusalText(refusal);
}

/** The outcome of taking several changes back. */
interface RevertedAll {
  /** The ids of the changes that did it. */
  readonly changeIds: readonly string[];
  /** The number of changes of records that were changed since. */
  readonly changedSince: number;
  /** Why others were refused. */
  readonly refusals: readonly string[];
}

/** Takes changes back, the last first, a hundred in a request. @throws Fault */
export async function revertAll(session: Session, ids: readonly string[]): Promise<RevertedAll> {
  const long = { until: AbortSignal.timeout(PATIENCE) };
  const send = async (batch: readonly string[]) =>
    inTime((await write(session, RevertChangesDocument, { ids: [...batch] }, long)).revertChanges);
  const last = ids.toReversed();
  const results = await inBatches(last, send, unwatched());
  announceKinds('LINK', 'SPACE', 'TAG');
  return {
    changeIds: results.flatMap((one) => ('change' in one ? [one.change.id] : [])),
    changedSince: results.filter(({ __typename }) => __typename === 'ConflictError').length,
    // What is gone has nothing to be taken back.
    refusals: await Promise.all(
      results.flatMap((one, at) =>
        one.__typename === 'ValidationError' ? [whyRefused(session, last[at] ?? '', one)] : [],
      ),
    ),
  };
}

/** The outcome in words: what was undone, and what stays since somebody changed it. */
export const revertedText = (told: string, { changedSince }: RevertedAll): string =>
  [told, ...(changedSince > 0 ? [texts.bulk.changedSince(changedSince)] : [])].join(' ');
