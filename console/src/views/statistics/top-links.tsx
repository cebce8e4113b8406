import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../controls/button.tsx';
import { useRead } from '../../data/read.ts';
import { TopLinksOfDocument } from '../../generated/documents.ts';
import { ShortUrl } from '../../parts/address.tsx';
import { Unread } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { inDigits, shortUrlText } from '../../words/format.ts';
import { Bars } from './bars.tsx';
import { lookOfChange } from './change.ts';
import { CompareMark } from './compare-mark.tsx';
import { DownloadStatistics } from './download.tsx';
import { withLines } from './lines.ts';
import { asking, type OwnerPeriod, readOwnerPart } from './owner.ts';
import type { Period } from './period.ts';
import { formatValue, TOP_LINKS, useChosen } from './values.ts';

const FEW = 10;
const MANY = 100;

/** The links with the most clicks, of all or of the chosen value. */
export function TopLinks({
  owner,
  period,
  earlier,
  isRunning,
}: OwnerPeriod & {
  /** The period that all clicks of each are compared with; the clicks of one value cannot be compared. */
  earlier: Period | undefined;
  /** True if the period has not ended. */
  isRunning: boolean;
}): ReactElement {
  const [isAll, setAll] = useState(false);
  const { chosen, addressOf } = useChosen();
  const { isLink: _, ...asked } = asking(owner);
  const { data, fault, isLoading, again } = useRead(
    TopLinksOfDocument,
    {
      ...{ ...asked, ...period, by: chosen, first: isAll ? MANY : FEW },
      ...{ beforeFrom: (earlier ?? period).from, beforeTo: (earlier ?? period).to },
      isCompared: earlier !== undefined && chosen === null,
    },
    { on: ['CLICKS'] },
  );
  const nodes = readOwnerPart(data)?.topLinks.nodes ?? [];
  const most = Math.max(...nodes.map(({ clicks }) => clicks), 1);
  const listed = nodes.map(({ link, clicks }) => ({
    ...{ link, clicks },
    change: link.before?.clicks ? lookOfChange(clicks / link.before.clicks - 1, isRunning) : undefined,
  }));
  const t = texts.statistics;
  const figure = isRunning ? `${t.change} (${t.running})` : t.change;
  // A link is shown for the same period, compared alike.
  const rest = withLines(addressOf(null).split('?')[1] ?? '', null);
  const title = chosen ? t.topLinksOf(formatValue(chosen.dimension, chosen.value ?? null)) : t.topLinks;
  return (
    <section className="card" id={TOP_LINKS.slice(1)} aria-label={title} aria-busy={isLoading} tabIndex={-1}>
      <header>
        <h2>{title}</h2>
        {!chosen && (
          <DownloadStatistics owner={owner} period={period} earlier={earlier} name="links" title={title} />
        )}
      </header>
      {fault && <Unread fault={fault} again={again} isKept={data !== undefined} />}
      {data && !isLoading && nodes.length === 0 && <p className="quiet">{t.noLinks}</p>}
      <Bars figure={nodes.some(({ link }) => link.before) ? figure : undefined}>
        {listed.map(({ link, clicks, change }) => (
          <li key={link.id}>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect width={(clicks / most) * 100} height="1" />
            </svg>
            <Link href={`/links/${link.id}/statistics${rest ? `?${rest}` : ''}`} className="name cut">
              <ShortUrl of={link.shortUrl} />
              {link.title !== null && (
                <span className="quiet">
                  {' '}
                  <bdi>{link.title}</bdi>
                </span>
              )}
            </Link>
            <b>{inDigits(clicks)}</b>
            {link.before && (
              <span
                className={`quiet ${change?.look ?? ''}`}
                title={t.comparedWith(inDigits(link.before.clicks))}
              >
                {change?.text ?? t.comparedWith(inDigits(0))}
              </span>
            )}
            <CompareMark
              owner={owner}
              line={{ kind: 'link', id: link.id }}
              name={shortUrlText(link.shortUrl)}
            />
          </li>
        ))}
      </Bars>
      {(nodes.length === FEW || isAll) && (
        <Button look="text" text={isAll ? t.fewer : t.more} onClick={() => setAll(!isAll)} />
      )}
    </section>
  );
}
