import { announceAll } from './bus.ts';
import { accountHeaders } from './client.ts';
import { Fault } from './faults.ts';

export type Variables = Readonly<Record<string, unknown>>;

interface Named {
  readonly name: string;
  readonly kind: string;
  readonly path: string;
}

/** Returns the object in a text; null if it is none. */
export function parseVariables(text: string): Variables | null {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Values of scalars, to begin with. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...{ String: '', ID: '1', Int: 10, Float: 1, Boolean: true },
  ...{ URL: 'https://example.com/', DateTime: '2027-01-01T00:00:00Z', Date: '2027-01-01' },
};

/** Returns variables to begin with: a value for each one that has to be given. */
export function exampleVariables(
  variables: readonly { readonly name: string; readonly type: string; readonly isRequired: boolean }[],
): string {
  const required = variables.filter(({ isRequired }) => isRequired);
  const exampleOf = (type: string) => (type.startsWith('[') ? [] : (EXAMPLES[type.replace('!', '')] ?? {}));
  return JSON.stringify(
    Object.fromEntries(required.map(({ name, type }) => [name, exampleOf(type)])),
    null,
    2,
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** Returns a line for a shell that runs an operation. The key is left to fill in. */
export function curlLine({ kind, path }: Named, variables: Variables): string {
  const url = `${location.origin}${path}`;
  const key = '-H "Authorization: Bearer $LINKSPACE_KEY"';
  if (kind === 'QUERY' && Object.values(variables).every(isPlain)) {
    const query = new URLSearchParams(
      Object.entries(variables).map(([name, value]) => [name, String(value)]),
    );
    return `curl ${key} ${quoted(query.size > 0 ? `${url}?${query}` : url)}`;
  }
  return `curl ${key} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(variables))} ${quoted(url)}`;
}

/** Returns the call of an operation by the typed client. */
export function clientCode({ name, kind }: Named, variables: Variables): string {
  const document = `{ documentId: '${name}', kind: '${kind}' }`;
  return `await client.request(${document}, ${JSON.stringify(variables)});`;
}

/** Runs an operation, and returns the answer as it comes. @throws Fault without one */
export async function runOperation(
  accountId: string,
  { name, kind }: Named,
  variables: Variables,
): Promise<unknown> {
  try {
    const response = await fetch('/graphql', {
      ...{ method: 'POST', cache: 'no-store', body: JSON.stringify({ documentId: name, variables }) },
      headers: {
        ...accountHeaders(accountId),
        'Content-Type': 'application/json',
        Accept: 'application/json',
      },
    });
    const answer: unknown = await response.json();
    if (kind === 'MUTATION') announceAll();
    return answer;
  } catch (error) {
    throw new Fault('away', String(error), 1);
  }
}
