import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { texts } from '../texts.ts';

/** The numbers of a space or a tag: its links, which lead to their list, and its clicks, which lead to its statistics. */
export function Figures({
  of: { links, statistics },
  list,
  page,
}: {
  of: { readonly links: { readonly totalCount: number }; readonly statistics: { readonly clicks: number } };
  list: string;
  page: string;
}): ReactElement {
  return (
    <span className="quiet">
      <Link href={list} className="quiet">
        {texts.tags.total(links.totalCount, false)}
      </Link>
      {' · '}
      <Link href={page} className="quiet">
        {texts.spaces.clicks(statistics.clicks)}
      </Link>
    </span>
  );
}
