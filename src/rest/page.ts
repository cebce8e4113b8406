import type { Page } from '../domain/pagination.ts';
import { type Answer, success } from './answer.ts';
import type { RequestUrl } from './route.ts';

/** The URL of another page, with all other parameters of the request. */
function urlOf({ path, query }: RequestUrl, page: number): string {
  const parameters = new URLSearchParams(query);
  parameters.set('page', String(page));
  return `${path}?${parameters}`;
}

/** A list in v1's form. `from` and `to` are null on an empty page. */
export function encodePage<Item>(page: Page<Item>, encode: (item: Item) => object, url: RequestUrl): Answer {
  const { items, total, page: current, perPage, pageCount: last } = page;
  const before = (current - 1) * perPage;
  return success({
    data: items.map(encode),
    links: {
      first: urlOf(url, 1),
      last: urlOf(url, last),
      prev: current > 1 ? urlOf(url, current - 1) : null,
      next: current < last ? urlOf(url, current + 1) : null,
    },
    meta: {
      current_page: current,
      from: items.length > 0 ? before + 1 : null,
      last_page: last,
      path: url.path,
      per_page: perPage,
      to: items.length > 0 ? before + items.length : null,
      total,
    },
  });
}
