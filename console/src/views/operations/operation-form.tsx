import { type ReactElement, useState } from 'react';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import {
  CreateSavedOperationDocument,
  type OperationRowFragment,
  UpdateSavedOperationDocument,
} from '../../generated/documents.ts';
import { operationTexts } from '../../operation-texts.ts';
import { AreaField, CheckField, NameField, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import type { RecordFormProps } from '../../parts/records-view.tsx';
import { useTexts } from '../../parts/tied.ts';
import { texts } from '../../texts.ts';

const t = operationTexts;

const EXAMPLE = `query ($search: String!) {
  links(first: 10, filter: { search: $search, searchBy: ANYWHERE }) {
    nodes { id title shortUrl }
  }
}`;

/** The form of a saved operation. */
export function OperationForm({ record, dialog }: RecordFormProps<OperationRowFragment>): ReactElement {
  const session = useSession();
  // What others save meanwhile is not overwritten.
  const [read] = useState(record);
  const { name = '', description, document = '' } = read ?? {};
  const [typed, tied] = useTexts({ name, description: description ?? '', document });
  const [isTool, setTool] = useState(read?.isTool ?? false);
  const save = async () => {
    const description = typed.description.trim() || null;
    const input = { name: typed.name.trim(), description, document: typed.document, isTool };
    if (read === null)
      return (await write(session, CreateSavedOperationDocument, { input })).createSavedOperation;
    // A text that is sent again would be checked again.
    const document = typed.document === read.document ? undefined : typed.document;
    const patch = { id: read.id, input: { ...input, document }, ifUpdatedAt: read.updatedAt };
    return (await write(session, UpdateSavedOperationDocument, patch)).updateSavedOperation;
  };
  return (
    <FormDialog
      {...dialog}
      wide
      done={texts.saved(typed.name.trim())}
      shown={['name', 'description', 'document']}
      onSubmit={save}
    >
      {(errors) => (
        <>
          <NameField
            label={t.name}
            hint={t.nameHint}
            {...tied('name', errors)}
            autoCapitalize="none"
            spellCheck={false}
            placeholder="find-links"
          />
          <TextField
            label={t.description}
            hint={t.descriptionHint}
            {...tied('description', errors)}
            maxLength={300}
          />
          <AreaField
            label={t.document}
            hint={t.documentHint}
            {...tied('document', errors)}
            className="code"
            rows={14}
            placeholder={EXAMPLE}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
          />
          <CheckField label={t.isTool} checked={isTool} onChecked={setTool} />
        </>
      )}
    </FormDialog>
  );
}
