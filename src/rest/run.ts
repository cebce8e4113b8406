import type { SavedOperation } from '../domain/operation/operation.ts';
import { type KeptText, keepText } from '../engine/rest/run/handler.ts';
import { type DescribedRun, describeRuns } from '../engine/rest/run/openapi.ts';
import { KeptResults } from '../engine/tools/kept-results.ts';
import { pauseIfBlocked } from '../engine/tools/time-slices.ts';
import type { ApiRequest } from '../schema/context.ts';
import { rightsOf, type SavedOperations } from '../schema/saved-operations.ts';

const about = `
The operations that this account has saved, as far as the key may run them. Each is a GraphQL document under a name. A query is run by
\`GET\` or \`POST\`, a mutation by \`POST\`. Variables are in the query string, in a form, or in JSON.

Answers are JSON whose \`status\` equals the HTTP status. In forms, an empty value is an empty text for a text, and else counts as
absent; names that are no variables are refused.
`.trim();

const description = {
  title: 'Saved operations',
  about,
  url: '/api/run',
  aboutKeys: 'An API key of the account: `Authorization: Bearer KEY`.',
};

/** The most bytes of descriptions that are kept, of all accounts. */
const MAX_KEPT = 50_000_000;

/** Makes the function that describes what a caller may run, once for all callers of an account with the same rights. */
export function createRunDescription(saved: SavedOperations): (request: ApiRequest) => Promise<KeptText> {
  const kept = new KeptResults<KeptText>(MAX_KEPT, ({ data }) => data.length);
  async function* list(request: ApiRequest, all: readonly SavedOperation[]): AsyncGenerator<DescribedRun> {
    for (const one of all) {
      await pauseIfBlocked();
      const operation = saved.runnable(request, one);
      if (operation !== null) yield { name: one.name, description: one.description, operation };
    }
  }
  return async (request) => {
    const { all, version } = await saved.of(request);
    return kept.of({
      owner: request.actor.accountId,
      name: rightsOf(request),
      version,
      signal: request.signal,
      make: async (signal) => keepText(await describeRuns(list(request, all), description, signal)),
    });
  };
}
