import type { ReactElement } from 'react';
import { FilePicker } from '../../controls/file-picker.tsx';
import { attempt } from '../../data/actions.ts';
import { formats } from '../../data/import-run.ts';
import { useRead } from '../../data/read.ts';
import { ChoicesDocument } from '../../generated/documents.ts';
import { Field, SelectField } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { SpaceField } from '../link-form/space-field.tsx';
import type { Import } from './use-import.ts';

/** The fields of an import: the lines, or a file of them, their format, and the space of the new links. */
export function LinesForm({ state }: { state: Import }): ReactElement {
  const { lines, making, spaceTyped, spaceError, put } = state;
  const spaces = useRead(ChoicesDocument, {}, { on: ['SPACE'] }).data?.spaces.nodes ?? [];
  const t = texts.many;
  return (
    <>
      <Field label={t.lines} hint={lines.format === 'LINES' ? `${t.hint} ${t.checkedFirst}` : t.checkedFirst}>
        {(parts) => (
          <textarea
            {...parts}
            rows={8}
            value={lines.text}
            spellCheck={false}
            placeholder={t.placeholder}
            disabled={making !== null}
            onChange={({ target }) => {
              lines.setText(target.value);
              put({
                isGuessed: false,
                wrongFile: undefined,
                ...(target.value === '' && { partOfUrls: null }),
              });
            }}
          />
        )}
      </Field>
      <div className="pair">
        <FileField state={state} />
        <SelectField
          label={t.format}
          hint={lines.format === 'LINES' ? undefined : t.formatHint}
          value={lines.format}
          options={formats.map((value) => ({ value, text: t.formats[value] }))}
          onValue={lines.setFormat}
        />
        <SpaceField
          value={lines.spaceId}
          typed={spaceTyped}
          spaces={spaces}
          onValue={(id, typed) => {
            lines.setSpaceId(id);
            put({ spaceTyped: typed, spaceError: undefined });
          }}
          error={spaceError}
        />
      </div>
    </>
  );
}

function FileField({ state: { isGuessed, wrongFile, take } }: { state: Import }): ReactElement {
  const t = texts.many;
  return (
    <Field label={t.file} hint={t.fileHint} warning={isGuessed ? t.guessed : null} error={wrongFile}>
      {(parts) => (
        <FilePicker
          {...parts}
          accept=".csv,.tsv,.txt,.json,.xlsx,.xls,.ods,text/csv,text/plain,application/json"
          onFile={(file) => void attempt('file', () => take(file))}
        />
      )}
    </Field>
  );
}
