import type { Context } from './context.ts';
import {
  type LspLinkFragment,
  LspLinksDocument,
  type LspLinksQuery,
  type LspLinksQueryVariables,
} from './generated/documents.ts';

/** The longest page of the service. */
const LONGEST = 100;

/** Returns the first records of a list, or all of them without a limit. */
export async function take<Item>(list: AsyncIterable<Item>, limit: number | null): Promise<Item[]> {
  const items: Item[] = [];
  if (limit === 0) return items;
  for await (const item of list) {
    items.push(item);
    if (items.length === limit) break;
  }
  return items;
}

/** Reads links page after page. */
export async function* readLinks(
  { client, io }: Context,
  variables: Pick<LspLinksQueryVariables, 'filter' | 'orderBy'>,
  limit: number | null = null,
): AsyncGenerator<LspLinkFragment, void> {
  const first = Math.min(limit ?? LONGEST, LONGEST);
  for (let after: string | null = null; ; ) {
    const page: LspLinksQueryVariables = { ...variables, first, after };
    const { links }: LspLinksQuery = await client.request(LspLinksDocument, page, { signal: io.signal });
    yield* links.nodes;
    after = links.pageInfo.endCursor;
    if (!links.pageInfo.hasNextPage || after === null) return;
  }
}
