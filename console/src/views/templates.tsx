import { type ReactElement, useState } from 'react';
import { useSession } from '../data/session.ts';
import { filledUtm, noUtm, type Utm, utmLine, utmNames } from '../data/utm.ts';
import { write } from '../data/write.ts';
import {
  CreateUtmTemplateDocument,
  DeleteUtmTemplateDocument,
  UpdateUtmTemplateDocument,
  type UtmTemplateRowFragment,
  UtmTemplatesDocument,
} from '../generated/documents.ts';
import { NameField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { type RecordFormProps, RecordsView } from '../parts/records-view.tsx';
import { useTexts } from '../parts/tied.ts';
import { UtmFields } from '../parts/utm-fields.tsx';
import { texts } from '../texts.ts';

/** The values of a template, as they are edited. */
const templateValues = (template: UtmTemplateRowFragment): Utm =>
  filledUtm(template, { alias: null, space: null, date: null });

/** The UTM templates of the account. */
export function TemplatesView(): ReactElement {
  const session = useSession();
  const t = texts.utm;
  return (
    <RecordsView
      kind="UTM_TEMPLATE"
      title={texts.places.templates}
      words={{ ...t, none: t.noneTemplates }}
      document={UtmTemplatesDocument}
      pageOf={({ utmTemplates }) => utmTemplates}
      Form={TemplateForm}
      remove={async (id) => (await write(session, DeleteUtmTemplateDocument, { id })).deleteUtmTemplate}
    >
      {(template) => (
        <>
          <b className="grow name">
            <bdi>{template.name}</bdi>
          </b>
          <span className="quiet cut">{utmLine(templateValues(template))}</span>
        </>
      )}
    </RecordsView>
  );
}

function TemplateForm({ record: template, dialog }: RecordFormProps<UtmTemplateRowFragment>): ReactElement {
  const session = useSession();
  const [{ name }, tied] = useTexts({ name: template?.name ?? '' });
  const [values, setValues] = useState(() => (template ? templateValues(template) : noUtm));
  const t = texts.utm;
  const save = async () => {
    const cleared = Object.fromEntries(utmNames.map((one) => [one, values[one].trim() || null]));
    const input = { name, ...cleared };
    return template === null
      ? (await write(session, CreateUtmTemplateDocument, { input })).createUtmTemplate
      : (await write(session, UpdateUtmTemplateDocument, { id: template.id, input })).updateUtmTemplate;
  };
  return (
    <FormDialog {...dialog} done={texts.saved(name)} shown={['name', ...utmNames]} onSubmit={save}>
      {(errors) => (
        <>
          <NameField label={t.name} {...tied('name', errors)} />
          <UtmFields
            values={values}
            onValues={(patch) => setValues({ ...values, ...patch })}
            errors={errors}
          />
          <p className="hint">{t.placeholders}</p>
        </>
      )}
    </FormDialog>
  );
}
