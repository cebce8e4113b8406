import type { ReactElement } from 'react';
import type { StatisticsDimension } from '../../generated/documents.ts';

/** A mark before a value: the code of a country or language, else a letter; in a colour of its own. */
export function ValueMark({
  by,
  value,
  name,
}: {
  by: StatisticsDimension;
  value: string | null;
  name: string;
}): ReactElement {
  const isCode = value !== null && (by === 'COUNTRY' || by === 'LANGUAGE');
  const sum = [...(value ?? '')].reduce((all, letter) => all + (letter.codePointAt(0) ?? 0), 0);
  const [letter = ''] = value === null ? ['?'] : (name.match(/[\p{L}\p{N}]/u) ?? []);
  return (
    <i
      className={`mark${isCode ? ' letters' : ''}${value === null || isCode ? '' : ` c${(sum % 6) + 1}`}`}
      aria-hidden="true"
    >
      {isCode ? value.slice(0, 2).toUpperCase() : letter.toLocaleUpperCase()}
    </i>
  );
}
