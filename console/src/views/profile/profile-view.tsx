import { type ComponentProps, type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { passkeyHint, useMethods } from '../../app/sign-in.tsx';
import { attempt } from '../../data/actions.ts';
import { ask, goToProvider, type Profile, send } from '../../data/auth.ts';
import { announceKinds } from '../../data/bus.ts';
import { Fault } from '../../data/faults.ts';
import { addPasskey } from '../../data/passkeys.ts';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import { RevokeSessionDocument, SessionsDocument } from '../../generated/documents.ts';
import { EmailField, NewPasswordField, TextField } from '../../parts/field.tsx';
import type { Outcome } from '../../parts/form.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { ago, atMoment, onDay } from '../../parts/format.ts';
import { FaultNotice, Skeleton } from '../../parts/notice.tsx';
import { Records, RecordsHead } from '../../parts/records.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { texts } from '../../texts.ts';
import { deviceOf } from './device.ts';

const t = texts.profile;

/** A dialog that is open: one field, or a question. */
interface Asked {
  readonly title: string;
  readonly action?: string;
  readonly field?: 'name' | 'email' | 'password';
  readonly was?: string;
  readonly Field?: (props: FieldParts) => ReactElement;
  readonly hint?: string | undefined;
  readonly note?: string;
  send(text: string): Promise<Outcome>;
}

/** What a path below `/auth/` answers, and why there is nothing else. */
function useAsk<Answer>(path: string): { data: Answer | null; fault: Fault | null; again(): void } {
  const [data, setData] = useState<Answer | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const again = () => {
    ask<Answer>(path).then(
      (answer) => {
        setData(answer);
        setFault(null);
      },
      (error: unknown) => {
        if (!(error instanceof Fault)) throw error;
        setFault(error);
      },
    );
  };
  useEffect(again, [path]);
  return { data, fault, again };
}

/** How somebody is called, and signs in. */
export function ProfileView(): ReactElement {
  const { data: profile, fault, again } = useAsk<Profile>('profile');
  const methods = useMethods();
  const [asked, setAsked] = useState<Asked | null>(null);
  const head = <RecordsHead title={t.title} lead={t.lead} />;
  if (!profile || !methods)
    return (
      <>
        {head}
        {fault ? <FaultNotice fault={fault} again={again} /> : <Skeleton rows={4} />}
      </>
    );
  const { user, passkeys, identities, hasPassword } = profile;
  const { mail } = methods;
  const device = deviceOf(navigator.userAgent);
  const deviceName = passkeys.some(({ name }) => name === device)
    ? `${device} ${passkeys.length + 1}`
    : device;
  const link = () => attempt('link', () => goToProvider({ to: location.pathname, link: true }));
  const changeEmail = async (email: string) => {
    const outcome = await send('email', { email });
    if (mail && outcome.__typename === 'Done') showToast(t.emailSent);
    return outcome;
  };
  const name: Asked = {
    title: t.changeName,
    field: 'name',
    was: user.name,
    send: (name) => send('profile', { name }),
  };
  const email: Asked = {
    title: t.changeEmail,
    field: 'email',
    was: user.email,
    Field: EmailField,
    send: changeEmail,
  };
  const password: Asked = {
    ...{ title: hasPassword ? t.changePassword : t.setPassword, field: 'password', Field: NewPasswordField },
    ...{ note: t.endsSessions, send: (password) => send('password', { password }) },
  };
  const passkey: Asked = {
    ...{ title: t.addPasskey, action: t.goOn, field: 'name', was: deviceName, hint: t.passkeyHint },
    send: addPasskey,
  };
  const removal = (kind: 'passkey' | 'identity', id: string, name: string): Asked => ({
    ...{ title: t.removeTitle(name), action: t.remove, note: t.endsSessions },
    send: () => send(`${kind}/remove`, { id }),
  });
  return (
    <>
      {head}
      <Section title={t.you}>
        <Row name={user.name} about={t.name} action={t.change} onAction={() => setAsked(name)} />
        <Row
          {...{ name: user.email, about: texts.signIn.email, action: t.change }}
          onAction={() => setAsked({ ...email, hint: mail ? t.emailHint : undefined })}
        />
        {methods.password && (
          <Row
            {...{ name: hasPassword ? t.hasPassword : t.noPassword, about: texts.signIn.password }}
            action={hasPassword ? t.change : t.set}
            onAction={() => setAsked(password)}
          />
        )}
      </Section>
      {(methods.password || passkeys.length > 0) && (
        <Section
          {...{ title: t.passkeys, lead: passkeyHint(methods) ?? t.passkeysLead }}
          create={methods.passkeys ? t.addPasskey : undefined}
          onCreate={() => setAsked(passkey)}
        >
          {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
            <Row
              key={id}
              name={name}
              about={`${t.added(onDay(createdAt))} · ${lastUsedAt === null ? t.unused : t.lastUsed(ago(lastUsedAt))}`}
              action={t.remove}
              onAction={() => setAsked(removal('passkey', id, name))}
            />
          ))}
        </Section>
      )}
      {(methods.openid || identities.length > 0) && (
        <Section
          {...{ title: t.identities, lead: t.identitiesLead }}
          create={methods.openid ? t.link(methods.openid.name) : undefined}
          onCreate={link}
        >
          {identities.map(({ id, issuer, createdAt }) => (
            <Row
              key={id}
              {...{ name: issuer, about: t.added(onDay(createdAt)), action: t.remove }}
              onAction={() => setAsked(removal('identity', id, issuer))}
            />
          ))}
        </Section>
      )}
      <Sessions />
      {asked && <AskedDialog asked={asked} onClose={() => setAsked(null)} onDone={again} />}
    </>
  );
}

function AskedDialog(props: { asked: Asked; onClose: () => void; onDone: () => void }): ReactElement {
  const {
    title,
    action = texts.save,
    field,
    was = '',
    Field = NameField,
    hint,
    note,
    ...asked
  } = props.asked;
  const [value, onText] = useState(was);
  const save = async () => {
    const outcome = await asked.send(value);
    props.onDone();
    // The views show the name, too.
    announceKinds('MEMBER');
    return outcome;
  };
  const shown = field === undefined ? [] : [field];
  return (
    <FormDialog title={title} action={action} shown={shown} onClose={props.onClose} onSubmit={save}>
      {(errors) => (
        <>
          {field && <Field {...{ value, onText, error: errors[field], ...(hint && { hint }) }} autoFocus />}
          {note && <p className="hint">{note}</p>}
        </>
      )}
    </FormDialog>
  );
}

type FieldParts = Omit<ComponentProps<typeof TextField>, 'label'>;
const NameField = (props: FieldParts) => <TextField {...props} label={t.name} maxLength={100} />;

interface SectionProps {
  readonly title: string;
  readonly lead?: string;
  readonly create?: string | undefined;
  onCreate?(): void;
  readonly children: ReactNode;
}

function Section({ title, lead, create, onCreate, children }: SectionProps): ReactElement {
  const isEmpty = Array.isArray(children) && children.length === 0;
  return (
    <section className="part" aria-label={title}>
      <header className="page-head">
        <div>
          <h2>{title}</h2>
          <p className="quiet">{lead}</p>
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
function Row(props: { name: string; about: string; action?: string; onAction?: () => void }): ReactElement {
  const { name, about, action, onAction } = props;
  return (
    <li className="record">
      <div className="parts stacked">
        <b className="name">{name}</b>
        <span className="quiet">{about}</span>
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
  if (fault && !data) return <FaultNotice fault={fault} again={again} />;
  return (
    <Section title={t.sessions} lead={t.sessionsLead}>
      {data?.viewer.sessions.map(({ id, device, signedInAt, lastUsedAt, isCurrent }) => (
        <Row
          key={id}
          name={isCurrent ? t.thisOne(deviceOf(device)) : deviceOf(device)}
          about={t.session(atMoment(signedInAt), ago(lastUsedAt))}
          {...(!isCurrent && { action: t.end, onAction: () => void end(id) })}
        />
      ))}
    </Section>
  );
}
