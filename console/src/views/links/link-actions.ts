import { focusRow } from '../../app/focus.ts';
import { overList } from '../../app/over-list.ts';
import type { MenuItem } from '../../controls/menu-item.tsx';
import { deleteLater, duplicateLink, setArchived, setDisabled } from '../../data/actions.ts';
import type { Session } from '../../data/session.ts';
import { showToast } from '../../data/toasts.ts';
import type { LinkRowFragment } from '../../generated/documents.ts';
import { copyText } from '../../parts/copy.tsx';
import { publicItems } from '../../parts/public-page.tsx';
import { texts } from '../../texts.ts';

interface Around {
  readonly session: Session;
  /** The query string of the list, for the way back. */
  readonly query: string;
  navigate(path: string, options?: { readonly state: unknown }): void;
  onQr(): void;
  /** Called once the link is about to be deleted. */
  onDelete?(): void;
}

/** An action, by a name that no language changes. */
export type LinkAction = MenuItem & { readonly id: string };

/** The actions of a link that its reader or editor has, in the order of menus: deleting is the last. */
export function linkActions(
  link: LinkRowFragment,
  { session, query, navigate, onQr, onDelete }: Around,
): LinkAction[] {
  const { canWrite } = session;
  const t = texts.links;
  const copy = async () => void ((await copyText(link.shortUrl)) && showToast(texts.copied));
  const open = (id: string) => navigate(`/links/${id}${query}`, { state: overList });
  const remove = () => {
    deleteLater(session, [link], focusRow);
    onDelete?.();
  };
  const reading: readonly LinkAction[] = [
    { id: 'copy', name: t.copy, icon: 'copy', shortcut: 'c', run: copy },
    { id: 'qr', name: t.qr, icon: 'qr', shortcut: 'q', run: onQr },
    {
      ...{ id: 'edit', name: canWrite ? t.edit : t.details, icon: canWrite ? 'edit' : 'next' },
      ...{ shortcut: 'e', run: () => open(link.id) },
    },
    {
      ...{ id: 'statistics', name: t.statistics, icon: 'overview', begins: true },
      run: () => navigate(`/links/${link.id}/statistics${query}`),
    },
    ...publicItems(link).map((item) => ({ id: 'public', ...item })),
    { id: 'visit', name: t.visit, icon: 'open', href: link.shortUrl },
  ];
  const writing: readonly LinkAction[] = [
    {
      ...{ id: 'power', name: link.disabled ? t.enable : t.disable, icon: 'power' },
      ...{ shortcut: 'd', begins: true },
      run: () => void setDisabled(session, link, !link.disabled, focusRow),
    },
    {
      ...{ id: 'archive', name: link.archived ? t.unarchive : t.archive, icon: 'archive' },
      run: () => void setArchived(session, link, !link.archived, focusRow),
    },
    {
      ...{ id: 'duplicate', name: t.duplicate, icon: 'duplicate' },
      run: () => void duplicateLink(session, link, open),
    },
    { id: 'delete', name: t.delete, icon: 'trash', danger: true, begins: true, run: remove },
  ];
  return [...reading, ...(canWrite ? writing : [])];
}
