import type { ReactElement } from 'react';
import { Button, IconButton } from '../../controls/button.tsx';
import type { LinkFilter, LinkRowFragment } from '../../generated/documents.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { texts } from '../../texts.ts';
import { inDigits } from '../../words/format.ts';
import { BulkDialogs } from './bulk-dialogs.tsx';
import type { Selection } from './selection.ts';
import { type Bulk, useBulk } from './use-bulk.ts';

export interface ListProps {
  readonly selection: Selection;
  readonly links: readonly LinkRowFragment[];
  readonly filter: LinkFilter;
}

interface BarProps extends ListProps {
  /** The number of links in the list; `isCut` if it has more than are counted. */
  readonly total: number;
  readonly isCut: boolean;
  /** The number of selected links. */
  readonly count: number;
}

/** The actions on the selected links, or their progress. */
export function SelectedBar({ selection, links, filter, total, isCut, count }: BarProps): ReactElement {
  const bulk = useBulk(selection, filter, count, total);
  const t = texts.bulk;
  const isPage = links.length > 0 && links.every(({ id }) => selection.has(id));
  if (bulk.progress) return <ProgressBar progress={bulk.progress} name={t.working} onStop={bulk.stop} />;
  return (
    <>
      {!isPage && <Button look="text" text={t.page} onClick={() => selection.togglePage()} />}
      {isPage && !selection.isAll && total > links.length && (
        <Button
          look="text"
          text={isCut ? texts.tags.allOfMany : t.all(inDigits(total))}
          onClick={() => selection.selectAll()}
        />
      )}
      <span className="grow" />
      {!selection.isAll && (
        <CopyButton
          text={selection.links.map(({ shortUrl }) => shortUrl).join('\n')}
          label={texts.copy}
          wide
        />
      )}
      <Deeds bulk={bulk} />
      <IconButton icon="close" name={t.clear} onClick={() => bulk.goOn(true)} />
      <BulkDialogs {...{ bulk, selection, links, count }} />
    </>
  );
}

/** The buttons for what can be done with the selected links. */
function Deeds({ bulk }: { bulk: Bulk }): ReactElement[] {
  const { open, begin } = bulk;
  const deeds = [
    { id: 'bulk-move', name: texts.bulk.move, act: () => open('space') },
    { id: 'bulk-tags', name: texts.tags.bulk, act: () => open('tags') },
    { id: 'bulk-disable', name: texts.links.disable, act: () => begin({ update: { disabled: true } }) },
    { id: 'bulk-enable', name: texts.links.enable, act: () => begin({ update: { disabled: false } }) },
    { id: 'bulk-archive', name: texts.links.archive, act: () => begin({ update: { archived: true } }) },
    { id: 'bulk-unarchive', name: texts.links.unarchive, act: () => begin({ update: { archived: false } }) },
    { id: 'bulk-expiry', name: texts.form.expiry, act: () => open('expiry') },
    { id: 'bulk-utm', name: texts.utm.bulk, act: () => open('utm') },
    { id: 'bulk-delete', name: texts.delete, act: () => begin({ delete: true }), danger: true },
  ];
  return deeds.map(({ id, name, act, danger }) => (
    <Button
      key={id}
      id={id}
      look={danger ? 'quiet small danger' : 'quiet small'}
      text={name}
      onClick={() => {
        bulk.press(id);
        act();
      }}
    />
  ));
}
