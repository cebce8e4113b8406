import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { showFault } from '../data/actions.ts';
import { announce } from '../data/bus.ts';
import { useRead } from '../data/read.ts';
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
import { Confirm, FormDialog } from '../parts/form-dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { FaultNotice, Skeleton } from '../parts/notice.tsx';
import { MorePages, Records, RecordsHead } from '../parts/records.tsx';
import { showToast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';

const changed = () => announce([{ kind: 'DOMAIN', recordId: null, action: null }]);

export function DomainsView(): ReactElement {
  const { canWrite } = useSession();
  const [after, setAfter] = useState<string | null>(null);
  const [edited, setEdited] = useState<DomainRowFragment | 'new' | null>(null);
  const [deleted, setDeleted] = useState<DomainRowFragment | null>(null);
  const { data, fault, again } = useRead(DomainsDocument, { after }, { on: ['DOMAIN'] });
  const t = texts.domains;
  return (
    <>
      <RecordsHead
        title={texts.places.domains}
        lead={t.lead}
        create={canWrite ? t.create : undefined}
        onCreate={() => setEdited('new')}
      />
      {fault && <FaultNotice fault={fault} again={again} />}
      {!data && !fault && <Skeleton rows={3} />}
      {data && (
        <>
          <Records>
            {data.domains.nodes.map((domain) => (
              <li key={domain.id} className="tall">
                <div className="line">
                  <Link href={`/?domain=${domain.id}`} className="grow name">
                    {domain.name}
                  </Link>
                  <span className={domain.verified ? 'badge ok' : 'badge warn'}>
                    {domain.shared ? t.shared : domain.verified ? t.verified : t.unverified}
                  </span>
                  {canWrite && !domain.shared && (
                    <Menu
                      label={texts.links.actionsOf(domain.name)}
                      items={[
                        { name: texts.links.edit, icon: 'next', run: () => setEdited(domain) },
                        { name: texts.delete, icon: 'trash', danger: true, run: () => setDeleted(domain) },
                      ]}
                    />
                  )}
                </div>
                {domain.notFoundUrl !== null && (
                  <p className="quiet cut">{t.notFoundTo(domain.notFoundUrl)}</p>
                )}
                {!domain.verified && domain.verification && <Verification domain={domain} />}
              </li>
            ))}
          </Records>
          <MorePages
            hasNext={data.domains.pageInfo.hasNextPage}
            isFirst={after === null}
            onFirst={() => setAfter(null)}
            onNext={() => setAfter(data.domains.pageInfo.endCursor)}
          />
        </>
      )}
      {edited && <DomainDialog domain={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      {deleted && <DeleteDomain domain={deleted} onClose={() => setDeleted(null)} />}
    </>
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
        changed();
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

function DomainDialog({
  domain,
  onClose,
}: {
  domain: DomainRowFragment | null;
  onClose: () => void;
}): ReactElement {
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
    changed();
    return outcome;
  };
  return (
    <FormDialog title={domain ? t.edit(domain.name) : t.create} onClose={onClose} onSubmit={save}>
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

function DeleteDomain({ domain, onClose }: { domain: DomainRowFragment; onClose: () => void }): ReactElement {
  const session = useSession();
  const t = texts.domains;
  return (
    <Confirm
      title={t.deleteTitle(domain.name)}
      onClose={onClose}
      onYes={async () => {
        const { deleteDomain } = await write(session, DeleteDomainDocument, { id: domain.id });
        changed();
        return deleteDomain;
      }}
    >
      {t.deleteWarning}
    </Confirm>
  );
}
