import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { useShortcuts } from '../../app/shortcuts.ts';
import { Button, IconButton } from '../../controls/button.tsx';
import { hasEnded } from '../../data/ending.ts';
import { namedUrl } from '../../data/link-fields.ts';
import type { LinkRowFragment } from '../../generated/documents.ts';
import { Address, addressText } from '../../parts/address.tsx';
import { StatusBadge, TargetsBadge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { QrCode, QrDialog } from '../../parts/qr-lazily.tsx';
import { texts } from '../../texts.ts';
import { shortUrlText } from '../../words/format.ts';

/** The links that were just made, with the actions that people want at once. */
export function Created({
  links,
  onClose,
}: {
  links: readonly LinkRowFragment[];
  onClose: () => void;
}): ReactElement {
  const [link, ...others] = links;
  useShortcuts({ Escape: onClose });
  const t = texts.newLink;
  const ready = link?.domain.verified === false ? t.unverified : link && hasEnded(link) ? t.ended : t.ready;
  return (
    // Its name is heard as the focus comes in.
    <section
      className={others.length > 0 ? 'created many' : 'created'}
      aria-label={others.length > 0 ? texts.utm.madeMany(links.length) : ready}
    >
      {link && others.length === 0 ? <One link={link} ready={ready} /> : <Several links={links} />}
      <IconButton icon="close" name={texts.close} onClick={onClose} />
    </section>
  );
}

const ShortUrl = ({ link: { shortUrl } }: { link: LinkRowFragment }): ReactElement => (
  <a href={shortUrl} target="_blank" rel="noreferrer">
    {shortUrlText(shortUrl)}
  </a>
);

function One({ link, ready }: { link: LinkRowFragment; ready: string }): ReactElement {
  const [isQr, setQr] = useState(false);
  return (
    <>
      <QrCode text={link.shortUrl} />
      <div>
        <p className="quiet">{ready}</p>
        <p className="short-url">
          <ShortUrl link={link} />
        </p>
        <p className="quiet cut" title={addressText(namedUrl(link))}>
          <Address of={namedUrl(link)} />
        </p>
        <p className="marks">
          <StatusBadge link={link} />
          <TargetsBadge link={link} />
        </p>
        <div className="buttons">
          <CopyButton text={link.shortUrl} wide primary />
          <Link href={`/links/${link.id}`} className="button quiet">
            {texts.links.edit}
          </Link>
          <Button look="quiet" icon="qr" text={texts.qr.title} onClick={() => setQr(true)} />
        </div>
      </div>
      {isQr && <QrDialog shortUrl={link.shortUrl} onClose={() => setQr(false)} />}
    </>
  );
}

function Several({ links }: { links: readonly LinkRowFragment[] }): ReactElement {
  return (
    <div>
      <h2>{texts.utm.madeMany(links.length)}</h2>
      <ul>
        {links.map((link) => (
          <li key={link.id}>
            <ShortUrl link={link} /> <CopyButton text={link.shortUrl} />
            <p className="quiet cut" title={addressText(namedUrl(link))}>
              <Address of={namedUrl(link)} />
            </p>
          </li>
        ))}
      </ul>
      <div className="buttons">
        <CopyButton
          text={links.map(({ shortUrl }) => shortUrl).join('\n')}
          label={texts.utm.copyAll}
          wide
          primary
        />
      </div>
    </div>
  );
}
