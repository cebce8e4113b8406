import type { ReactElement } from 'react';
import { lazily } from '../parts/lazily.tsx';
import { texts } from '../texts.ts';
import { betweenUtcDays } from '../words/format.ts';
import type { Days } from './days.ts';
import type { PanelProps } from './period-panel.tsx';
import { Popover } from './popover.tsx';

const Panel = lazily(
  async () => (await import('./period-panel.tsx')).PeriodPanel,
  <div className="period" />,
);

const equalDays = (a: Days, b: Days): boolean => a.from === b.from && a.to === b.to && a.days === b.days;

/** The days in words, of which one end may be open. */
function inWords({ from, to }: Days): string {
  const days = betweenUtcDays({ from: from || to, to: to || from });
  if (from && to) return days;
  return from ? texts.controls.from(days) : texts.controls.until(days);
}

/** A button that says the chosen period, and opens usual periods and a calendar. */
export function PeriodPicker({
  label,
  isSet,
  ...panel
}: Omit<PanelProps, 'onClose' | 'preset'> & { label: string; isSet: boolean }): ReactElement {
  const { presets, from, to } = panel;
  const preset = presets.findIndex(({ of }) => equalDays(of, panel));
  const text = presets[preset]?.name ?? inWords({ from, to });
  return (
    <Popover
      label={texts.labelled(label, text)}
      look={isSet ? 'filter set' : 'filter'}
      button={<span className="cut">{text}</span>}
      onNear={Panel.preload}
    >
      {(close) => <Panel {...panel} preset={preset} onClose={close} />}
    </Popover>
  );
}
