import type { ReactElement } from 'react';
import { Select } from '../../controls/select.tsx';
import type { CheckedLines } from '../../data/checked-lines.ts';
import {
  type ColumnChoice,
  columnFields,
  examplesIn,
  fieldNamed,
  fieldsOf,
  hasColumns,
  withField,
} from '../../data/columns.ts';
import { namesIn } from '../../data/import.ts';
import { moreTexts } from '../../more-texts.ts';

/** The number of columns up to which they are shown at once. */
const FEW = 6;

/** The columns of a text with examples of their values, and a choice of the field that each is read as. */
export function ColumnsView({
  lines: { cut, mapping, checked, setMapping },
  isBusy,
}: {
  lines: CheckedLines;
  isBusy: boolean;
}): ReactElement | null {
  if (!hasColumns(cut)) return null;
  const t = moreTexts.columns;
  const names = namesIn(cut);
  const fields = fieldsOf(cut, mapping);
  const examples = examplesIn(cut);
  const isUnread = (name: string) => checked?.unusedColumns.includes(name) === true;
  const choose = (index: number, text: string) => {
    const chosen = columnFields.find((one) => one === text) ?? (text === 'none' ? 'none' : null);
    setMapping(withField(cut, fields, index, chosen));
  };
  const toValue = (name: string, field: ColumnChoice) =>
    field ?? (isUnread(name) ? 'none' : (cut.format === 'CSV' && fieldNamed(name)) || '');
  return (
    <details className="columns" open={names.length <= FEW || names.some(isUnread)}>
      <summary>{t.title}</summary>
      <p className="hint">{t.hint}</p>
      <ul>
        {names.map((name, index) => {
          const title = name || t.column(index + 1);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
            <li key={index}>
              <b>
                <bdi>{title}</bdi>
              </b>
              <span className="quiet cut" title={t.examples}>
                {examples[index]?.join(' · ')}
              </span>
              <Select
                aria-label={t.readsAs(title)}
                value={toValue(name, fields[index] ?? null)}
                options={[
                  { value: '', text: t.byName },
                  ...columnFields.map((field) => ({ value: field, text: t.fields[field] })),
                  { value: 'none', text: t.none },
                ]}
                disabled={isBusy}
                onValue={(value) => choose(index, value)}
              />
            </li>
          );
        })}
      </ul>
    </details>
  );
}
