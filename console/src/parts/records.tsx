import type { ReactElement, ReactNode } from 'react';
import { Button } from '../controls/button.tsx';

interface RecordsHeadProps {
  readonly title: string;
  readonly lead: string;
  readonly create?: string | undefined;
  onCreate?(): void;
}

/** The head of a view of records, with a button for a new one. */
export function RecordsHead({ title, lead, create, onCreate }: RecordsHeadProps): ReactElement {
  return (
    <header className="page-head">
      <div>
        <h1>{title}</h1>
        <p className="quiet">{lead}</p>
      </div>
      {create !== undefined && <Button icon="plus" text={create} onClick={onCreate} />}
    </header>
  );
}

/** Records as cards in a list. */
export function Records({ children }: { children: ReactNode }): ReactElement {
  return <ul className="records">{children}</ul>;
}
