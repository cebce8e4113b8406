import { type ReactElement, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { attempt } from '../data/actions.ts';
import { announce } from '../data/bus.ts';
import { describeRule } from '../data/refusals.ts';
import { useSession } from '../data/session.ts';
import { aboutRecord, showToast } from '../data/toasts.ts';
import { write } from '../data/write.ts';
import { type DomainRowFragment, VerifyDomainDocument } from '../generated/documents.ts';
import { CopyButton } from '../parts/copy.tsx';
import { settingsTexts } from '../settings-texts.ts';

export interface DnsRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly why: string;
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, '');

/** The record that leads visitors of the host to the service; null if the service has no host on the Internet. */
export function addressRecord(host: string, serviceHost: string): DnsRecord | null {
  const value = withoutPort(serviceHost).replace(/^\[(.*)\]$/, '$1');
  if (!/[.:]/.test(value)) return null;
  const type = value.includes(':') ? 'AAAA' : /^[\d.]+$/.test(value) ? 'A' : 'CNAME';
  return { type, name: withoutPort(host), value, why: settingsTexts.domains.leads(value) };
}

/** The DNS entries of a domain; if it is not verified, with a button that looks for them. */
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
  const t = settingsTexts.domains;
  const address = addressRecord(name, serviceHost);
  const proof = verified || !verification ? null : { type: 'TXT', ...verification, why: t.proves };
  const verify = async () => {
    if (isBusy) return;
    setBusy(true);
    const about = aboutRecord('DOMAIN', id);
    await attempt(about, async () => {
      const { verifyDomain: result } = await write(session, VerifyDomainDocument, { id });
      if (result.__typename === 'Domain') showToast(t.nowVerified(result.name), { about });
      const [wrong] = result.__typename === 'ValidationError' ? result.fields : [];
      const words = wrong && describeRule(wrong, wrong.messages[0] ?? '');
      setTold(words === undefined ? '' : `${name} ${words}. ${t.nextAfter[wrong?.rule ?? ''] ?? ''}`);
      announce([{ kind: 'DOMAIN', recordId: id, action: null }]);
    });
    setBusy(false);
  };
  return (
    <ol className="dns">
      <li>
        {(address || !verified) && <p>{verified ? t.dnsVerified : t.dns(withoutPort(name))}</p>}
        {(address || proof) && <DnsTable records={[address, proof].filter((one) => one !== null)} />}
        {address && proof && (
          <CopyButton
            text={[address, proof].map(({ type, name, value }) => `${type}\t${name}\t${value}`).join('\n')}
            label={t.copyDns}
            wide
          />
        )}
        {address === null && <p>{t.noAddress(serviceHost)}</p>}
        <p className="hint">
          {address?.type === 'CNAME' && `${t.noCname(address.value)} `}
          {t.dnsNotes}
        </p>
      </li>
      {!verified && <li>{t.dnsTime}</li>}
      {!verified && (
        <li>
          <p>{t.dnsThen}</p>
          {session.may('DOMAINS') && (
            <Button
              look="small"
              text={isBusy ? t.checking : t.check}
              aria-disabled={isBusy}
              onClick={verify}
            />
          )}
          <p className="error" role="alert">
            {told}
          </p>
        </li>
      )}
    </ol>
  );
}

/** Records as DNS providers ask for them, each part with a button that copies it. */
export function DnsTable({ records }: { records: readonly DnsRecord[] }): ReactElement {
  const t = settingsTexts.domains;
  return (
    <table>
      <thead>
        <tr>
          {[t.recordType, t.recordName, t.recordValue].map((label) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      {records.map(({ type, name, value, why }) => (
        <tbody key={type}>
          <tr>
            <td data-label={t.recordType}>
              <code>{type}</code>
            </td>
            <td data-label={t.recordName}>
              <code>{name}</code> <CopyButton text={name} />
            </td>
            <td data-label={t.recordValue}>
              <code>{value}</code> <CopyButton text={value} />
            </td>
          </tr>
          <tr>
            <td colSpan={3} className="hint">
              {why}
            </td>
          </tr>
        </tbody>
      ))}
    </table>
  );
}
