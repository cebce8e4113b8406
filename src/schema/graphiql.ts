import type { GraphiQLOptions } from 'graphql-yoga';

const headers = JSON.stringify({ Authorization: 'Bearer PASTE-YOUR-API-KEY-HERE' }, null, 2);

/** All in one tab, so that the key is typed once; with literals, since GraphiQL drops a first tab's variables. */
const examples = `# Welcome to Linkspace.
#
# 1. Put your API key into "Headers" below.
# 2. Press the play button and choose one
#    of these operations.
# 3. Press the circling arrows at the left
#    to load the schema, for the browser of
#    types and for completion.

query WhoAmI {
  viewer {
    account { name }
    key { prefix scopes expiresAt lastUsedAt }
  }
}

query ListSpaces {
  spaces(
    first: 10
    filter: { search: "" }
    orderBy: { field: NAME, direction: ASC }
  ) {
    totalCount
    edges { cursor node { id name color createdAt } }
    pageInfo { hasNextPage endCursor }
  }
}

mutation CreateSpace {
  createSpace(input: { name: "Launch", color: 3 }) {
    __typename
    ... on Space { id name color }
    ... on ValidationError {
      message
      fields { path messages }
    }
  }
}

mutation UpdateSpace {
  updateSpace(id: "1", input: { color: 5 }) {
    __typename
    ... on Space { id name color updatedAt }
    ... on Error { code message }
  }
}

mutation DeleteSpace {
  deleteSpace(id: "1") {
    __typename
    ... on DeletedRecord { id }
    ... on Error { code message }
  }
}

mutation CreateLink {
  createLink(
    input: {
      url: "https://example.com/"
      title: "Launch"
    }
  ) {
    __typename
    ... on Link { id shortUrl status }
    ... on ValidationError {
      message
      fields { path messages }
    }
  }
}

mutation CreateTargetedLink {
  createLink(
    input: {
      url: "https://example.com/"
      expiration: {
        at: "2030-01-01T00:00:00Z"
        url: "https://example.com/over"
      }
      targeting: {
        type: COUNTRY
        countries: [
          { country: "DE", url: "https://example.com/de" }
        ]
      }
    }
  ) {
    __typename
    ... on Link {
      id
      shortUrl
      expiration { at clicks url }
      targeting { type countries { country url } }
    }
    ... on ValidationError {
      message
      fields { path messages }
    }
  }
}

query ListLinks {
  links(
    first: 10
    filter: { search: "", status: ACTIVE }
    orderBy: { field: CLICKS }
  ) {
    totalCount
    edges {
      cursor
      node {
        id title shortUrl url clicks status
        space { name color }
        pixels { name type }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}

query SpacesWithLinks {
  spaces {
    edges {
      node {
        name
        links(first: 3) {
          totalCount
          edges { node { shortUrl clicks } }
        }
      }
    }
  }
}

mutation UpdateLink {
  updateLink(
    id: "1"
    input: { title: null, disabled: true }
  ) {
    __typename
    ... on Link { id title status updatedAt }
    ... on Error { code message }
  }
}

mutation DeleteLink {
  deleteLink(id: "1") {
    __typename
    ... on DeletedRecord { id }
    ... on Error { code message }
  }
}

query ExplainRedirect {
  explainRedirect(
    input: { linkId: "1", country: "DE", query: "utm=1" }
  ) {
    outcome
    destination
    steps { rule applied why }
  }
}

mutation AddDomain {
  createDomain(input: { name: "go.example" }) {
    __typename
    ... on Domain {
      id name verified
      verification { name value }
    }
    ... on Error { code message }
  }
}

mutation AddPixel {
  createPixel(
    input: { name: "Ads", type: GOOGLE_ADS, value: "AW-1" }
  ) {
    __typename
    ... on Pixel { id name type value }
    ... on Error { code message }
  }
}

query ListDomainsAndPixels {
  domains {
    edges { node { id name shared verified notFoundUrl } }
  }
  pixels {
    edges { node { id name type value } }
  }
}
`;

let page: Promise<string> | undefined;

/** GraphiQL lays its panes side by side, whatever the width: on a phone they keep one that can be read, and scroll. */
const narrow = `<style>
  @media (max-width: 700px) { body { overflow-x: auto } .graphiql-container { min-width: 760px } }
</style>`;

/** GraphiQL's page, with all its scripts in it. They are large: read when somebody first asks, and put together once. */
export function graphiqlPage(options: GraphiQLOptions): Promise<string> {
  page ??= import('@graphql-yoga/render-graphiql').then(({ renderGraphiQL }) =>
    renderGraphiQL(options).replace('</head>', `${narrow}</head>`),
  );
  return page;
}

/** GraphiQL opens with named examples, and a header prepared for the key. */
export const graphiqlOptions: GraphiQLOptions = {
  title: 'Linkspace GraphiQL',
  headers,
  defaultHeaders: headers,
  // A typed key lives in the page alone: pixels of links may run scripts of others on this same origin.
  shouldPersistHeaders: false,
  defaultEditorToolsVisibility: 'headers',
  defaultTabs: [{ query: examples, headers }],
};
