import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { withoutScheme } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { QrCode, QrFiles } from '../../parts/qr.tsx';
import { texts } from '../../texts.ts';

/** The link that was just made: what people want of it at once. */
export function Created({ link, onClose }: { link: LinkWholeFragment; onClose: () => void }): ReactElement {
  const t = texts.newLink;
  return (
    <div className="created" role="status">
      <QrCode text={link.shortUrl} />
      <div>
        <p className="quiet">{t.ready}</p>
        <p className="short-url">
          <a href={link.shortUrl} target="_blank" rel="noreferrer">
            {withoutScheme(link.shortUrl)}
          </a>
        </p>
        <p className="quiet cut" title={link.url}>
          {withoutScheme(link.url)}
        </p>
        <div className="buttons">
          <CopyButton text={link.shortUrl} wide />
          <Link href={`/links/${link.id}`} className="button quiet">
            {texts.links.edit}
          </Link>
          <QrFiles shortUrl={link.shortUrl} />
        </div>
      </div>
      <button type="button" className="bare" aria-label={texts.close} onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}
