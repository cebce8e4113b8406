import { type ReactElement, useState } from 'react';
import { useRead } from '../../data/read.ts';
import { LinkTopDocument, type StatisticsDimension } from '../../generated/documents.ts';
import { asShare, countryName, inDigits, languageName, withoutScheme } from '../../parts/format.ts';
import { FaultNotice } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import type { Period } from './period.ts';

const dimensions: readonly StatisticsDimension[] = [
  ...(['COUNTRY', 'REFERRER', 'DEVICE', 'OS', 'BROWSER', 'LANGUAGE', 'DESTINATION'] as const),
];
const FEW = 6;
const MANY = 100;

function nameOf(by: StatisticsDimension, value: string | null): string {
  const t = texts.statistics;
  if (value === null) return by === 'REFERRER' ? t.direct : t.unknown;
  if (by === 'COUNTRY') return countryName(value);
  if (by === 'LANGUAGE') return languageName(value);
  if (by === 'DEVICE') return t.devices[value] ?? value;
  return by === 'DESTINATION' ? withoutScheme(value) : value;
}

export function Dimensions({ id, period }: { id: string; period: Period }): ReactElement {
  return (
    <div className="dimensions">
      {dimensions.map((by) => (
        <Dimension key={by} id={id} period={period} by={by} />
      ))}
    </div>
  );
}

/** The values with the most clicks, as bars. */
function Dimension({
  id,
  period,
  by,
}: {
  id: string;
  period: Period;
  by: StatisticsDimension;
}): ReactElement {
  const [isAll, setAll] = useState(false);
  const { data, fault, again } = useRead(LinkTopDocument, { id, ...period, by, first: isAll ? MANY : FEW });
  const { clicks = 0, top: { rows, others } = { rows: [], others: 0 } } = data?.link?.statistics ?? {};
  const t = texts.statistics;
  const values = rows.map((row) => ({ ...row, name: nameOf(by, row.value), isRest: false }));
  const recorded = rows.reduce((sum, row) => sum + row.clicks, others);
  const rest = [
    { value: null, name: t.others, clicks: others, isRest: true },
    { value: null, name: t.unrecorded, clicks: clicks - recorded, isRest: true },
  ];
  const listed = [...values, ...rest.filter((row) => row.clicks > 0)];
  const most = Math.max(...listed.map((row) => row.clicks), 1);
  return (
    <section className="card" aria-label={t.dimensions[by]}>
      <h2>{t.dimensions[by]}</h2>
      {fault && <FaultNotice fault={fault} again={again} />}
      {data && listed.length === 0 && <p className="quiet">{t.nothing}</p>}
      <ul className="bars">
        {listed.map((row) => (
          <li key={row.value ?? ` ${row.name}`} className={row.isRest ? 'rest' : undefined}>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect width={(row.clicks / most) * 100} height="1" />
            </svg>
            <span className="name" title={row.value ?? row.name}>
              {row.name}
            </span>
            <b>{inDigits(row.clicks)}</b>
            <span className="quiet">{clicks > 0 && asShare(row.clicks / clicks)}</span>
          </li>
        ))}
      </ul>
      {(others > 0 || isAll) && (
        <button type="button" className="button text" onClick={() => setAll(!isAll)}>
          {isAll ? t.fewer : t.more}
        </button>
      )}
    </section>
  );
}
