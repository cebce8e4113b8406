import { type ReactElement, type ReactNode, useRef } from 'react';
import { Button } from '../../controls/button.tsx';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { LinksExactTotalDocument } from '../../generated/documents.ts';
import { texts } from '../../texts.ts';
import { type ListProps, SelectedBar } from './selected-bar.tsx';
import { useTotal } from './use-links.ts';

/** The line above the list: the number of its links with its actions, or that of the selected links with theirs. */
export function BulkBar({
  list,
  isLoading,
  going,
  children,
  ...props
}: ListProps & {
  /** A name that no other list has. */
  list: string;
  /** True while the links are still those of another list. */
  isLoading: boolean;
  /** The number of its links that are hidden, since they are about to be deleted. */
  going: number;
  /** The actions of the list. */
  children: ReactNode;
}): ReactElement {
  const { selection, links, filter } = props;
  const { canWrite } = useSession();
  const { total: counted, isCut, isLoading: isCounting } = useTotal(filter);
  // A selection of all shows its exact number.
  const exact = useRead(LinksExactTotalDocument, { filter }, { pause: !(selection.isAll && isCut) });
  const total = exact.data?.linkPage.total ?? counted ?? 0;
  const told = counted === null ? '' : texts.tags.total(counted - (isCut ? 0 : going), isCut);
  const isSelecting = selection.links.length > 0 || selection.isAll;
  const hidden = selection.links.filter(({ id }) => links.every((one) => one.id !== id)).length;
  const count = selection.isAll ? total : selection.links.length;
  // List and number may arrive in any order: both change together, so that the number is announced once.
  const known = useRef({ list, told });
  if (!isLoading && !isCounting) known.current = { list, told };
  const t = texts.bulk;
  return (
    <>
      <section
        className={isSelecting ? 'bulk' : links.length === 0 ? 'unseen' : 'above-links'}
        aria-label={isSelecting ? t.name : undefined}
      >
        {/* Rendered empty first, and anew for another list, so that screen readers announce it, also if the number is equal. */}
        <b className={isSelecting ? undefined : 'quiet'} role="status">
          <span key={known.current.list}>{isSelecting ? t.selected(count, hidden) : known.current.told}</span>
        </b>
        {isSelecting ? (
          <SelectedBar {...props} {...{ total, isCut, count }} />
        ) : (
          <>
            {canWrite && links.length > 0 && (
              <Button look="text small" text={t.page} onClick={() => selection.togglePage()} />
            )}
            <span className="grow" />
            {links.length > 0 && children}
          </>
        )}
      </section>
      {/* On phones, the bar is at the bottom of the screen. */}
      {isSelecting && (
        <p className="above-links still quiet" aria-hidden="true">
          {told}
        </p>
      )}
    </>
  );
}
