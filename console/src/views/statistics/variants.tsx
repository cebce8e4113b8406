import type { ReactElement } from 'react';
import { useRead } from '../../data/read.ts';
import { ownName, targetName } from '../../data/rule-words.ts';
import {
  type LinkRulesFragment,
  VariantsOfDocument,
  type VariantsOfQuery,
} from '../../generated/documents.ts';
import { addressText } from '../../parts/address.tsx';
import { Unread } from '../../parts/notice.tsx';
import { ruleTexts } from '../../rule-texts.ts';
import { texts } from '../../texts.ts';
import { asCountedShare, inDigits } from '../../words/format.ts';
import { isolated } from '../../words/isolated.ts';
import { Bars } from './bars.tsx';
import { DownloadStatistics } from './download.tsx';
import type { OwnerPeriod } from './owner.ts';

type Rules = LinkRulesFragment['rules'];
type Row = NonNullable<VariantsOfQuery['link']>['statistics']['top']['rows'][number];

interface Target {
  readonly id: string;
  readonly name: string;
  readonly clicks: number;
}

/** The clicks that a rule led, by its targets: present ones in their order, then former ones. */
interface Led {
  readonly id: string;
  readonly name: string;
  readonly clicks: number;
  readonly targets: readonly Target[];
}

/** The clicks of each rule, also of rules without any, and of former ones. */
function sumUp(rules: Rules, rows: readonly Row[]): Led[] {
  const t = ruleTexts;
  const formerIds = rows.flatMap(({ variant }) => variant?.ruleId ?? []);
  const ids = [...new Set([...rules.map(({ id }) => id), ...formerIds])];
  return ids.map((id) => {
    const rule = rules.find((one) => one.id === id);
    const own = rows.filter(({ variant }) => variant?.ruleId === id);
    const clicksOf = (targetId: string) =>
      own.find(({ variant }) => variant?.targetId === targetId)?.clicks ?? 0;
    const present = (rule?.to ?? []).map((target) => ({
      ...{ id: target.id, clicks: clicksOf(target.id) },
      name: ownName(target)
        ? `${isolated(target.name)} · ${addressText(target.url)}`
        : isolated(targetName(target)),
    }));
    const former = own.flatMap(({ variant, clicks }) => {
      const targetId = variant?.targetId ?? '';
      if (present.some((one) => one.id === targetId)) return [];
      return [{ id: targetId, clicks, name: t.formerTarget(targetId) }];
    });
    const targets = [...present, ...former];
    const clicks = targets.reduce((sum, one) => sum + one.clicks, 0);
    return { id, clicks, targets, name: rule?.name ?? t.formerRule(id) };
  });
}

/** The bars of a rule's targets, with their shares of its clicks. */
function RuleBars({ led: { name, clicks, targets }, most }: { led: Led; most: number }): ReactElement {
  return (
    <>
      <h3>
        <bdi>{name}</bdi> <span className="quiet">{texts.links.clicks(clicks)}</span>
      </h3>
      <Bars>
        {targets.map((target) => (
          <li key={target.id}>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect width={(target.clicks / most) * 100} height="1" />
            </svg>
            <span className="name cut" title={target.name}>
              {target.name}
            </span>
            <b>{inDigits(target.clicks)}</b>
            <span className="quiet">{clicks > 0 && asCountedShare(target.clicks / clicks)}</span>
          </li>
        ))}
      </Bars>
    </>
  );
}

/** The clicks by rule and target; nothing for a link that has and had no rules. */
export function Variants({ owner, period, rules }: OwnerPeriod & { rules: Rules }): ReactElement | null {
  const { data, fault, again } = useRead(VariantsOfDocument, { id: owner.id, ...period }, { on: ['CLICKS'] });
  const { clicks = 0, top } = data?.link?.statistics ?? {};
  const led = sumUp(rules, top?.rows ?? []);
  if (led.length === 0) return null;
  const t = texts.statistics;
  const most = Math.max(1, ...led.flatMap(({ targets }) => targets.map((one) => one.clicks)));
  const rest = clicks - led.reduce((sum, one) => sum + one.clicks, 0);
  const title = t.dimensions.VARIANT;
  return (
    <section className="card variants" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <DownloadStatistics owner={owner} period={period} name="variant" title={title} />
      </header>
      {fault && <Unread fault={fault} again={again} isKept={data !== undefined} />}
      {data && led.map((one) => <RuleBars key={one.id} led={one} most={most} />)}
      {data && rest > 0 && (
        <p className="hint">
          {texts.links.clicks(rest)}: {ruleTexts.notLed}
        </p>
      )}
      {data && led.some(({ targets }) => targets.length > 1) && <p className="hint">{ruleTexts.noWinner}</p>}
    </section>
  );
}
