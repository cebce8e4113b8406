import { type ReactElement, useState } from 'react';
import { announceKinds } from '../../data/bus.ts';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import {
  CreateSavedOperationDocument,
  type OperationRowFragment,
  UpdateSavedOperationDocument,
} from '../../generated/documents.ts';
import { operationTexts } from '../../operation-texts.ts';
import { CheckField, Field, NameField, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import type { RecordFormProps } from '../../parts/records-view.tsx';
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
  const [name, setName] = useState(read?.name ?? '');
  const [description, setDescription] = useState(read?.description ?? '');
  const [document, setDocument] = useState(read?.document ?? '');
  const [isTool, setTool] = useState(read?.isTool ?? false);
  const save = async () => {
    const input = { name: name.trim(), document, isTool, description: description.trim() || null };
    const outcome =
      read === null
        ? (await write(session, CreateSavedOperationDocument, { input })).createSavedOperation
        : (
            await write(session, UpdateSavedOperationDocument, {
              ...{ id: read.id, ifUpdatedAt: read.updatedAt },
              // A text that is sent again would be checked again.
              input: { ...input, document: document === read.document ? undefined : document },
            })
          ).updateSavedOperation;
    announceKinds('SAVED_OPERATION');
    return outcome;
  };
  return (
    <FormDialog
      {...dialog}
      wide
      done={texts.saved(name.trim())}
      shown={['name', 'description', 'document']}
      onSubmit={save}
    >
      {(errors) => (
        <>
          <NameField
            label={t.name}
            hint={t.nameHint}
            value={name}
            onText={setName}
            error={errors.name}
            autoCapitalize="none"
            spellCheck={false}
            placeholder="find-links"
          />
          <TextField
            label={t.description}
            hint={t.descriptionHint}
            value={description}
            onText={setDescription}
            error={errors.description}
            maxLength={300}
          />
          <Field label={t.document} hint={t.documentHint} error={errors.document}>
            {(parts) => (
              <textarea
                {...parts}
                className="code"
                rows={14}
                value={document}
                placeholder={EXAMPLE}
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => setDocument(event.target.value)}
              />
            )}
          </Field>
          <CheckField label={t.isTool} checked={isTool} onChecked={setTool} />
        </>
      )}
    </FormDialog>
  );
}
