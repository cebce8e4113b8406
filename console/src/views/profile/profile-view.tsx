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
import { PasswordField, TextField } from '../../parts/field.tsx';
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
          title={t.changeName}
          label={t.name}
          path="profile"
          field="name"
          was={user.name}
          onDone={changed}
          onClose={close}
        />
      )}
      {asked === 'email' && (
        <OneField
          title={t.changeEmail}
          label={texts.signIn.email}
          path="email"
          field="email"
          was={user.email}
          hint={methods.mail ? t.emailHint : undefined}
          onDone={() => {
            changed();
            if (methods.mail) showToast(t.emailSent);
          }}
          onClose={close}
        />
      )}
      {asked === 'password' && <NewPassword hasPassword={hasPassword} onDone={changed} onClose={close} />}
      {asked === 'passkey' && (
        <NewPasskey names={passkeys.map(({ name }) => name)} onDone={changed} onClose={close} />
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

/** Changes one field of the user. */
function OneField({
  title,
  label,
  path,
  field,
  was,
  hint,
  onDone,
  onClose,
}: {
  title: string;
  label: string;
  path: string;
  field: 'name' | 'email';
  was: string;
  hint?: string | undefined;
  onDone: () => void;
  onClose: () => void;
}): ReactElement {
  const [text, setText] = useState(was);
  const save = async () => {
    const outcome = await send(path, { [field]: text });
    if (outcome.__typename === 'Done') onDone();
    return outcome;
  };
  return (
    <FormDialog title={title} shown={[field]} onClose={onClose} onSubmit={save}>
      {(errors) => (
        <TextField
          label={label}
          type={field === 'email' ? 'email' : 'text'}
          value={text}
          onText={setText}
          error={errors[field]}
          hint={hint}
          autoFocus
        />
      )}
    </FormDialog>
  );
}

function NewPassword({
  hasPassword,
  onDone,
  onClose,
}: {
  hasPassword: boolean;
  onDone: () => void;
  onClose: () => void;
}): ReactElement {
  const [password, setPassword] = useState('');
  const save = async (): Promise<Outcome> => {
    const outcome = await send('password', { password });
    if (outcome.__typename === 'Done') onDone();
    return outcome;
  };
  return (
    <FormDialog
      title={hasPassword ? t.changePassword : t.setPassword}
      shown={['password']}
      onClose={onClose}
      onSubmit={save}
    >
      {(errors) => (
        <>
          <PasswordField
            label={texts.entrances.newPassword}
            value={password}
            onText={setPassword}
            error={errors.password}
            hint={texts.entrances.passwordHint}
            autoFocus
          />
          <p className="hint">{t.endsSessions}</p>
        </>
      )}
    </FormDialog>
  );
}

function NewPasskey({
  names,
  onDone,
  onClose,
}: {
  names: readonly string[];
  onDone: () => void;
  onClose: () => void;
}): ReactElement {
  const device = deviceOf(navigator.userAgent);
  const [name, setName] = useState(names.includes(device) ? `${device} ${names.length + 1}` : device);
  const save = async (): Promise<Outcome> => {
    const outcome = await addPasskey(name);
    if (outcome.__typename === 'Done') onDone();
    return outcome;
  };
  return (
    <FormDialog title={t.addPasskey} action={t.goOn} shown={['name']} onClose={onClose} onSubmit={save}>
      {(errors) => (
        <>
          <TextField
            label={t.passkeyName}
            value={name}
            onText={setName}
            error={errors.name}
            maxLength={100}
            autoFocus
          />
          <p className="hint">{t.passkeyHint}</p>
        </>
      )}
    </FormDialog>
  );
}
