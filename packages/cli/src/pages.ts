import type { List } from '@linkspace/client';

/** The longest page of the service. */
const LONGEST = 100;

/** Returns the first records of a list, or all of them without a limit. A short list is read as one page. */
export async function take<Item>(list: List<Item>, limit: number | null): Promise<readonly Item[]> {
  if (limit !== null && limit <= LONGEST) return (await list.page({ first: limit })).nodes;
  const items: Item[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length === limit) break;
  }
  return items;
}
