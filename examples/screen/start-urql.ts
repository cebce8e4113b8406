import { gql, type TypedDocumentNode } from '@urql/core';
import { changes, newClient } from '../../packages/client/src/urql.ts';
import type { Titles } from './start.ts';

const TITLES: TypedDocumentNode<Titles, object> = gql`
  query Titles($first: Int = 20, $after: String) {
    links(first: $first, after: $after) {
      edges {
        cursor
        node {
          nodeId
          title
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

/** Shows the first links, and what others do with them, until the returned function is called. */
export function followTitles(url: string, headers: Record<string, string>, show: (data: Titles) => void) {
  const client = newClient({ url, headers });
  const shown = client.query(TITLES, {}).subscribe(({ data }) => {
    if (data) show(data);
  });
  const followed = client.subscription(changes, {}).subscribe(() => {});
  return () => {
    followed.unsubscribe();
    shown.unsubscribe();
  };
}
