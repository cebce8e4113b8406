import { type ReactElement, useSyncExternalStore } from 'react';
import type { StatisticsDimension } from '../../generated/documents.ts';
import { lateFlags, loadInSight } from './late-flags.ts';

/** A mark before a value: a flag, the code of a language, or the first letter of a name in a colour of its own. */
export function ValueMark({
  by,
  value,
  name,
}: {
  by: StatisticsDimension;
  value: string | null;
  name: string;
}): ReactElement {
  if (value === null)
    return (
      <i className="mark" aria-hidden="true">
        ?
      </i>
    );
  if (by === 'COUNTRY') return <Flag code={value} />;
  if (by === 'LANGUAGE') return <Letters>{value}</Letters>;
  const sum = [...value].reduce((all, letter) => all + (letter.codePointAt(0) ?? 0), 0);
  const [letter = ''] = name.match(/[\p{L}\p{N}]/u) ?? [];
  return (
    <i className={`mark c${(sum % 6) + 1}`} aria-hidden="true">
      {letter.toLocaleUpperCase()}
    </i>
  );
}

const Letters = ({ children }: { children: string }): ReactElement => (
  <i className="mark letters" aria-hidden="true">
    {children.slice(0, 2).toUpperCase()}
  </i>
);

/** The flag of a country; its code until flags are loaded. Emoji would have none on Windows. */
function Flag({ code }: { code: string }): ReactElement {
  const flags = useSyncExternalStore(lateFlags.subscribe, lateFlags.get);
  const drawing = flags?.[code];
  if (drawing)
    return <img className="mark flag" src={`data:image/svg+xml,${encodeURIComponent(drawing)}`} alt="" />;
  return (
    <i className="mark letters" aria-hidden="true" ref={loadInSight}>
      {code}
    </i>
  );
}
