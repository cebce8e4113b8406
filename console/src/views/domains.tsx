import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { announce } from '../data/bus.ts';
import { useRead } from '../data/read.ts';
import { useSession } from '../data/session.ts';
import { write } from '../data/write.ts';
import {
  ChoicesDocument,
  CreateDomainDocument,
  DeleteDomainDocument,
  type DomainRowFragment,
  DomainsDocument,
  UpdateDomainDocument,
} from '../generated/documents.ts';
import { TextField } from '../parts/field.tsx';
import { Confirm, FormDialog } from '../parts/form-dialog.tsx';
import { withScheme } from '../parts/format.ts';
import { Menu } from '../parts/menu.tsx';
import { FaultNotice, Skeleton } from '../parts/notice.tsx';
import { MorePages, Records, RecordsHead } from '../parts/records.tsx';
import { texts } from '../texts.ts';
import { DomainDns } from './domain-dns.tsx';

const changed = () => announce([{ kind: 'DOMAIN', recordId: null, action: null }]);

export function DomainsView(): ReactElement {
  const { canWrite } = useSession();
  const [after, setAfter] = useState<string | null>(null);
  const [edited, setEdited] = useState<DomainRowFragment | 'new' | null>(null);
  const [deleted, setDeleted] = useState<DomainRowFragment | null>(null);
  const { data, fault, again } = useRead(DomainsDocument, { after }, { on: ['DOMAIN'] });
  const all = useRead(ChoicesDocument, {}, { on: ['DOMAIN'] }).data?.domains.nodes;
  const serviceHost = all?.find(({ shared }) => shared)?.name ?? location.host;
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
                {!domain.shared && !domain.verified && (
                  <DomainDns domain={domain} serviceHost={serviceHost} />
                )}
                {!domain.shared && domain.verified && (
                  <details>
                    <summary>{t.showDns}</summary>
                    <DomainDns domain={domain} serviceHost={serviceHost} />
                  </details>
                )}
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
    const input = { name, notFoundUrl: withScheme(notFoundUrl) || null };
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
