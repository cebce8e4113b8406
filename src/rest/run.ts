import type { AccountOperations } from '../domain/operation/lookup.ts';
import { type DescribedRun, describeRuns } from '../engine/rest/run/openapi.ts';
import { nameFor } from '../engine/tools/name-for.ts';
import { pauseIfBlocked } from '../engine/tools/time-slices.ts';
import type { ApiRequest } from '../schema/context.ts';
import type { SavedOperations } from '../schema/saved-operations.ts';

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

/** Makes the function that describes what a caller may run, once for all callers with the same rights. */
export function createRunDescription(saved: SavedOperations): (request: ApiRequest) => Promise<string> {
  const known = new WeakMap<AccountOperations, Map<string, Promise<string>>>();
  const describe = async (request: ApiRequest, { all }: AccountOperations): Promise<string> => {
    const runs: DescribedRun[] = [];
    for (const one of all) {
      await pauseIfBlocked();
      const operation = saved.runnable(request, one);
      if (operation !== null) runs.push({ name: one.name, description: one.description, operation });
    }
    return JSON.stringify(await describeRuns(runs, description));
  };
  return async (request) => {
    const operations = await saved.of(request);
    const texts = known.get(operations) ?? new Map<string, Promise<string>>();
    known.set(operations, texts);
    const rights = nameFor('rights', ...[...request.actor.permissions].sort());
    const text = texts.get(rights) ?? describe(request, operations);
    texts.set(rights, text);
    text.catch(() => texts.delete(rights));
    return text;
  };
}
