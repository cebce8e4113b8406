import { gql, type TypedDocumentNode } from '@urql/core';
import type { Cache, CacheExchangeOpts } from '@urql/exchange-graphcache';
import { changes, newClient } from '../../packages/client/src/urql.ts';
import { sentOnce } from './once.ts';
import { type ErrorResult, type Failure, failureOf, type Options, type Row, type Screen } from './screen.ts';

interface Listed {
  links: {
    __typename: 'LinkConnection';
    edges: { __typename: 'LinkEdge'; cursor: string; node: Row & { __typename: 'Link' } }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
  spaces: { nodes: { nodeId: string; id: string; name: string }[] };
}
type Result<Name extends string> = Record<Name, { __typename: string } & ErrorResult & Row>;

const ROW = gql`
  fragment Row on Link {
    nodeId
    id
    title
    shortUrl
    updatedAt
  }
`;
const INVALID = gql`
  fragment Invalid on ValidationError {
    message
    fields {
      path
      messages
    }
  }
`;
const LIST: TypedDocumentNode<Listed, { first: number; after?: string | null }> = gql`
  query List($first: Int!, $after: String) {
    links(first: $first, after: $after) {
      edges {
        cursor
        node {
          ...Row
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
    spaces {
      nodes {
        nodeId
        id
        name
      }
    }
  }
  ${ROW}
`;
const CREATE: TypedDocumentNode<Result<'createLink'>, { input: object }> = gql`
  mutation Create($input: CreateLinkInput!) {
    createLink(input: $input) {
      __typename
      ...Row
      ...Invalid
    }
  }
  ${ROW}
  ${INVALID}
`;
const RENAME: TypedDocumentNode<Result<'updateLink'>, { id: string; title: string; seen: string }> = gql`
  mutation Rename($id: ID!, $title: String!, $seen: DateTime!) {
    updateLink(id: $id, input: { title: $title }, ifUpdatedAt: $seen) {
      __typename
      ...Row
      ...Invalid
      ... on NotFoundError {
        message
      }
      ... on ConflictError {
        message
        current {
          ...Row
        }
      }
    }
  }
  ${ROW}
  ${INVALID}
`;
const REMOVE: TypedDocumentNode<Result<'deleteLink'>, { id: string }> = gql`
  mutation Remove($id: ID!) {
    deleteLink(id: $id) {
      __typename
      ... on DeletedRecord {
        nodeId
      }
      ... on NotFoundError {
        message
      }
    }
  }
`;

/** Removes a link from every page that has it. */
function leaveLists(cache: Cache, nodeId: string): void {
  for (const { fieldName, fieldKey } of cache.inspectFields('Query')) {
    if (fieldName !== 'links') continue;
    const connection = cache.resolve('Query', fieldKey) as string;
    const edges = cache.resolve(connection, 'edges') as string[];
    const stay = edges.filter((edge) => cache.resolve(edge, 'node') !== `Link:${nodeId}`);
    cache.link(connection, 'edges', stay);
  }
}

/** The cache's updates for the mutations. */
function cacheOptions(first: number): CacheExchangeOpts {
  return {
    optimistic: {
      updateLink: ({ input }, _cache, { variables }) => ({
        __typename: 'Link',
        ...(variables.row as Row),
        ...(input as { title: string }),
      }),
    },
    updates: {
      Mutation: {
        createLink({ createLink }, _args, cache) {
          const node = createLink as Row & { __typename: 'Link' };
          if (node.__typename !== 'Link') return;
          cache.updateQuery(
            { query: LIST, variables: { first } },
            (old) =>
              old && {
                ...old,
                links: {
                  ...old.links,
                  edges: [{ __typename: 'LinkEdge' as const, cursor: '', node }, ...old.links.edges],
                },
              },
          );
        },
        deleteLink({ deleteLink }, _args, cache) {
          const { __typename, nodeId } = deleteLink as { __typename: string; nodeId: string };
          if (__typename === 'DeletedRecord') leaveLists(cache, nodeId);
        },
      },
    },
  };
}

/** The screen with urql and Graphcache. */
export async function openScreen({ url, headers, pause, pageSize, fetch }: Options): Promise<Screen> {
  const variables = { first: pageSize };
  const client = newClient(
    { url, headers, ...(pause && { pause }) },
    { cache: cacheOptions(pageSize), send: sentOnce(fetch) },
  );
  const load = async (after: string | null) => {
    const { error } = await client
      .query(LIST, after === null ? variables : { ...variables, after })
      .toPromise();
    if (error) throw error;
  };
  let last: Listed | undefined;
  const shown = () => last;
  const run = async <Name extends string, Variables extends object>(
    name: Name,
    mutation: TypedDocumentNode<Result<Name>, Variables>,
    given: Variables,
    expected: string,
  ): Promise<Failure> => {
    const { data, error } = await client.mutation(mutation, given as never).toPromise();
    if (error || !data) throw error ?? new Error('no answer');
    return data[name].__typename === expected ? null : failureOf(data[name]);
  };
  await load(null);
  client.query(LIST, variables).subscribe(({ data }) => {
    last = data;
  });
  return {
    rows: () => shown()?.links.edges.map(({ node }) => node) ?? [],
    spaces: () => shown()?.spaces.nodes.map(({ name }) => name) ?? [],
    hasMore: () => shown()?.links.pageInfo.hasNextPage === true,
    loadMore: () => load(shown()?.links.pageInfo.endCursor ?? null),
    create: (to, title) => run('createLink', CREATE, { input: { url: to, title } }, 'Link'),
    rename(row, title) {
      // The row is for the optimistic update; the server ignores it.
      const given = { id: row.id, title, seen: row.updatedAt, row };
      return run('updateLink', RENAME, given, 'Link');
    },
    remove: ({ id }) => run('deleteLink', REMOVE, { id }, 'DeletedRecord'),
    follow: () => client.subscription(changes, {}).subscribe(() => {}).unsubscribe,
  };
}
