import { type ReactElement, useSyncExternalStore } from 'react';
import type { StatisticsDimension } from '../../generated/documents.ts';
import { tileOf } from '../../parts/address-parts.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { lateFlags, loadInSight } from './late-flags.ts';

interface ValueMarkProps {
  readonly by: StatisticsDimension;
  readonly value: string | null;
}

const devices: Readonly<Partial<Record<string, IconName>>> = {
  ...{ desktop: 'system', mobile: 'phone', tablet: 'tablet', other: 'more' },
};

/** A mark before a value: a flag, the picture of a device, the code of a language, or the first letter of a name in a colour of its own. */
export function ValueMark({ by, value }: ValueMarkProps): ReactElement {
  if (value === null) return <Letters look="">?</Letters>;
  if (by === 'COUNTRY') return <Flag code={value} />;
  if (by === 'LANGUAGE') return <Letters look="letters">{value.toUpperCase()}</Letters>;
  const device = by === 'DEVICE' && devices[value];
  if (device)
    return (
      <i className="mark">
        <Icon name={device} />
      </i>
    );
  // As in the list of links, where hosts have such tiles.
  const { letter, color } = tileOf(value);
  return <Letters look={`c${color}`}>{letter}</Letters>;
}

/** Letters that the style sheet draws: they are no part of the text. */
const Letters = ({ look, children }: { look: string; children: string }): ReactElement => (
  <i className={`mark ${look}`} data-letters={children} aria-hidden="true" />
);

/** The flag of a country, or its code if it has none. Its box waits for the flags. Emoji would have none on Windows. */
function Flag({ code }: { code: string }): ReactElement {
  const flags = useSyncExternalStore(lateFlags.subscribe, lateFlags.get);
  const drawing = flags?.[code];
  return drawing ? (
    <img className="mark flag" src={`data:image/svg+xml,${encodeURIComponent(drawing)}`} alt="" />
  ) : (
    <span ref={loadInSight}>
      <Letters look={flags ? 'letters' : 'flag'}>{flags ? code : ''}</Letters>
    </span>
  );
}
