import { Client, type Exchange, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import type { IntrospectionQuery } from 'graphql';
import { type Endpoint, subscribe } from './events.ts';

/** Types without an id: Graphcache stores them in the record that contains them. */
const withoutId = `
  ApiKeyConnection ApiKeyEdge ChangeConnection ChangeEdge ConflictError CountryTarget CreatedApiKey
  CreatedWebhook DomainConnection DomainEdge DomainVerification FieldError ImportLinksResult
  ImportedLink InUseError InvitationConnection InvitationEdge LanguageTarget LinkConnection
  LinkEdge LinkExpiration LinkPage LinkTargeting MemberConnection MemberEdge NotFoundError PageInfo
  PixelConnection PixelEdge PlatformTarget RateLimit ReasonValue RedirectDecision RedirectStep
  RuleValue SpaceConnection SpaceEdge SpacePage Statistics StatisticsPoint StatisticsRow
  StatisticsRowPage StatisticsTop TagConnection TagEdge TopLink TopLinks UtmTemplateConnection
  UtmTemplateEdge ValidationError Viewer WebhookConnection WebhookDeliveryConnection
  WebhookDeliveryEdge WebhookEdge
`;

/** How Graphcache keys these types; it keys all others by their `id`. */
export const keys = Object.fromEntries(withoutId.match(/\w+/g)?.map((name) => [name, () => null]) ?? []);

/** Sends subscriptions over server-sent events. */
export function subscriptions(endpoint: Endpoint): Exchange {
  return subscriptionExchange({
    forwardSubscription: ({ query = '', variables, operationName }) => ({
      subscribe: (sink) => ({
        unsubscribe: subscribe(
          endpoint,
          { query, variables, ...(operationName && { operationName }) },
          {
            next: ({ data, errors }) => sink.next({ data, ...(errors && { errors: [...errors] }) }),
            error: (error) => sink.error(error),
            complete: () => sink.complete(),
          },
        ),
      }),
    }),
  });
}

/**
 * A client of the server at `url`, which is your own proxy or `https://s.example/graphql`.
 * @param schema the introspection that the generator writes: `import schema from './schema.json'`
 */
export function newClient(
  url: string,
  schema: IntrospectionQuery,
  headers: Record<string, string> = {},
): Client {
  return new Client({
    url,
    preferGetMethod: false, // The proxy above forwards only POST.
    fetchOptions: { headers },
    exchanges: [
      cacheExchange({
        schema,
        keys,
        // The pages of a list become one list.
        resolvers: { Query: { links: relayPagination() } },
        updates: {
          Subscription: {
            changes({ changes }, _args, cache) {
              const { action, kind, recordId } = changes as Record<string, string>;
              const __typename = `${kind?.charAt(0)}${kind?.slice(1).toLowerCase()}`;
              // Lists that have it are read again.
              if (action === 'DELETED') cache.invalidate({ __typename, id: recordId ?? null });
            },
          },
        },
      }),
      fetchExchange,
      subscriptions({ url, headers }),
    ],
  });
}

/** While somebody subscribes to it, the cache drops what others delete: `client.subscription(changes, {}).subscribe(…)`. */
export const changes = gql`
  subscription Changes {
    changes {
      id
      action
      kind
      recordId
    }
  }
`;
