// The source of __generated__, compiled by:
//   npx relay-compiler examples/screen/relay.config.json
// A bundler's plugin replaces these by the compiled files; relay.ts, without a bundler, imports those.
import { graphql } from 'relay-runtime';

export const list = graphql`
  query relayOperationsListQuery($first: Int!, $after: String) {
    links(first: $first, after: $after) @connection(key: "Screen_links") {
      edges {
        node {
          nodeId
          id
          title
          shortUrl
          updatedAt
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
`;

export const create = graphql`
  mutation relayOperationsCreateMutation($input: CreateLinkInput!) {
    createLink(input: $input) {
      __typename
      ... on Link {
        nodeId
        id
        title
        shortUrl
        updatedAt
      }
      ... on ValidationError {
        message
        fields {
          path
          messages
        }
      }
    }
  }
`;

export const rename = graphql`
  mutation relayOperationsRenameMutation($id: ID!, $title: String!, $seen: DateTime!) @raw_response_type {
    updateLink(id: $id, input: { title: $title }, ifUpdatedAt: $seen) {
      __typename
      ... on Link {
        nodeId
        title
        updatedAt
      }
      ... on NotFoundError {
        message
      }
      ... on ValidationError {
        message
        fields {
          path
          messages
        }
      }
      ... on ConflictError {
        message
        current {
          ... on Link {
            nodeId
            title
            updatedAt
          }
        }
      }
    }
  }
`;

export const remove = graphql`
  mutation relayOperationsRemoveMutation($id: ID!) {
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

export const changes = graphql`
  subscription relayOperationsChangesSubscription {
    changes {
      nodeId
    }
  }
`;
