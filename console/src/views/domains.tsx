import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { focusSoon } from '../app/focus.ts';
import type { RefusedField } from '../data/faults.ts';
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
import { fullAddressText } from '../parts/address.tsx';
import { CheckField, TextField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { lazily } from '../parts/lazily.tsx';
import { type RecordFormProps, RecordsView } from '../parts/records-view.tsx';
import { useTexts } from '../parts/tied.ts';
import { settingsTexts } from '../settings-texts.ts';
import { texts } from '../texts.ts';
import { trimPasted, withScheme } from '../words/format.ts';
import { addressRecord, DnsTable, DomainDns } from './domain-dns.tsx';

const DomainApps = lazily(async () => (await import('./domain-apps.tsx')).DomainApps, null);

/** The host of the service itself, to which others lead. */
function useServiceHost(): string {
  const all = useRead(ChoicesDocument, {}, { on: ['DOMAIN'] }).data?.domains.nodes;
  return all?.find(({ shared }) => shared)?.name ?? location.host;
}

export function DomainsView(): ReactElement {
  const session = useSession();
  const serviceHost = useServiceHost();
  const [open, setOpen] = useState<DomainRowFragment | null>(null);
  const t = settingsTexts.domains;
  return (
    <>
      <RecordsView
        kind="DOMAIN"
        permission="DOMAINS"
        title={texts.places.domains}
        words={t}
        document={DomainsDocument}
        pageOf={({ domains }) => domains}
        Form={DomainForm}
        remove={async (id) => (await write(session, DeleteDomainDocument, { id })).deleteDomain}
        isFixed={({ shared }) => shared}
        actionsOf={(domain) =>
          domain.verified ? [{ name: t.apps, icon: 'link', run: () => setOpen(domain) }] : []
        }
        more={(domain) => (
          <>
            {domain.notFoundUrl !== null && (
              <p className="quiet cut">{t.notFoundTo(fullAddressText(domain.notFoundUrl))}</p>
            )}
            {domain.rootUrl !== null && (
              <p className="quiet cut">{t.rootTo(fullAddressText(domain.rootUrl))}</p>
            )}
            {domain.forwardsPath && <p className="quiet">{t.forwardsPathNow}</p>}
            {!domain.shared && !domain.verified && (
              <>
                <DomainDns domain={domain} serviceHost={serviceHost} />
                <p className="quiet">{t.appsLater}</p>
              </>
            )}
            {!domain.shared && domain.verified && (
              <details>
                <summary>{t.showDns}</summary>
                <DomainDns domain={domain} serviceHost={serviceHost} />
              </details>
            )}
          </>
        )}
      >
        {(domain) => (
          <>
            <Link href={`/links?domain=${domain.id}`} className="grow name">
              <bdi>{domain.name}</bdi>
            </Link>
            <span className={domain.verified ? 'badge ok' : 'badge warn'}>
              {domain.shared ? t.shared : domain.verified ? t.verified : t.unverified}
            </span>
          </>
        )}
      </RecordsView>
      {open && <DomainApps domain={open} onClose={() => setOpen(null)} />}
    </>
  );
}

/** An error with the path that tells a host from other names. */
const asHost = ({ path, ...error }: RefusedField): RefusedField => ({
  ...error,
  path: path[0] === 'name' ? ['host'] : path,
});

function DomainForm({ record: domain, dialog }: RecordFormProps<DomainRowFragment>): ReactElement {
  const session = useSession();
  const { name = '', notFoundUrl, rootUrl } = domain ?? {};
  const [typed, tied] = useTexts({ name, notFoundUrl: notFoundUrl ?? '', rootUrl: rootUrl ?? '' });
  const [forwardsPath, setForwardsPath] = useState(domain?.forwardsPath ?? false);
  const t = settingsTexts.domains;
  const host = trimPasted(typed.name)
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '');
  const serviceHost = useServiceHost();
  const address = domain === null && /.\../.test(host) ? addressRecord(host, serviceHost) : null;
  const save = async () => {
    const input = {
      name: host,
      notFoundUrl: withScheme(typed.notFoundUrl) || null,
      rootUrl: withScheme(typed.rootUrl) || null,
      forwardsPath,
    };
    const outcome =
      domain === null
        ? (await write(session, CreateDomainDocument, { input })).createDomain
        : (await write(session, UpdateDomainDocument, { id: domain.id, input })).updateDomain;
    // Its records come next, and the button for a first domain is gone.
    if (domain === null && outcome.__typename === 'Domain')
      focusSoon(
        `.record a[href$="/links?domain=${outcome.id}"]`,
        () => !document.querySelector('dialog[open]'),
      );
    return outcome.__typename === 'ValidationError'
      ? { ...outcome, fields: outcome.fields.map(asHost) }
      : outcome;
  };
  return (
    <FormDialog
      {...dialog}
      action={domain ? texts.save : texts.tags.add}
      done={texts.saved(host)}
      shown={['host', 'rootUrl', 'notFoundUrl']}
      onSubmit={save}
    >
      {(errors) => (
        <>
          <TextField
            label={t.name}
            {...tied('name', errors, 'host')}
            placeholder="go.example"
            hint={domain ? t.renamed : t.nameHint}
            autoFocus
          />
          {address && (
            <div className="dns">
              <DnsTable records={[address]} />
              <p>{t.dnsAhead}</p>
            </div>
          )}
          <TextField label={t.root} type="url" {...tied('rootUrl', errors)} hint={t.rootHint} />
          <TextField label={t.notFound} type="url" {...tied('notFoundUrl', errors)} hint={t.notFoundHint} />
          <CheckField
            label={t.forwardsPath}
            hint={t.forwardsPathHint}
            checked={forwardsPath}
            onChecked={setForwardsPath}
          />
        </>
      )}
    </FormDialog>
  );
}
