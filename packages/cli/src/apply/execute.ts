import type { Context } from '../context.ts';
import { describeRefusal, EXIT } from '../errors.ts';
import { LspCreateLinksDocument, LspUpdateLinksDocument } from '../generated/documents.ts';
import { progressOn } from '../progress.ts';
import { inBatches } from './batches.ts';
import type { Plan, PlannedChange } from './plan.ts';

/** A change that the service has refused. */
export interface Refused {
  readonly key: string;
  readonly code: string;
  readonly message: string;
}

export interface Outcome {
  readonly done: Readonly<Record<PlannedChange['action'], number>>;
  readonly refused: readonly Refused[];
}

type Result =
  | { readonly __typename: 'Link' | 'DeletedRecord' }
  | { readonly __typename: string; readonly code: string; readonly message: string };

type Of<Action extends PlannedChange['action']> = Extract<PlannedChange, { action: Action }>;

const isOf =
  <Action extends PlannedChange['action']>(action: Action) =>
  (change: PlannedChange): change is Of<Action> =>
    change.action === action;

/**
 * Makes the changes of a plan. A refused change does not affect the others, but that then no link is deleted any more: a deletion
 * takes the clicks with it. Only links whose aliases others need are deleted first.
 */
export async function execute(context: Context, { changes }: Plan): Promise<Outcome> {
  const { client, io } = context;
  const done = { create: 0, update: 0, delete: 0 };
  const refused: Refused[] = [];
  const progress = progressOn(context, 'changes', changes.length);
  // Without a key: the service refuses a write with one that takes long, and a file can be applied again.
  const options = { signal: io.signal };

  const send = async <Action extends PlannedChange['action']>(
    all: readonly Of<Action>[],
    sendBatch: (batch: readonly Of<Action>[]) => Promise<readonly Result[]>,
  ): Promise<void> => {
    for (const batch of inBatches(all, (change) => ('input' in change ? change.input : change.key))) {
      const results = await sendBatch(batch);
      for (const [at, { key, action }] of batch.entries()) {
        const result = results[at];
        if (result && !('code' in result)) done[action]++;
        else if (result) refused.push({ key, code: result.code, message: describeRefusal(result) });
      }
      progress.add(batch.length);
    }
  };

  try {
    const deletes = changes.filter(isOf('delete'));
    const deleteBatch = (batch: readonly Of<'delete'>[]) =>
      client.deleteLinks(
        batch.map(({ link }) => link.id),
        options,
      );
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
    const others = deletes.filter(({ isFirst }) => !isFirst);
    if (refused.length === 0) await send(others, deleteBatch);
  } finally {
    progress.end();
  }
  return { done, refused };
}

/** Returns the exit code for refused changes. */
export function exitCodeFor(refused: readonly Refused[]): number {
  if (refused.length === 0) return 0;
  return refused.every(({ code }) => code === 'CONFLICT' || code === 'NOT_FOUND')
    ? EXIT.conflict
    : EXIT.refused;
}
