import { type ReactElement, useState } from 'react';
import { attempt } from '../data/actions.ts';
import { announce } from '../data/bus.ts';
import { useSession } from '../data/session.ts';
import { write } from '../data/write.ts';
import { type DomainRowFragment, VerifyDomainDocument } from '../generated/documents.ts';
import { CopyButton } from '../parts/copy.tsx';
import { aboutRecord, showToast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';

interface DnsRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly why: string;
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, '');

/** The record that leads visitors of the host to the service; null if its own host is not one of the Internet. */
function addressRecord(host: string, serviceHost: string): DnsRecord | null {
  const value = withoutPort(serviceHost).replace(/^\[(.*)\]$/, '$1');
  if (!/[.:]/.test(value)) return null;
  const type = value.includes(':') ? 'AAAA' : /^[\d.]+$/.test(value) ? 'A' : 'CNAME';
  return { type, name: withoutPort(host), value, why: texts.domains.leads(value) };
}

/** What to enter in the DNS of a domain; for one that is not verified, with a button that looks for it. */
export function DomainDns({
  domain: { id, name, verified, verification },
  serviceHost,
}: {
  domain: DomainRowFragment;
  serviceHost: string;
}): ReactElement {
  const session = useSession();
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState('');
  const t = texts.domains;
  const address = addressRecord(name, serviceHost);
  const proof = verified || !verification ? null : { type: 'TXT', ...verification, why: t.proves };
  const verify = async () => {
    if (isBusy) return;
    setBusy(true);
    const about = aboutRecord('DOMAIN', id);
    await attempt(about, async () => {
      const { verifyDomain: result } = await write(session, VerifyDomainDocument, { id });
      if (result.__typename === 'Domain') showToast(t.nowVerified(result.name), { about });
      // That is all that can be wrong with it.
      setTold(result.__typename === 'ValidationError' ? t.notYet : '');
      announce([{ kind: 'DOMAIN', recordId: id, action: null }]);
    });
    setBusy(false);
  };
  return (
    <div className="dns">
      {(address || !verified) && <p>{verified ? t.dnsVerified : t.dns}</p>}
      {address === null && <p>{t.noAddress(serviceHost)}</p>}
      {[address, proof].map(
        (record) =>
          record && (
            <section key={record.type} aria-label={record.type}>
              <p className="hint">{record.why}</p>
              <dl>
                <dt>{t.recordType}</dt>
                <dd>
                  <code>{record.type}</code>
                </dd>
                <dt>{t.recordName}</dt>
                <dd>
                  <code>{record.name}</code>
                  <CopyButton text={record.name} />
                </dd>
                <dt>{t.recordValue}</dt>
                <dd>
                  <code>{record.value}</code>
                  <CopyButton text={record.value} />
                </dd>
              </dl>
            </section>
          ),
      )}
      {address && proof && (
        <p>
          <CopyButton
            text={[address, proof].map(({ type, name, value }) => `${type}\t${name}\t${value}`).join('\n')}
            label={t.copyDns}
            wide
          />
        </p>
      )}
      <p className="hint">
        {address?.type === 'CNAME' && `${t.noCname(address.value)} `}
        {t.dnsNotes}
      </p>
      {!verified && session.may('DOMAINS') && (
        <button type="button" className="button quiet small" aria-disabled={isBusy} onClick={verify}>
          {isBusy ? t.checking : t.check}
        </button>
      )}
      <p className="error" role="alert">
        {told}
      </p>
    </div>
  );
}
