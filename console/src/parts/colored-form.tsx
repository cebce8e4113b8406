import { type ReactElement, useState } from 'react';
import { colors, nextColor } from '../data/named.ts';
import { useRead } from '../data/read.ts';
import type { Outcome } from '../data/refusals.ts';
import { ColorsDocument } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { NameField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import type { RecordFormProps } from './records-view.tsx';
import { useTexts } from './tied.ts';

/** The form of a space or a tag: its name and its colour. */
export function ColoredForm<Row extends { readonly name: string; readonly color: number }>({
  record,
  dialog,
  kind,
  words,
  save,
}: RecordFormProps<Row> & {
  kind: 'SPACE' | 'TAG';
  words: { changedMeanwhile(name: string, color: string): string };
  save: (input: { name: string; color: number }, record: Row | null) => Promise<Outcome>;
}): ReactElement {
  const [{ name }, tied] = useTexts({ name: record?.name ?? '' });
  const used = useRead(ColorsDocument, {}, { pause: record !== null }).data;
  const [chosen, setColor] = useState(record?.color);
  const color = chosen ?? nextColor(kind, used);
  const [read] = useState(record);
  const isOther = record?.name !== read?.name || record?.color !== read?.color;
  const t = texts.spaces;
  return (
    <FormDialog
      {...dialog}
      done={texts.saved(name)}
      shown={['name']}
      onSubmit={() => save({ name, color }, record)}
    >
      {(errors) => (
        <>
          {record && isOther && (
            <p className="notice" role="alert">
              {words.changedMeanwhile(record.name, t.colors[colors.find((one) => one === record.color) ?? 1])}
            </p>
          )}
          <NameField label={t.name} {...tied('name', errors)} />
          <fieldset className="colors">
            <legend>{t.color}</legend>
            {colors.map((one) => (
              <label key={one}>
                <input type="radio" name="color" checked={one === color} onChange={() => setColor(one)} />
                <i className={`dot c${one}`} />
                <span className="unseen">{t.colors[one]}</span>
              </label>
            ))}
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}
