import {
  Client,
  createRequest,
  type Exchange,
  fetchExchange,
  gql,
  type Operation,
  stringifyVariables,
  subscriptionExchange,
} from '@urql/core';
import {
  type Cache,
  type CacheExchangeOpts,
  cacheExchange,
  type Resolver,
  type Variables,
} from '@urql/exchange-graphcache';
import { map, pipe, tap } from 'wonka';
import { type Endpoint, subscribe } from './events.ts';
import { possibleTypes } from './possible-types.ts';
import { oneAtATime } from './read-again.ts';
import { realTiming } from './timing.ts';

export { possibleTypes } from './possible-types.ts';

/** Types without an id: Graphcache stores them in the record that contains them. */
const withoutId = `
  AndroidApp ApiKeyConnection ApiKeyEdge AppleApp Brand ChangeConnection ChangeEdge ChangedValue
  ClickSums Codes ConflictError CountryTarget CreatedApiKey CreatedWebhook Devices DomainApps
  DomainConnection DomainEdge DomainVerification FieldError ForgottenChanges HoursCondition
  ImportLinksResult ImportedLink InUseError InvitationConnection InvitationEdge LanguageTarget
  LinkConnection LinkEdge LinkExpiration LinkPage LinkPreview LinkRuleStep LinkTargeting
  MemberConnection MemberEdge NotFoundError OperationRuns PageInfo PixelConnection PixelEdge
  PlatformTarget Platforms QueryCondition RateLimit ReasonValue RedirectDecision RedirectStep
  RevertedChange RuleCondition RuleExpectation RuleTargetShare RuleTest RuleTestVisitor RuleValue
  RuleWarning SavedOperationConnection SavedOperationEdge SavedVariable SavedViewConnection
  SavedViewEdge SpaceConnection SpaceEdge SpacePage Statistics StatisticsPoint StatisticsRow
  StatisticsRowPage StatisticsTop StatisticsVariant TagConnection TagEdge TimeCondition TopLink
  TopLinks UtmTemplateConnection UtmTemplateEdge ValidationError ValuePoint Viewer
  WebhookConnection WebhookDeliveryConnection WebhookDeliveryEdge WebhookEdge
`;

/**
 * The keys of records in Graphcache: their `nodeId`. A DeletedRecord has that of the deleted record, but must not be stored as that
 * record. The few other types have only an `id`, which Graphcache uses by itself.
 */
export const keys = {
  ...Object.fromEntries(withoutId.match(/\w+/g)?.map((name) => [name, () => null]) ?? []),
  ...Object.fromEntries(
    possibleTypes.Node.map((name) => [
      name,
      ({ nodeId }: Record<string, unknown>) => nodeId as string | null,
    ]),
  ),
  DeletedRecord: () => null,
  // Their ids are numbers within a link.
  LinkRule: () => null,
  RuleTarget: () => null,
};

/** Sends subscriptions over server-sent events. */
export function subscriptions(endpoint: Endpoint): Exchange {
  return subscriptionExchange({
    // A trusted document has no query, but its id in the extensions.
    forwardSubscription: ({ query = '', variables, operationName, extensions }) => ({
      subscribe: (sink) => ({
        unsubscribe: subscribe(
          endpoint,
          { query, variables, ...(operationName && { operationName }), ...(extensions && { extensions }) },
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

/** A query on the screen, its last data, and the most rows of its list that were shown. */
interface Shown {
  readonly operation: Operation;
  data?: Listed | undefined;
  rows: number;
  /** The number of events before it was asked for. */
  readonly since: number;
}

interface Screen {
  readonly queries: Map<number, Shown>;
  /** The queries whose data is newer than the last event. */
  readonly current: Set<number>;
  /** The number of events and connections so far. */
  events: number;
  /** The queries that are being read again. */
  reading: ReadonlySet<number>;
}

interface Listed {
  readonly links?: {
    readonly edges?: readonly unknown[];
    readonly pageInfo?: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

/**
 * Remembers what is on the screen. It stays there if a read fails, and while the pages of a list are read again.
 * @param readAgain is called for a query that comes from the cache, where it may have missed events
 */
function remembering(screen: Screen, readAgain: () => void): Exchange {
  return ({ forward }) =>
    (operations) =>
      pipe(
        operations,
        tap((operation) => {
          const { kind, key } = operation;
          if (kind === 'teardown') screen.queries.delete(key);
          if (kind === 'query' && !screen.queries.has(key))
            screen.queries.set(key, { operation, rows: 0, since: screen.events });
        }),
        forward,
        map((result) => {
          const shown = screen.queries.get(result.operation.key);
          if (!shown) return result;
          const { edges = [], pageInfo } = (result.data as Listed | undefined)?.links ?? {};
          const { key, context } = result.operation;
          const isReading = screen.reading.has(key);
          const isPart = isReading && pageInfo?.hasNextPage === true && edges.length < shown.rows;
          if (result.data && !isPart) shown.data = result.data;
          shown.rows = Math.max(shown.rows, edges.length);
          const isFromCache =
            context.meta?.cacheOutcome === 'hit' || context.meta?.cacheOutcome === 'partial';
          if ((!isFromCache || screen.events === 0) && !result.error && shown.since === screen.events)
            screen.current.add(key);
          const isStale = isFromCache && !isReading && !screen.current.has(key);
          if (isStale && context.requestPolicy === 'cache-first') readAgain();
          return { ...result, data: shown.data, stale: result.stale || isStale };
        }),
      );
}

/**
 * Reads the queries on the screen again: lists from their top, as far as they are shown.
 * @param send a fetch that ends after some time
 */
async function readAgain(client: Client, screen: Screen, send: typeof fetch): Promise<void> {
  const { events } = screen;
  // Queries of several pages of a list read it once.
  const lists = new Map<number, { shown: Shown; variables: Variables; keys: number[] }>();
  for (const [own, shown] of screen.queries) {
    if (screen.current.has(own)) continue;
    const { after: _, ...variables }: Variables = shown.operation.variables ?? {};
    const { key } = createRequest(shown.operation.query, variables);
    const { shown: longest = shown, keys = [] } = lists.get(key) ?? {};
    lists.set(key, { shown: shown.rows >= longest.rows ? shown : longest, variables, keys: [...keys, own] });
  }
  screen.reading = new Set([...lists.values()].flatMap(({ keys }) => keys));
  try {
    for (const { shown, variables, keys } of lists.values()) {
      for (let page: Variables | null = {}; page; ) {
        // A variable that the query does not declare is not sent, and makes it another query: one that is not on the screen.
        const read: Variables = { ...variables, ...page, again: true };
        const { data, error } = await client
          .query<Listed>(shown.operation.query, read, { requestPolicy: 'network-only', fetch: send })
          .toPromise();
        if (error) throw error;
        const { edges = [], pageInfo } = data?.links ?? {};
        page = edges.length < shown.rows && pageInfo?.hasNextPage ? { after: pageInfo.endCursor } : null;
      }
      if (screen.events === events) for (const key of keys) screen.current.add(key);
    }
  } finally {
    screen.reading = new Set();
  }
}

/** The pages in the cache of the list with these arguments. */
function pagesOf(cache: Cache, args: Variables) {
  const listOf = (of: Variables | null) => stringifyVariables({ ...of, after: undefined });
  return cache
    .inspectFields('Query')
    .filter(({ fieldName, arguments: other }) => fieldName === 'links' && listOf(other) === listOf(args))
    .map(({ fieldKey, arguments: other }) => ({
      fieldKey,
      after: other?.after ?? null,
      key: cache.resolve('Query', fieldKey) as string | undefined,
    }))
    .filter(({ key }) => key !== undefined);
}

/**
 * The pages of a list as one list, each behind the page whose last cursor it is after. Graphcache's `relayPagination` would add the
 * pages that were read before a change, and mix lists with different lengths of pages.
 */
const joinPages: Resolver = (_parent, args, cache) => {
  const own = cache.resolve('Query', 'links', args) as string | undefined;
  // A list that is read without pageInfo has one page.
  if (own && !cache.resolve(own, 'pageInfo')) return own;
  const pages = pagesOf(cache, args);
  const edges = new Map<unknown, string>();
  let pageInfo: string | undefined;
  let total: unknown;
  let end = pages.some(({ after }) => after === null) ? null : (args.after ?? null);
  while (true) {
    const at = pages.findIndex(({ after }) => after === end);
    const [page] = at < 0 ? [] : pages.splice(at, 1);
    if (!page) break;
    for (const edge of (cache.resolve(page.key, 'edges') ?? []) as string[])
      edges.set(cache.resolve(edge, 'node'), edge);
    total = cache.resolve(page.key, 'totalCount') ?? total;
    pageInfo = cache.resolve(page.key, 'pageInfo') as string;
    end = cache.resolve(pageInfo, 'endCursor') as string | null;
  }
  // The page after the last one has to be read.
  if (pageInfo === undefined || (args.after && args.after === end)) return undefined;
  const totalCount = total === undefined ? {} : { totalCount: total as number };
  return { __typename: 'LinkConnection', edges: [...edges.values()], pageInfo, ...totalCount };
};

interface Options {
  /** Further settings of the cache, such as `optimistic`. */
  readonly cache?: CacheExchangeOpts | undefined;
  /** Exchanges between the cache and the network, such as one for trusted documents. */
  readonly exchanges?: Exchange[] | undefined;
  readonly send?: typeof fetch | undefined;
}

/**
 * A client of the server at `endpoint.url`. While somebody subscribes, it reads the queries on the screen again after each event
 * and each new connection.
 */
export function newClient(
  { url, headers = {}, pause, timing }: Endpoint,
  { cache = {}, exchanges = [], send = fetch }: Options = {},
): Client {
  const screen: Screen = { queries: new Map(), current: new Set(), events: 0, reading: new Set() };
  const { timeout } = { ...realTiming, ...timing };
  const sendWithin =
    (limit: number): typeof fetch =>
    (input, init) =>
      send(input, {
        ...init,
        signal: AbortSignal.any([timeout(limit), ...(init?.signal ? [init.signal] : [])]),
      });
  const readSoon = oneAtATime((limit) => readAgain(client, screen, sendWithin(limit)), pause);
  const heard = () => {
    screen.events++;
    screen.current.clear();
    readSoon();
  };
  const client = new Client({
    url,
    preferGetMethod: false, // The proxy above forwards only POST.
    fetchOptions: { headers },
    fetch: send,
    exchanges: [
      remembering(screen, readSoon),
      cacheExchange({
        // Without the whole schema, Graphcache takes the fields of a union's other types for missing.
        logger: (level, text) => {
          if (level !== 'debug' && !text.startsWith('Invalid undefined')) console[level](text);
        },
        ...cache,
        keys,
        possibleTypes,
        resolvers: { Query: { links: joinPages } },
        updates: {
          ...cache.updates,
          Query: {
            // When a list is read again, its first page begins it anew.
            links(_result, args, store, { variables }) {
              if (!variables.again || args.after) return;
              for (const { after, fieldKey } of pagesOf(store, args))
                if (after !== null) store.invalidate('Query', fieldKey);
            },
          },
        },
      }),
      ...exchanges,
      fetchExchange,
      subscriptions({ url, headers, heard, pause, timing }),
    ],
  });
  return client;
}

/** While somebody subscribes to it, the screen shows what others do: `client.subscription(changes, {}).subscribe(() => {})`. */
export const changes = gql`
  subscription Changes {
    changes {
      nodeId
    }
  }
`;
