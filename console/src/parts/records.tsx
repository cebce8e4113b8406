import type { ReactElement, ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';

/** The head of a view of records, with a button for a new one. */
export function RecordsHead({
  title,
  lead,
  create,
  onCreate,
}: {
  title: string;
  lead: string;
  create?: string | undefined;
  onCreate?: () => void;
}): ReactElement {
  return (
    <header className="page-head">
      <div>
        <h1>{title}</h1>
        <p className="quiet">{lead}</p>
      </div>
      {create !== undefined && (
        <button type="button" className="button" onClick={onCreate}>
          <Icon name="plus" />
          {create}
        </button>
      )}
    </header>
  );
}

/** Records as cards in a list. */
export function Records({ children }: { children: ReactNode }): ReactElement {
  return <ul className="records">{children}</ul>;
}

/** The links to further records. */
export function MorePages({
  hasNext,
  isFirst,
  onFirst,
  onNext,
}: {
  hasNext: boolean;
  isFirst: boolean;
  onFirst: () => void;
  onNext: () => void;
}): ReactElement | null {
  if (!hasNext && isFirst) return null;
  return (
    <nav className="pager" aria-label={texts.pages.all}>
      <button type="button" className="button quiet" disabled={isFirst} onClick={onFirst}>
        {texts.pages.first}
      </button>
      <button type="button" className="button quiet" disabled={!hasNext} onClick={onNext}>
        {texts.pages.next}
      </button>
    </nav>
  );
}
