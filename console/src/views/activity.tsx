import { type ReactElement, useState } from 'react';
import { allKinds } from '../data/bus.ts';
import type { RecordKind } from '../generated/documents.ts';
import { Changes } from '../parts/changes.tsx';
import { RecordsHead } from '../parts/records.tsx';
import { texts } from '../texts.ts';

/** The changes of the account. */
export function ActivityView(): ReactElement {
  const [kind, setKind] = useState<RecordKind | null>(null);
  const t = texts.history;
  return (
    <>
      <RecordsHead title={texts.places.activity} lead={t.lead} />
      <div className="toolbar">
        <select
          className={kind === null ? 'filter' : 'filter set'}
          aria-label={t.kind}
          value={kind ?? ''}
          onChange={({ target: { value } }) => setKind(allKinds.find((one) => one === value) ?? null)}
        >
          <option value="">{t.anyKind}</option>
          {allKinds.map((one) => (
            <option key={one} value={one}>
              {t.kinds[one]}
            </option>
          ))}
        </select>
      </div>
      <Changes key={kind} kind={kind} />
    </>
  );
}
