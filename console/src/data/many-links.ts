import type { OperationResult } from 'urql';
import {
  DeleteLinksDocument,
  type LinkFilter,
  LinkIdsDocument,
  type LinkIdsQuery,
  type UpdateLinkInput,
  UpdateLinksDocument,
} from '../generated/documents.ts';
import { inBatches, inTime, type Progress } from './batches.ts';
import { faultOf } from './faults.ts';
import { refusalText } from './refusals.ts';
import type { Session } from './session.ts';
import { write } from './write.ts';

/** What is done to many links. */
export type BulkAction = { readonly delete: true } | { readonly update: UpdateLinkInput };

export interface BulkResult {
  readonly done: number;
  readonly failed: readonly { readonly id: string; readonly message: string }[];
}

/** The ids of all links that match, in batches. */
export async function idsOf(
  { client }: Session,
  filter: LinkFilter,
  onFound: (count: number) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const { data, error }: OperationResult<LinkIdsQuery> = await client
      .query(LinkIdsDocument, { filter, after }, { requestPolicy: 'network-only' })
      .toPromise();
    if (error) throw faultOf(error);
    ids.push(...(data?.links.nodes ?? []).map(({ id }) => id));
    after = data?.links.pageInfo.hasNextPage ? data.links.pageInfo.endCursor : null;
    onFound(ids.length);
  } while (after !== null && !signal.aborted);
  return ids;
}

async function actOn(session: Session, action: BulkAction, ids: readonly string[]) {
  if ('delete' in action)
    return (await write(session, DeleteLinksDocument, { ids: [...ids] })).deleteLinks.map((one, index) => ({
      id: ids[index] ?? '',
      message: one.__typename === 'DeletedRecord' ? null : refusalText(one),
    }));
  const inputs = ids.map((id) => ({ id, input: action.update }));
  const { updateLinks } = await write(session, UpdateLinksDocument, { inputs });
  return inTime(updateLinks).map((one, index) => ({
    id: ids[index] ?? '',
    message: one.__typename === 'Link' ? null : refusalText(one),
  }));
}

/** Does something to many links, a hundred in a request. */
export async function changeMany(
  session: Session,
  ids: readonly string[],
  action: BulkAction,
  options: { onProgress: (progress: Progress) => void; signal: AbortSignal },
): Promise<BulkResult> {
  const results = await inBatches(ids, (batch) => actOn(session, action, batch), options);
  const failed = results.flatMap(({ id, message }) => (message === null ? [] : [{ id, message }]));
  return { done: results.length - failed.length, failed };
}
