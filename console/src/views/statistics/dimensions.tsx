import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { focusNow } from '../../app/focus.ts';
import { Button } from '../../controls/button.tsx';
import { isPhone } from '../../controls/phone.ts';
import { Segments } from '../../controls/segments.tsx';
import { useRead } from '../../data/read.ts';
import { type StatisticsDimension, TopOfDocument } from '../../generated/documents.ts';
import { Unread } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { asCountedShare, inDigits } from '../../words/format.ts';
import { AllVisitors } from './all-visitors.tsx';
import { Bars } from './bars.tsx';
import { CompareMark } from './compare-mark.tsx';
import { DownloadStatistics } from './download.tsx';
import { asking, type OwnerPeriod, readOwnerPart } from './owner.ts';
import { ValueMark } from './value-mark.tsx';
import { formatValue, TOP_LINKS, useChosen } from './values.ts';

const FEW = 6;
const MANY = 100;

/** The dimensions of each card. Only one link shows destinations: many links have as many as there are links. */
const cards: readonly (readonly StatisticsDimension[])[] = [
  ['COUNTRY', 'LANGUAGE'],
  ['REFERRER', 'DESTINATION'],
  ['DEVICE', 'OS', 'BROWSER'],
];

export function Dimensions({ owner, period }: OwnerPeriod): ReactElement {
  return (
    <>
      {cards.map((all) => (
        <Card
          key={all.join()}
          owner={owner}
          period={period}
          all={all.filter((one) => owner.kind === 'link' || one !== 'DESTINATION')}
        />
      ))}
    </>
  );
}

/** The values of one dimension, and tabs for its neighbours. */
function Card({ all, ...of }: OwnerPeriod & { all: readonly StatisticsDimension[] }): ReactElement {
  const [by = 'COUNTRY', setBy] = useState(all[0]);
  const t = texts.statistics;
  const title = t.dimensions[by];
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2 className={all.length > 1 ? 'unseen' : undefined}>{title}</h2>
        {all.length > 1 && (
          <Segments
            label={t.values}
            items={all.map((one) => ({ key: one, name: t.dimensions[one] }))}
            chosen={by}
            onChoose={setBy}
          />
        )}
        <DownloadStatistics {...of} name={by === 'OS' ? 'platform' : by.toLowerCase()} title={title} />
      </header>
      <AllVisitors />
      <Dimension key={by} {...of} by={by} />
    </section>
  );
}

/** The values with the most clicks, as bars. */
function Dimension({ owner, period, by }: OwnerPeriod & { by: StatisticsDimension }): ReactElement {
  const [isAll, setAll] = useState(false);
  const { data, fault, again } = useRead(
    TopOfDocument,
    { ...{ ...asking(owner), ...period, by, first: isAll ? MANY : FEW } },
    { on: ['CLICKS'] },
  );
  const { chosen, addressOf } = useChosen();
  const { clicks = 0, top: { rows, others } = { rows: [], others: 0 } } =
    readOwnerPart(data)?.statistics ?? {};
  const t = texts.statistics;
  const values = rows.map((row) => ({ ...row, name: formatValue(by, row.value), isRest: false }));
  const recorded = rows.reduce((sum, row) => sum + row.clicks, others);
  const rest = [
    { value: null, name: t.others, clicks: others, isRest: true },
    { value: null, name: t.unrecorded, clicks: clicks - recorded, isRest: true },
  ];
  const listed = [...values, ...rest.filter((row) => row.clicks > 0)];
  const most = Math.max(...listed.map((row) => row.clicks), 1);
  return (
    <>
      {fault && <Unread fault={fault} again={again} isKept={data !== undefined} />}
      {data && listed.length === 0 && <p className="quiet">{t.nothing}</p>}
      <Bars figure={listed.length > 0 ? t.share : undefined}>
        {listed.map((row) => (
          <li key={row.value ?? ` ${row.name}`} className={row.isRest ? 'rest' : undefined}>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect width={(row.clicks / most) * 100} height="1" />
            </svg>
            {row.isRest ? <i className="mark" /> : <ValueMark by={by} value={row.value} />}
            {owner.kind === 'link' || row.isRest ? (
              <span className="name cut" title={row.name}>
                <bdi>{row.name}</bdi>
              </span>
            ) : (
              <Link
                href={addressOf({ dimension: by, value: row.value })}
                className="name cut"
                title={t.topLinksOf(row.name)}
                aria-current={
                  chosen?.dimension === by && (chosen.value ?? null) === row.value ? 'true' : undefined
                }
                onClick={() => {
                  focusNow(TOP_LINKS);
                  // On phones, neither the figures nor the filters would be in sight.
                  if (isPhone()) document.querySelector('.filters')?.scrollIntoView({ block: 'nearest' });
                }}
              >
                <bdi>{row.name}</bdi>
              </Link>
            )}
            <b>{inDigits(row.clicks)}</b>
            <span className="quiet">{clicks > 0 && asCountedShare(row.clicks / clicks)}</span>
            {!row.isRest && (
              <CompareMark
                owner={owner}
                line={{ kind: 'value', dimension: by, value: row.value }}
                name={row.name}
              />
            )}
          </li>
        ))}
      </Bars>
      {(others > 0 || isAll) && (
        <Button look="text" text={isAll ? t.fewer : t.more} onClick={() => setAll(!isAll)} />
      )}
    </>
  );
}
