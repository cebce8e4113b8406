import { type ReactElement, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { MomentField } from '../controls/moment-field.tsx';
import { Fault } from '../data/faults.ts';
import { useSession } from '../data/session.ts';
import { write } from '../data/write.ts';
import {
  CreateApiKeyDocument,
  type KeyRowFragment,
  KeysDocument,
  RevokeApiKeyDocument,
  type Role,
} from '../generated/documents.ts';
import { CopyBox } from '../parts/copy.tsx';
import { TextField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Empty } from '../parts/notice.tsx';
import { RecordList } from '../parts/record-list.tsx';
import { RecordsHead } from '../parts/records.tsx';
import { RoleField } from '../parts/role-field.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { useTexts } from '../parts/tied.ts';
import { settingsTexts } from '../settings-texts.ts';
import { texts } from '../texts.ts';
import { ago, atMoment, fromLocalInput, INCOMPLETE, onDay } from '../words/format.ts';
import { isKey, useWebhooksChoice } from './people/webhooks-choice.tsx';

const t = texts.keys;

/** The keys of programs, without the keys themselves. */
export function KeysView(): ReactElement {
  const session = useSession();
  const [isNew, setNew] = useState(false);
  const [revoked, setRevoked] = useState<KeyRowFragment | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const mayChange = session.may('KEYS');
  return (
    <>
      <RecordsHead
        title={texts.places.keys}
        lead={t.lead}
        create={mayChange ? t.create : undefined}
        onCreate={() => setNew(true)}
      />
      <RecordList
        document={KeysDocument}
        on={['API_KEY', 'MEMBER']}
        pageOf={({ apiKeys }) => apiKeys}
        none={<Empty title={t.none}>{t.noneYet}</Empty>}
      >
        {(key) => (
          <li key={key.id} className="record">
            <div className="parts flow">
              <b className="grow name">
                <bdi>{key.name || t.unnamed}</bdi>
              </b>
              <code>{key.prefix}…</code>
              <span className="badge">
                {key.role ? texts.roles[key.role] : t.scopes[key.scopes.includes('WRITE') ? 'WRITE' : 'READ']}
              </span>
            </div>
            {mayChange && <Button look="text danger" text={t.revoke} onClick={() => setRevoked(key)} />}
            <p className="more quiet">{aboutKey(key)}</p>
          </li>
        )}
      </RecordList>
      {isNew && <NewKey onClose={() => setNew(false)} onKey={setSecret} />}
      {secret !== null && (
        <SecretDialog title={t.made} warning={t.madeWarning} secret={secret} onClose={() => setSecret(null)}>
          <p className="hint">{t.tryIt}</p>
          <CopyBox text={curlCommand(secret)} />
        </SecretDialog>
      )}
      {revoked && <RevokeKey apiKey={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}

function RevokeKey({ apiKey, onClose }: { apiKey: KeyRowFragment; onClose: () => void }): ReactElement {
  const session = useSession();
  const { isKnown, disables, field } = useWebhooksChoice(isKey(apiKey.id));
  const revoke = async () => {
    if (!isKnown) throw new Fault('refused', settingsTexts.people.keysUnknown);
    const asked = { id: apiKey.id, disableWebhooks: disables };
    return (await write(session, RevokeApiKeyDocument, asked)).revokeApiKey;
  };
  return (
    <FormDialog
      title={t.revokeTitle(apiKey.name || `${apiKey.prefix}…`)}
      action={t.revoke}
      kinds={['API_KEY', 'WEBHOOK']}
      onClose={onClose}
      onSubmit={revoke}
      danger
    >
      {() => (
        <>
          <p>{t.revokeWarning}</p>
          <div role="status">{field}</div>
        </>
      )}
    </FormDialog>
  );
}

/** A line for a shell that shows whether a key works. */
const curlCommand = (key: string): string =>
  `curl -H 'Authorization: Bearer ${key}' '${location.origin}/api/v1/links'`;

/** Tells who made a key and when, how long it is valid, and its last use. */
function aboutKey({ maker, createdAt, expiresAt, lastUsedAt }: KeyRowFragment): string {
  return [
    t.madeBy(maker?.name ?? null, onDay(createdAt)),
    expiresAt === null ? null : t.expires(atMoment(expiresAt), Date.parse(expiresAt) <= Date.now()),
    lastUsedAt === null ? t.unused : t.lastUsed(ago(lastUsedAt)),
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

function NewKey({ onClose, onKey }: { onClose: () => void; onKey: (key: string) => void }): ReactElement {
  const session = useSession();
  const [{ name, expiresAt: until }, tied] = useTexts({ name: '', expiresAt: '' });
  const [role, setRole] = useState<Role>('EDITOR');
  const save = async () => {
    // The field says what is missing.
    if (until === INCOMPLETE) return { __typename: 'ValidationError' };
    const input = { name, role, expiresAt: fromLocalInput(until) };
    const { createApiKey } = await write(session, CreateApiKeyDocument, { input });
    if (createApiKey.__typename === 'CreatedApiKey') onKey(createApiKey.key);
    return createApiKey;
  };
  return (
    <FormDialog
      title={t.create}
      action={texts.create}
      kinds={['API_KEY']}
      shown={['name', 'role', 'expiresAt']}
      onClose={onClose}
      onSubmit={save}
    >
      {(errors) => (
        <>
          <TextField label={t.name} hint={t.nameHint} {...tied('name', errors)} maxLength={100} autoFocus />
          <RoleField value={role} onValue={setRole} highest="ADMIN" error={errors.role} />
          <MomentField label={t.until} hint={t.untilHint} usualTime="23:59" {...tied('expiresAt', errors)} />
        </>
      )}
    </FormDialog>
  );
}
