import { type ReactElement, useState } from 'react';
import { FilterSelect } from '../controls/select.tsx';
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
      <div className="buttons">
        <FilterSelect
          label={t.kind}
          value={kind ?? ''}
          options={[
            { value: '', text: t.anyKind },
            ...allKinds.map((value) => ({ value, text: t.kinds[value] })),
          ]}
          onValue={(value) => setKind(value || null)}
        />
      </div>
      <Changes key={kind} kind={kind} />
    </>
  );
}
