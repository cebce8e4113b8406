import { type ComponentProps, type ReactElement, type ReactNode, useState } from 'react';
import { passkeyHint, useMethods } from '../../app/sign-in.tsx';
import { Button } from '../../controls/button.tsx';
import { attempt } from '../../data/actions.ts';
import { type About, goToProvider, type Profile, send, useAsk } from '../../data/auth.ts';
import { announceKinds } from '../../data/bus.ts';
import { addPasskey } from '../../data/passkeys.ts';
import type { Outcome } from '../../data/refusals.ts';
import { showToast } from '../../data/toasts.ts';
import { EmailField, ForEmail, NewPasswordField, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LanguageChoice } from '../../parts/language-choice.tsx';
import { Unread } from '../../parts/notice.tsx';
import { Records, RecordsHead } from '../../parts/records.tsx';
import { texts } from '../../texts.ts';
import { ago, atMoment, betweenUtcDays, onDay } from '../../words/format.ts';
import { describeDevice } from './device.ts';

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
  /** The message after it is done. */
  readonly told?: string;
  send(text: string): Promise<Outcome>;
}

/** The user's name and sign-in methods. */
export function ProfileView(): ReactElement {
  const { data: profile, fault, again } = useAsk<Profile>('profile');
  const methods = useMethods();
  const { data: program } = useAsk<About>('about');
  const day = program?.countriesAsOf ?? null;
  const [asked, setAsked] = useState<Asked | null>(null);
  const head = <RecordsHead title={t.title} lead={t.lead} />;
  if (!profile || !methods)
    return (
      <>
        {head}
        <Unread fault={fault} again={again} rows={4} />
      </>
    );
  const { user, passkeys, identities, sessions, hasPassword } = profile;
  const { mail } = methods;
  const device = describeDevice(navigator.userAgent);
  const deviceName = passkeys.some(({ name }) => name === device)
    ? `${device} ${passkeys.length + 1}`
    : device;
  const link = () => attempt('link', () => goToProvider({ to: location.pathname, link: true }));
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
    note: mail ? t.emailByMail : t.emailAtOnce,
    told: mail ? t.emailSent : t.emailChanged,
    send: (email) => send('email', { email }),
  };
  const password: Asked = {
    ...{ title: hasPassword ? t.changePassword : t.setPassword, field: 'password', Field: NewPasswordField },
    ...{ note: t.endsSessions, told: t.passwordChanged },
    send: (password) => send('password', { password }),
  };
  const passkey: Asked = {
    ...{ title: t.addPasskey, action: t.goOn, field: 'name', was: deviceName, hint: t.passkeyHint },
    send: addPasskey,
  };
  const removal = (kind: 'passkey' | 'identity', id: string, name: string): Asked => ({
    ...{ title: t.removeTitle(name), action: t.remove, note: t.endsSessions },
    send: () => send(`${kind}/remove`, { id }),
  });
  const ending = (id: string, name: string): Asked => ({
    ...{ title: t.endTitle(name), action: t.end, send: () => send('session/remove', { id }) },
  });
  return (
    <>
      {head}
      <div className="settings stack">
        <Section title={t.you}>
          <Row name={user.name} kind={t.name} action={t.change} onAction={() => setAsked(name)} />
          <Row
            {...{ name: user.email, kind: texts.signIn.email, action: t.change }}
            onAction={() => setAsked(email)}
          />
          {methods.password && (
            <Row
              {...{ name: hasPassword ? t.hasPassword : t.noPassword, kind: texts.signIn.password }}
              label={texts.signIn.password}
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
        <Section title={t.sessions} lead={t.sessionsLead}>
          {sessions.map(({ id, device, signedInAt, lastUsedAt, isCurrent }) => (
            <Row
              key={id}
              name={isCurrent ? t.thisOne(describeDevice(device)) : describeDevice(device)}
              about={t.session(atMoment(signedInAt), ago(lastUsedAt))}
              {...(!isCurrent && {
                action: t.end,
                onAction: () => setAsked(ending(id, describeDevice(device))),
              })}
            />
          ))}
        </Section>
        <section className="card stack" aria-label={texts.product}>
          <h2>{texts.product}</h2>
          <LanguageChoice />
          {program && (
            <p className="hint">
              {t.program(
                `${program.version} (${program.commit})`,
                day && betweenUtcDays({ from: day, to: day }),
              )}
            </p>
          )}
        </section>
      </div>
      {asked && (
        <AskedDialog {...{ asked, email: user.email, onDone: again }} onClose={() => setAsked(null)} />
      )}
    </>
  );
}

function AskedDialog(props: {
  asked: Asked;
  email: string;
  onClose: () => void;
  onDone: () => void;
}): ReactElement {
  const {
    title,
    action = texts.save,
    field,
    was = '',
    Field = NameField,
    hint,
    note,
    told,
    ...asked
  } = props.asked;
  const [value, onText] = useState(was);
  const save = async () => {
    const outcome = await asked.send(value);
    if (told && outcome.__typename === 'Done') showToast(told);
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
          {field === 'password' && <ForEmail email={props.email} />}
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
    <section className="card stack" aria-label={title}>
      <h2>{title}</h2>
      {lead !== undefined && <p className="hint">{lead}</p>}
      {create !== undefined && (
        <div className="buttons">
          <Button look="quiet" text={create} onClick={onCreate} />
        </div>
      )}
      {!isEmpty && <Records>{children}</Records>}
    </section>
  );
}

interface RowProps {
  readonly name: string;
  /** Stands above the name, as the label of a field does. */
  readonly kind?: string;
  /** Details below the name. */
  readonly about?: string;
  /** The name of the row in that of its button. */
  readonly label?: string;
  readonly action?: string;
  onAction?(): void;
}

/** A name with a label or details, and a button for its action. */
function Row({ name, kind, about, label = name, action, onAction }: RowProps): ReactElement {
  return (
    <li className="record">
      <div className="parts flow stacked">
        {kind && <span className="quiet">{kind}</span>}
        <b className="name">
          <bdi>{name}</bdi>
        </b>
        {about && <span className="quiet">{about}</span>}
      </div>
      {action && (
        <Button look="text" text={action} aria-label={texts.labelled(action, label)} onClick={onAction} />
      )}
    </li>
  );
}
