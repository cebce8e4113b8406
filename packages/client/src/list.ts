import type { List, Method, Page, ReadOptions } from './methods.ts';
import type { Sender } from './send.ts';

/** The longest page of the service. */
const LONGEST = 100;

/** Follows the fields to the result; null if one of them is null. */
export function pick(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : null),
    data,
  );
}

export function createList(
  sender: Sender,
  { text, count = '', path }: Method,
  variables: object,
  { signal }: ReadOptions,
): List<unknown> {
  const read = async (query: string, more: object): Promise<unknown> => {
    const sent = { query, variables: { ...variables, ...more } };
    const { data } = await sender.send(sent, { isWrite: false, key: null, signal });
    return pick(data, path);
  };
  // The document asks for these fields.
  const page: List<unknown>['page'] = async (asked = {}) => (await read(text, asked)) as Page<unknown>;
  return {
    page,
    totalCount: async () => Number(pick(await read(count, {}), ['totalCount'])),
    async *[Symbol.asyncIterator]() {
      for (let after: string | null = null; ; ) {
        const { nodes, pageInfo } = await page({ first: LONGEST, after });
        yield* nodes;
        after = pageInfo.endCursor;
        if (!pageInfo.hasNextPage || after === null) return;
      }
    },
  };
}
