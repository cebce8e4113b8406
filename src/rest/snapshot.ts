import type { EventKind } from '../domain/webhook/events.ts';
import { RestLinkDocument, RestSpaceDocument, RestTagDocument } from '../generated/documents.ts';
import { runOwn } from '../schema/api.ts';
import type { ApiRequest } from '../schema/context.ts';
import { linkAnswer } from './link-answer.ts';
import { spaceAnswer } from './spaces.ts';

/**
 * Creates a function that reads records in v1's form, with the same documents and encoders; null if the account has no such
 * record.
 * @param readRequest creates the request to read the account's records
 */
export function createSnapshot(readRequest: (accountId: number) => ApiRequest) {
  return async (accountId: number, kind: EventKind, id: number): Promise<object | null> => {
    const [request, variables] = [readRequest(accountId), { id: String(id) }];
    if (kind === 'LINK') {
      const { link } = await runOwn(RestLinkDocument, variables, request);
      return link && linkAnswer.encode(link);
    }
    if (kind === 'TAG') {
      // A tag looks like a space.
      const { tag } = await runOwn(RestTagDocument, variables, request);
      return tag && spaceAnswer.encode(tag);
    }
    const { space } = await runOwn(RestSpaceDocument, variables, request);
    return space && spaceAnswer.encode(space);
  };
}
