import { type ReactElement, type ReactNode, useState } from 'react';
import { passkeyHint, useMethods } from '../../app/sign-in.tsx';
import { attempt } from '../../data/actions.ts';
import { useAsk } from '../../data/ask.ts';
import { goToProvider, type Profile, send } from '../../data/auth.ts';
import { announceKinds } from '../../data/bus.ts';
import { addPasskey } from '../../data/passkeys.ts';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import { RevokeSessionDocument, SessionsDocument } from '../../generated/documents.ts';
import { EmailField, NewPasswordField, TextField } from '../../parts/field.tsx';
import type { Outcome } from '../../parts/form.ts';
import { Confirm, FormDialog } from '../../parts/form-dialog.tsx';
import { ago, atMoment, onDay } from '../../parts/format.ts';
import { FaultNotice, Skeleton } from '../../parts/notice.tsx';
import { Records, RecordsHead } from '../../parts/records.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { texts } from '../../texts.ts';
import { deviceOf } from './device.ts';

const t = texts.profile;

type Asked =
  | 'name'
  | 'email'
  | 'password'
  | 'passkey'
  | { readonly remove: 'passkey' | 'identity'; readonly id: string; readonly name: string };

/** How somebody is called, and signs in. */
export function ProfileView(): ReactElement {
  const { data: profile, fault, again } = useAsk<Profile>('profile');
  const methods = useMethods();
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const head = <RecordsHead title={t.title} lead={t.lead} />;
  const changed = () => {
    again();
    // The views show the name, too.
    announceKinds('MEMBER');
  };
  if (!profile || !methods)
    return (
      <>
        {head}
        {fault ? <FaultNotice fault={fault} again={again} /> : <Skeleton rows={4} />}
      </>
    );
  const { user, passkeys, identities, hasPassword } = profile;
  const dialog = { onDone: changed, onClose: close };
  const device = deviceOf(navigator.userAgent);
  const link = () => attempt('link', () => goToProvider({ to: location.pathname, link: true }));
  return (
    <>
      {head}
      <Section title={t.you}>
        <Row name={user.name} about={t.name} action={t.change} onAction={() => setAsked('name')} />
        <Row
          name={user.email}
          about={texts.signIn.email}
          action={t.change}
          onAction={() => setAsked('email')}
        />
        {methods.password && (
          <Row
            name={hasPassword ? t.hasPassword : t.noPassword}
            about={texts.signIn.password}
            action={hasPassword ? t.change : t.set}
            onAction={() => setAsked('password')}
          />
        )}
      </Section>
      {(methods.password || passkeys.length > 0) && (
        <Section
          title={t.passkeys}
          lead={passkeyHint(methods) ?? t.passkeysLead}
          create={methods.passkeys ? t.addPasskey : undefined}
          onCreate={() => setAsked('passkey')}
        >
          {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
            <Row
              key={id}
              name={name}
              about={`${t.added(onDay(createdAt))} · ${lastUsedAt === null ? t.unused : t.lastUsed(ago(lastUsedAt))}`}
              action={t.remove}
              onAction={() => setAsked({ remove: 'passkey', id, name })}
            />
          ))}
        </Section>
      )}
      {(methods.openid || identities.length > 0) && (
        <Section
          title={t.identities}
          lead={t.identitiesLead}
          create={methods.openid ? t.link(methods.openid.name) : undefined}
          onCreate={link}
        >
          {identities.map(({ id, issuer, createdAt }) => (
            <Row
              key={id}
              name={issuer}
              about={t.added(onDay(createdAt))}
              action={t.remove}
              onAction={() => setAsked({ remove: 'identity', id, name: issuer })}
            />
          ))}
        </Section>
      )}
      <Sessions />
      {asked === 'name' && (
        <OneField
          {...dialog}
          title={t.changeName}
          field="name"
          was={user.name}
          onSend={(name) => send('profile', { name })}
        >
          {(parts) => <TextField {...parts} label={t.name} autoFocus />}
        </OneField>
      )}
      {asked === 'email' && (
        <OneField
          {...dialog}
          title={t.changeEmail}
          field="email"
          was={user.email}
          onSend={(email) => send('email', { email })}
          onDone={() => {
            changed();
            if (methods.mail) showToast(t.emailSent);
          }}
        >
          {(parts) => <EmailField {...parts} hint={methods.mail ? t.emailHint : undefined} autoFocus />}
        </OneField>
      )}
      {asked === 'password' && (
        <OneField
          {...dialog}
          title={hasPassword ? t.changePassword : t.setPassword}
          field="password"
          was=""
          onSend={(password) => send('password', { password })}
        >
          {(parts) => (
            <>
              <NewPasswordField {...parts} autoFocus />
              <p className="hint">{t.endsSessions}</p>
            </>
          )}
        </OneField>
      )}
      {asked === 'passkey' && (
        <OneField
          {...dialog}
          title={t.addPasskey}
          action={t.goOn}
          field="name"
          was={passkeys.some(({ name }) => name === device) ? `${device} ${passkeys.length + 1}` : device}
          onSend={addPasskey}
        >
          {(parts) => (
            <TextField {...parts} label={t.passkeyName} hint={t.passkeyHint} maxLength={100} autoFocus />
          )}
        </OneField>
      )}
      {asked !== null && typeof asked === 'object' && (
        <Confirm
          title={t.removeTitle(asked.name)}
          action={t.remove}
          onClose={close}
          onYes={async () => {
            const outcome = await send(`${asked.remove}/remove`, { id: asked.id });
            again();
            return outcome;
          }}
        >
          {t.endsSessions}
        </Confirm>
      )}
    </>
  );
}

function Section({
  title,
  lead,
  create,
  onCreate,
  children,
}: {
  title: string;
  lead?: string;
  create?: string | undefined;
  onCreate?: () => void;
  children: ReactNode;
}): ReactElement {
  const isEmpty = Array.isArray(children) && children.length === 0;
  return (
    <section className="part" aria-label={title}>
      <header className="page-head">
        <div>
          <h2>{title}</h2>
          {lead !== undefined && <p className="quiet">{lead}</p>}
        </div>
        {create !== undefined && (
          <button type="button" className="button quiet" onClick={onCreate}>
            {create}
          </button>
        )}
      </header>
      {!isEmpty && <Records>{children}</Records>}
    </section>
  );
}

/** Something that somebody has, and a button that does something with it. */
function Row({
  name,
  about,
  action,
  onAction,
  badge,
}: {
  name: string;
  about: string;
  action?: string | undefined;
  onAction?: () => void;
  badge?: string | undefined;
}): ReactElement {
  return (
    <li className="record">
      <div className="parts">
        <div className="stacked">
          <b className="name">{name}</b>
          <span className="quiet">{about}</span>
        </div>
        {badge && <span className="badge ok">{badge}</span>}
      </div>
      {action && (
        <button type="button" className="button text" aria-label={`${action}: ${name}`} onClick={onAction}>
          {action}
        </button>
      )}
    </li>
  );
}

function Sessions(): ReactElement {
  const session = useSession();
  const { data, fault, again } = useRead(SessionsDocument, {});
  const end = (id: string) =>
    attempt(`session ${id}`, async () => {
      await write(session, RevokeSessionDocument, { id });
      again();
    });
  return (
    <Section title={t.sessions} lead={t.sessionsLead}>
      {fault && (
        <li>
          <FaultNotice fault={fault} again={again} />
        </li>
      )}
      {data?.viewer.sessions.map(({ id, device, signedInAt, lastUsedAt, isCurrent }) => (
        <Row
          key={id}
          name={deviceOf(device)}
          about={t.session(atMoment(signedInAt), ago(lastUsedAt))}
          badge={isCurrent ? t.thisOne : undefined}
          action={isCurrent ? undefined : t.end}
          onAction={() => void end(id)}
        />
      ))}
    </Section>
  );
}

/** A dialog with one field. */
function OneField({
  title,
  action = texts.save,
  field,
  was,
  onSend,
  onDone,
  onClose,
  children,
}: {
  title: string;
  action?: string;
  field: 'name' | 'email' | 'password';
  was: string;
  onSend: (text: string) => Promise<Outcome>;
  onDone: () => void;
  onClose: () => void;
  children: (parts: {
    value: string;
    onText: (text: string) => void;
    error?: string | undefined;
  }) => ReactNode;
}): ReactElement {
  const [value, onText] = useState(was);
  const save = async () => {
    const outcome = await onSend(value);
    if (outcome.__typename === 'Done') onDone();
    return outcome;
  };
  return (
    <FormDialog title={title} action={action} shown={[field]} onClose={onClose} onSubmit={save}>
      {(errors) => children({ value, onText, error: errors[field] })}
    </FormDialog>
  );
}
