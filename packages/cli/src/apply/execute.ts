import type { Context } from '../context.ts';
import { describeRefusal, EXIT, type Refusal } from '../errors.ts';
import {
  LspCreateLinksDocument,
  LspDeleteLinksDocument,
  LspUpdateLinksDocument,
} from '../generated/documents.ts';
import { progressOn } from '../progress.ts';
import { inBatches } from './batches.ts';
import type { PlannedChange } from './changes.ts';
import { isTakenId } from './check.ts';
import { lineOf } from './file.ts';

/** A change that the service has refused. */
export interface Refused {
  readonly change: PlannedChange;
  /** The line of the wrong field or of the link, from 1; null if the file does not have the link. */
  readonly line: number | null;
  readonly code: string;
  readonly message: string;
}

export interface Outcome {
  /** The changes that were made. */
  readonly made: readonly PlannedChange[];
  readonly refused: readonly Refused[];
  /** The deletions that were not made, since something was refused. */
  readonly kept: readonly PlannedChange[];
  /** True if nothing was refused but new links that another run has created meanwhile. */
  readonly isOvertaken: boolean;
}

type Result =
  | { readonly __typename: 'Link' | 'DeletedRecord' }
  | (Refusal & { readonly __typename: string; readonly code: string });

type Of<Action extends PlannedChange['action']> = Extract<PlannedChange, { action: Action }>;

const isOf =
  <Action extends PlannedChange['action']>(action: Action) =>
  (change: PlannedChange): change is Of<Action> =>
    change.action === action;

/**
 * Makes the changes of a plan. A refused change does not affect the others, but that then no link is deleted any more: a deletion
 * takes the clicks with it. Only links whose aliases others need are deleted first.
 */
export async function execute(context: Context, changes: readonly PlannedChange[]): Promise<Outcome> {
  const { client, io } = context;
  const made: PlannedChange[] = [];
  const refused: Refused[] = [];
  let overtaken = 0;
  const progress = progressOn(context, 'changes', changes.length);
  // Without a key: the service refuses a write with one that takes long, and a file can be applied again.
  const options = { signal: io.signal };

  const send = async <Action extends PlannedChange['action']>(
    all: readonly Of<Action>[],
    sendBatch: (batch: readonly Of<Action>[]) => Promise<readonly Result[]>,
  ): Promise<void> => {
    for (const batch of inBatches(all, (change) => ('input' in change ? change.input : change.key))) {
      const results = await sendBatch(batch);
      for (const [at, change] of batch.entries()) {
        const { action } = change;
        const result = results[at];
        if (result === undefined) continue;
        if (!('code' in result)) made.push(change);
        // A link that others have deleted is as the file wants it.
        else if (action !== 'delete' || result.code !== 'NOT_FOUND') {
          const { code, fields } = result;
          const line = 'entry' in change ? lineOf(change.entry, fields?.[0]?.path[0]) : null;
          refused.push({ change, line, code, message: describeRefusal(result) });
          if (action === 'create' && isTakenId(result)) overtaken++;
        }
      }
      progress.add(batch.length);
    }
  };

  const deletes = changes.filter(isOf('delete'));
  const others = deletes.filter(({ isFirst }) => !isFirst);
  let kept: readonly PlannedChange[] = others;
  try {
    const deleteBatch = async (batch: readonly Of<'delete'>[]) => {
      const [ids, ifUpdatedAt] = [batch.map(({ link }) => link.id), batch.map(({ link }) => link.updatedAt)];
      return (await client.request(LspDeleteLinksDocument, { ids, ifUpdatedAt }, options)).deleteLinks;
    };
    await send(
      deletes.filter(({ isFirst }) => isFirst),
      deleteBatch,
    );
    await send(changes.filter(isOf('update')), async (batch) => {
      const inputs = batch.map(({ link, input }) => ({ id: link.id, input, ifUpdatedAt: link.updatedAt }));
      return (await client.request(LspUpdateLinksDocument, { inputs }, options)).updateLinks;
    });
    await send(changes.filter(isOf('create')), async (batch) => {
      const inputs = batch.map(({ input }) => input);
      return (await client.request(LspCreateLinksDocument, { inputs }, options)).createLinks;
    });
    if (refused.length === 0) {
      kept = [];
      await send(others, deleteBatch);
    }
  } finally {
    progress.end();
  }
  return { made, refused, kept, isOvertaken: overtaken > 0 && overtaken === refused.length };
}

/** Returns the exit code for refused changes. */
export function exitCodeFor(refused: readonly Refused[]): number {
  if (refused.length === 0) return 0;
  return refused.every(({ code }) => code === 'CONFLICT' || code === 'NOT_FOUND')
    ? EXIT.conflict
    : EXIT.refused;
}
