import type { ReactElement } from 'react';
import type { MenuItem } from '../controls/menu-item.tsx';
import type { LinkRowFragment } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { withoutScheme } from '../words/format.ts';
import { CopyButton } from './copy.tsx';

type Shown = Pick<LinkRowFragment, 'shortUrl' | 'privacy'>;

const toStatisticsUrl = ({ shortUrl }: Shown): string => `${shortUrl}+`;
const isPublic = ({ privacy }: Shown): boolean => privacy !== 'PRIVATE';

/** Opens the public statistics page, if there is one. */
export const publicItems = (link: Shown): MenuItem[] =>
  isPublic(link) ? [{ name: texts.links.publicStatistics, icon: 'eye', href: toStatisticsUrl(link) }] : [];

/** The address of that page, to open and to copy. */
export function PublicPage({ link }: { link: Shown }): ReactElement | null {
  if (!isPublic(link)) return null;
  const address = toStatisticsUrl(link);
  return (
    <p className="hint">
      {texts.form.publicPage}{' '}
      <a href={address} target="_blank" rel="noreferrer">
        {withoutScheme(address)}
      </a>{' '}
      <CopyButton text={address} />
    </p>
  );
}
