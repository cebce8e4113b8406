import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { showFault } from '../data/actions.ts';
import { announceKinds } from '../data/bus.ts';
import { useSession } from '../data/session.ts';
import { write } from '../data/write.ts';
import {
  CreateDomainDocument,
  DeleteDomainDocument,
  type DomainRowFragment,
  DomainsDocument,
  UpdateDomainDocument,
  VerifyDomainDocument,
} from '../generated/documents.ts';
import { CopyButton } from '../parts/copy.tsx';
import { TextField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { type RecordFormProps, RecordsView } from '../parts/records-view.tsx';
import { showToast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';

export function DomainsView(): ReactElement {
  const session = useSession();
  const t = texts.domains;
  return (
    <RecordsView
      kind="DOMAIN"
      title={texts.places.domains}
      words={t}
      document={DomainsDocument}
      pageOf={({ domains }) => domains}
      Form={DomainForm}
      remove={async (id) => (await write(session, DeleteDomainDocument, { id })).deleteDomain}
      isFixed={({ shared }) => shared}
      more={(domain) => (
        <>
          {domain.notFoundUrl !== null && <p className="quiet cut">{t.notFoundTo(domain.notFoundUrl)}</p>}
          {!domain.verified && domain.verification && <Verification domain={domain} />}
        </>
      )}
    >
      {(domain) => (
        <>
          <Link href={`/?domain=${domain.id}`} className="grow name">
            {domain.name}
          </Link>
          <span className={domain.verified ? 'badge ok' : 'badge warn'}>
            {domain.shared ? t.shared : domain.verified ? t.verified : t.unverified}
          </span>
        </>
      )}
    </RecordsView>
  );
}

/** The record to set, and a button that looks for it. */
function Verification({ domain: { id, verification } }: { domain: DomainRowFragment }): ReactElement {
  const session = useSession();
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState('');
  const t = texts.domains;
  const verify = async () => {
    setBusy(true);
    try {
      const { verifyDomain: result } = await write(session, VerifyDomainDocument, { id });
      if (result.__typename === 'Domain') {
        showToast(t.nowVerified(result.name));
        announceKinds('DOMAIN');
      } else setTold(result.message);
    } catch (error) {
      showFault(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="verification">
      <p>{t.record}</p>
      <dl>
        {[
          [t.recordName, verification?.name ?? ''],
          [t.recordValue, verification?.value ?? ''],
        ].map(([name = '', value = '']) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
              <CopyButton text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {session.canWrite && (
        <button type="button" className="button quiet small" disabled={isBusy} onClick={verify}>
          {isBusy ? t.checking : t.check}
        </button>
      )}
      <p className="error" role="alert">
        {told}
      </p>
    </div>
  );
}

function DomainForm({ record: domain, dialog }: RecordFormProps<DomainRowFragment>): ReactElement {
  const session = useSession();
  const [name, setName] = useState(domain?.name ?? '');
  const [notFoundUrl, setNotFoundUrl] = useState(domain?.notFoundUrl ?? '');
  const t = texts.domains;
  const save = async () => {
    const input = { name, notFoundUrl: notFoundUrl.trim() || null };
    const outcome =
      domain === null
        ? (await write(session, CreateDomainDocument, { input })).createDomain
        : (await write(session, UpdateDomainDocument, { id: domain.id, input })).updateDomain;
    announceKinds('DOMAIN');
    return outcome;
  };
  return (
    <FormDialog {...dialog} onSubmit={save}>
      {(errors) => (
        <>
          <TextField
            label={t.name}
            value={name}
            onText={setName}
            error={errors.name}
            placeholder="go.example"
            hint={domain ? t.renamed : t.nameHint}
            autoFocus
          />
          <TextField
            label={t.notFound}
            type="url"
            value={notFoundUrl}
            onText={setNotFoundUrl}
            error={errors.notFoundUrl}
            hint={t.notFoundHint}
          />
        </>
      )}
    </FormDialog>
  );
}
