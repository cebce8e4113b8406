import { type Cache, cacheExchange } from '@urql/exchange-graphcache';
import { Client, fetchExchange, mapExchange } from 'urql';
import { language } from '../language.ts';
import { type Fault, toFault } from './faults.ts';

/** Types without an id of their own: they are stored in the record that contains them. */
const withoutId = `
  ChangeConnection DomainConnection LinkConnection PixelConnection SpaceConnection TagConnection LinkPage
  WebhookConnection WebhookDeliveryConnection PageInfo Viewer DeletedRecord LinkExpiration LinkPreview
  LinkTargeting CountryTarget LanguageTarget PlatformTarget DomainVerification DomainApps AppleApp
  AndroidApp RedirectDecision RedirectStep CreatedWebhook LinkCheck Statistics StatisticsPoint
  StatisticsTop StatisticsRow TopLinks TopLink MemberConnection InvitationConnection ApiKeyConnection
  CreatedApiKey ValidationError NotFoundError InUseError ConflictError FieldError RuleValue ReasonValue
  ImportLinksResult ImportedLink UtmTemplateConnection SavedViewConnection Brand ChangedValue
  RevertedChange SavedOperationConnection SavedVariable OperationRuns
`;
/** Those of rules: their ids, and those of their targets, are unique in their link only. */
const ofRules = `
  LinkRule RuleTarget RuleCondition RuleWarning LinkRuleStep RuleTargetShare Codes Platforms Devices
  QueryCondition TimeCondition HoursCondition RuleTest RuleTestVisitor RuleExpectation StatisticsVariant
`;

const namesIn = (text: string): string[] => text.match(/\w+/g) ?? [];

/** After how many milliseconds a service that took a request counts as away. */
const PATIENCE = 10_000;

/** The number of pages of lists that stay in the cache. */
const KEPT_PAGES = 12;

/**
 * Removes deleted links from the pages that have them; to invalidate the links would empty the pages. Lists are read as nodes,
 * without edges: Graphcache remembers the keys of records without an id, such as edges, for ever.
 */
function leavePages(cache: Cache, ids: ReadonlySet<string>): void {
  for (const { fieldName, fieldKey } of cache.inspectFields('Query')) {
    const connection = fieldName === 'links' ? cache.resolve('Query', fieldKey) : null;
    const nodes = typeof connection === 'string' ? cache.resolve(connection, 'nodes') : null;
    if (typeof connection !== 'string' || !Array.isArray(nodes)) continue;
    const keys = nodes.filter((one) => typeof one === 'string');
    const stay = keys.filter((one) => !ids.has(one.replace('Link:', '')));
    if (stay.length < keys.length) cache.link(connection, 'nodes', stay);
  }
}

const deletedIds = (results: unknown[]): ReadonlySet<string> =>
  new Set(
    results.flatMap((one) =>
      typeof one === 'object' && one !== null && 'id' in one && typeof one.id === 'string' ? [one.id] : [],
    ),
  );

/** Forgets the pages of a list that were read long ago: somebody may look through any number of them. */
function forgetOldPages(cache: Cache, list: 'links' | 'changes'): void {
  const pages = cache.inspectFields('Query').filter(({ fieldName }) => fieldName === list);
  for (const { fieldKey } of pages.slice(0, -KEPT_PAGES)) cache.invalidate('Query', fieldKey);
}

/** The headers of every request: the cookie says who sends it, and these for which account, and in which language mails are. */
export const accountHeaders = (accountId: string): Record<string, string> => ({
  'X-Account': accountId,
  'Accept-Language': language,
});

/** A client for one account. */
export function createClient(accountId: string, onFault: (fault: Fault) => void): Client {
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: { headers: accountHeaders(accountId) },
    fetch: (to, { signal, ...init } = {}) =>
      fetch(to, {
        ...init,
        signal: AbortSignal.any([AbortSignal.timeout(PATIENCE), ...(signal ? [signal] : [])]),
      }),
    exchanges: [
      mapExchange({ onError: (error) => onFault(toFault(error)) }),
      cacheExchange({
        keys: Object.fromEntries(namesIn(withoutId + ofRules).map((name) => [name, () => null])),
        updates: {
          Query: {
            links: (_result, _args, cache) => forgetOldPages(cache, 'links'),
            changes: (_result, _args, cache) => forgetOldPages(cache, 'changes'),
          },
          Mutation: {
            deleteLinks: ({ deleteLinks }, _args, cache) =>
              leavePages(cache, deletedIds(Array.isArray(deleteLinks) ? deleteLinks : [])),
          },
        },
      }),
      mapExchange({
        // Answers name their changes, by which they are undone. The cache before this forwards no extensions.
        onOperation: (operation) =>
          operation.kind === 'mutation' ? { ...operation, extensions: { changes: true } } : operation,
        // Of an error in a record, GraphQL leaves null in the place of the record: the cache would keep that there is none.
        onResult: (result) => (result.error ? { ...result, data: undefined } : result),
      }),
      fetchExchange,
    ],
  });
}
