import { gql, type TypedDocumentNode } from '@apollo/client';
import { followChanges, newClient } from '../../packages/client/src/apollo.ts';
import { sentOnce } from './once.ts';
import { type ErrorResult, type Failure, failureOf, type Options, type Row, type Screen } from './screen.ts';

interface Listed {
  links: {
    edges: { __typename: 'LinkEdge'; cursor: string; node: Row & { __typename: 'Link' } }[];
    pageInfo: { __typename: 'PageInfo'; hasNextPage: boolean; endCursor: string | null };
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
const FAILURE = gql`
  fragment Failure on Error {
    message
    ... on ValidationError {
      fields {
        path
        messages
      }
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
      ...Row
      ...Failure
    }
  }
  ${ROW}
  ${FAILURE}
`;
const RENAME: TypedDocumentNode<Result<'updateLink'>, { id: string; title: string; seen: string }> = gql`
  mutation Rename($id: ID!, $title: String!, $seen: DateTime!) {
    updateLink(id: $id, input: { title: $title }, ifUpdatedAt: $seen) {
      ...Row
      ...Failure
      ... on ConflictError {
        current {
          ...Row
        }
      }
    }
  }
  ${ROW}
  ${FAILURE}
`;
const REMOVE: TypedDocumentNode<Result<'deleteLink'>, { id: string }> = gql`
  mutation Remove($id: ID!) {
    deleteLink(id: $id) {
      ... on DeletedRecord {
        nodeId
      }
      ...Failure
    }
  }
  ${FAILURE}
`;

/** The screen with Apollo Client. */
export async function openScreen({ url, headers, pause, pageSize, fetch }: Options): Promise<Screen> {
  const client = newClient({ url, headers, ...(pause && { pause }) }, { send: sentOnce(fetch) });
  const { cache } = client;
  const variables = { first: pageSize };
  const list = client.watchQuery({ query: LIST, variables });
  list.subscribe(() => {});
  await client.query({ query: LIST, variables });
  const shown = () => cache.readQuery({ query: LIST, variables }, true);
  const failed = (result: { __typename: string } & ErrorResult, expected: string): Failure =>
    result.__typename === expected ? null : failureOf(result);
  return {
    rows: () => shown()?.links.edges.map(({ node }) => node) ?? [],
    spaces: () => shown()?.spaces.nodes.map(({ name }) => name) ?? [],
    hasMore: () => shown()?.links.pageInfo.hasNextPage === true,
    async loadMore() {
      await list.fetchMore({ variables: { after: shown()?.links.pageInfo.endCursor } });
    },
    async create(to, title) {
      const { data } = await client.mutate({
        mutation: CREATE,
        variables: { input: { url: to, title } },
        update(_cache, { data: made }) {
          if (made?.createLink.__typename !== 'Link') return;
          const node = made.createLink as Row & { __typename: 'Link' };
          cache.updateQuery(
            { query: LIST, variables },
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
      });
      return data ? failed(data.createLink, 'Link') : null;
    },
    async rename(row, title) {
      const { data } = await client.mutate({
        mutation: RENAME,
        variables: { id: row.id, title, seen: row.updatedAt },
        optimisticResponse: { updateLink: { __typename: 'Link', ...row, title } as never },
      });
      return data ? failed(data.updateLink, 'Link') : null;
    },
    async remove({ id, nodeId }) {
      const { data } = await client.mutate({
        mutation: REMOVE,
        variables: { id },
        update(_cache, { data: gone }) {
          if (gone?.deleteLink.__typename === 'DeletedRecord') cache.evict({ id: nodeId });
        },
      });
      return data ? failed(data.deleteLink, 'DeletedRecord') : null;
    },
    follow: () => followChanges(client),
  };
}
