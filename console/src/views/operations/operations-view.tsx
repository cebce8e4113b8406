import type { ReactElement } from 'react';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import {
  DeleteSavedOperationDocument,
  type OperationRowFragment,
  SavedOperationsDocument,
} from '../../generated/documents.ts';
import { operationTexts } from '../../operation-texts.ts';
import { RecordsView } from '../../parts/records-view.tsx';
import { texts } from '../../texts.ts';
import { OperationForm } from './operation-form.tsx';
import { OperationUse } from './operation-use.tsx';

const t = operationTexts;

/** The runs and errors of the last 30 days in words. */
function describeRuns({ runs }: OperationRowFragment): string {
  const sum = (of: 'runs' | 'errors') => runs.reduce((total, day) => total + day[of], 0);
  return runs.length === 0 ? t.noRuns : t.ran(sum('runs'), sum('errors'));
}

/** The saved operations of the account. */
export function OperationsView(): ReactElement {
  const session = useSession();
  return (
    <RecordsView
      kind="SAVED_OPERATION"
      permission="OPERATIONS"
      title={texts.places.operations}
      words={t}
      document={SavedOperationsDocument}
      pageOf={({ savedOperations }) => savedOperations}
      Form={OperationForm}
      remove={async (id) => (await write(session, DeleteSavedOperationDocument, { id })).deleteSavedOperation}
      more={(operation) => (
        <div className="operation stack">
          <p className="quiet">{describeRuns(operation)}</p>
          {operation.broken !== null && <p className="notice wrong">{t.broken(operation.broken)}</p>}
          {operation.deprecations.length > 0 && (
            <p className="notice">{t.deprecated(operation.deprecations.join(', '))}</p>
          )}
          <OperationUse operation={operation} />
        </div>
      )}
    >
      {({ name, description, kind, isTool, broken, deprecations }) => (
        <>
          <span className="stacked">
            <b className="name">{name}</b>
            {description !== null && <bdi className="quiet">{description}</bdi>}
          </span>
          <span className="marks">
            <span className="badge">{t.kinds[kind] ?? kind}</span>
            {isTool && <span className="badge">{t.tool}</span>}
            {broken !== null && <span className="badge bad">{t.isBroken}</span>}
            {broken === null && deprecations.length > 0 && (
              <span className="badge warn">{t.isDeprecated}</span>
            )}
          </span>
        </>
      )}
    </RecordsView>
  );
}
