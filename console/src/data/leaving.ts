import { stringifyDocument } from 'urql';
import { DeleteLinksDocument } from '../generated/documents.ts';
import { accountHeaders } from './client.ts';
import { type Doer, lately } from './deeds.ts';
import { session as kept } from './storage.ts';
import { randomName, wait } from './write.ts';

/** Names what is kept of deletions that were sent as the page was left: their keys. */
const NAME = 'linkspace.leaving';
/** The number of times that the answer is asked for, once a second. */
const MAX_ATTEMPTS = 10;

interface Leaving {
  readonly accountId: string;
  readonly userId: string | null;
  readonly key: string;
  readonly ids: readonly string[];
}

/** Sends a deletion, which outlives the page. With the same key it is done once, and has one answer. */
function send({ accountId, key, ids }: Leaving): Promise<Response> {
  const query = stringifyDocument(DeleteLinksDocument);
  return fetch('/graphql', {
    method: 'POST',
    keepalive: true,
    headers: {
      ...accountHeaders(accountId),
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    },
    body: JSON.stringify({ query, variables: { ids }, extensions: { changes: true } }),
  });
}

/** Sends deletions of links as the page is left. */
export function sendOnLeave(deletions: readonly { session: Doer; ids: readonly string[] }[]): void {
  const all = deletions.map(({ session: { accountId, viewer }, ids }): Leaving => {
    const leaving = { accountId, userId: viewer.user?.id ?? null, key: randomName(), ids };
    void send(leaving);
    return leaving;
  });
  if (all.length > 0) kept.set(NAME, JSON.stringify(all));
}

/** Asks again for the changes of a deletion. */
async function findChanges(leaving: Leaving): Promise<string[]> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { extensions, errors } = Object(await (await send(leaving)).json());
    const changes: unknown = extensions?.changes;
    if (Array.isArray(changes)) return changes.map(String);
    if (errors?.[0]?.extensions?.code !== 'IDEMPOTENCY_RUNNING') return [];
    await wait(1);
  }
  return [];
}

/** Offers to undo what the page before deleted as it was left. */
export async function finishLeft(): Promise<void> {
  const text = kept.get(NAME);
  if (text === null) return;
  kept.remove(NAME);
  try {
    const all: Leaving[] = JSON.parse(text);
    for (const leaving of all) {
      const { accountId, userId } = leaving;
      const changeIds = await findChanges(leaving);
      const viewer = { user: userId === null ? null : { id: userId } };
      if (changeIds.length > 0) lately.add({ accountId, viewer }, { changeIds });
    }
  } catch {
    // Activity can restore the links all the same.
  }
}
