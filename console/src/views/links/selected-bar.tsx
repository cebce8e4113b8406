import type { ReactElement } from 'react';
import { Button, IconButton } from '../../controls/button.tsx';
import { Menu } from '../../controls/menu.tsx';
import type { MenuItem } from '../../controls/menu-item.tsx';
import { isPhone } from '../../controls/phone.ts';
import type { BulkAction } from '../../data/many-links.ts';
import type { LinkFilter, LinkRowFragment } from '../../generated/documents.ts';
import { CopyButton } from '../../parts/copy.tsx';
import type { IconName } from '../../parts/icon.tsx';
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
  const all = isCut ? texts.tags.allOfMany : t.all(inDigits(total));
  const isAllLeft = isPage && !selection.isAll && total > links.length;
  const select = {
    name: isPage ? all : t.page,
    icon: 'check',
    run: isPage ? selection.selectAll : selection.togglePage,
  } as const;
  const open = (selector: string, opened: Bulk['opened']) => () => {
    bulk.press(selector);
    bulk.open(opened);
  };
  const dialogs = [
    { what: 'space', icon: 'space', name: t.move },
    { what: 'tags', icon: 'tag', name: texts.tags.bulk },
    { what: 'utm', icon: 'template', name: texts.utm.bulk },
    { what: 'expiry', icon: 'calendar', name: texts.form.expiry },
  ] as const;
  // On phones, styles hide them in the line.
  const hidden: MenuItem[] = isPhone()
    ? [
        ...dialogs.map(({ what, ...item }) => ({ ...item, run: open('.bulk > [aria-haspopup]', what) })),
        ...(isPage && !isAllLeft ? [] : [select]),
      ]
    : [];
  return (
    <>
      <div className="acts">
        {(!isPage || isAllLeft) && <Button look="text" text={select.name} onClick={select.run} />}
        <span className="grow" />
        {!selection.isAll && (
          <CopyButton
            text={selection.links.map(({ shortUrl }) => shortUrl).join('\n')}
            label={texts.copy}
            wide
          />
        )}
        {dialogs.map(({ what, name }) => (
          <Button
            key={what}
            id={`bulk-${what}`}
            look="quiet small"
            text={name}
            onClick={open(`#bulk-${what}`, what)}
          />
        ))}
      </div>
      <Menu label={texts.links.actionsOf(t.name)} items={[...hidden, ...rareDeeds(bulk, selection)]} />
      <IconButton icon="close" name={t.clear} onClick={() => bulk.goOn(true)} />
      <BulkDialogs {...{ bulk, selection, links, count }} />
    </>
  );
}

/** The actions of the menu: those that change a selected link. Of links on other pages nothing is known. */
function rareDeeds({ press, begin }: Bulk, { links, isAll }: Selection): MenuItem[] {
  const t = texts.links;
  const deeds: [
    name: string,
    icon: IconName,
    action: BulkAction,
    isOf: (link: LinkRowFragment) => boolean,
  ][] = [
    [t.disable, 'power', { update: { disabled: true } }, ({ disabled }) => !disabled],
    [t.enable, 'power', { update: { disabled: false } }, ({ disabled }) => disabled],
    [t.archive, 'archive', { update: { archived: true } }, ({ archived }) => !archived],
    [t.unarchive, 'archive', { update: { archived: false } }, ({ archived }) => archived],
    [texts.delete, 'trash', { delete: true }, () => true],
  ];
  return deeds
    .filter(([, , , isOf]) => isAll || links.some(isOf))
    .map(([name, icon, action]) => ({
      ...{ name, icon, danger: 'delete' in action, begins: 'delete' in action },
      run: () => {
        press('.bulk > [aria-haspopup]');
        begin(action);
      },
    }));
}
