import { type ReactElement, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../controls/button.tsx';
import { announce } from '../data/bus.ts';
import { newFields, newLinkInput } from '../data/link-fields.ts';
import { useRead } from '../data/read.ts';
import { useSession } from '../data/session.ts';
import { showToast } from '../data/toasts.ts';
import { write } from '../data/write.ts';
import { CreateLinkDocument, FirstStepsDocument } from '../generated/documents.ts';
import { copyText } from '../parts/copy.tsx';
import { TextField } from '../parts/field.tsx';
import { useForm } from '../parts/form.ts';
import { Icon } from '../parts/icon.tsx';
import { Unread } from '../parts/notice.tsx';
import { settingsTexts } from '../settings-texts.ts';
import { texts } from '../texts.ts';
import { shortUrlText } from '../words/format.ts';

const t = settingsTexts.firstSteps;

/** The first steps of a new account: a link, to share it, and an invitation. */
export function FirstSteps(): ReactElement {
  const { may } = useSession();
  const { data, fault, again } = useRead(FirstStepsDocument, {}, { on: ['LINK', 'MEMBER', 'INVITATION'] });
  const [isCopied, setCopied] = useState(false);
  if (!data) return <Unread fault={fault} again={again} rows={3} />;
  const [link] = data.links.nodes;
  const share = async (shortUrl: string) => {
    if (!(await copyText(shortUrl))) return;
    setCopied(true);
    showToast(texts.copied);
  };
  return (
    <section className="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">{t.title}</h2>
      <ol>
        <Step name={t.make} isDone={link !== undefined}>
          {link ? <p className="short-url">{shortUrlText(link.shortUrl)}</p> : <MakeLink />}
        </Step>
        <Step name={t.share} hint={t.shareHint} isDone={isCopied}>
          <Button
            look={link && !isCopied ? undefined : 'quiet'}
            icon={isCopied ? 'check' : 'copy'}
            text={texts.links.copy}
            disabled={!link}
            onClick={() => link && void share(link.shortUrl)}
          />
        </Step>
        {may('PEOPLE') && (
          <Step
            name={t.invite}
            hint={t.inviteHint}
            isDone={data.members.nodes.length > 1 || data.invitations.nodes.length > 0}
          >
            <Link href="/people" state={{ isNew: true }} className={isCopied ? 'button' : 'button quiet'}>
              <Icon name="people" />
              {t.invite}
            </Link>
          </Step>
        )}
      </ol>
    </section>
  );
}

interface StepProps {
  readonly name: string;
  readonly hint?: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

function Step({ name, hint, isDone, children }: StepProps): ReactElement {
  return (
    <li className={isDone ? 'card stack near done' : 'card stack near'}>
      <h3>
        {name}
        {isDone && <span className="badge ok">{t.done}</span>}
      </h3>
      {hint && <p className="hint">{hint}</p>}
      {children}
    </li>
  );
}

/** A form that makes a link of a URL alone. */
function MakeLink(): ReactElement {
  const session = useSession();
  const [url, setUrl] = useState('');
  const { errors, message, isBusy, submit } = useForm(
    { within: '.first-steps', shown: ['url'] },
    async () => {
      const input = newLinkInput({ ...newFields(session.viewer.account), url });
      const { createLink } = await write(session, CreateLinkDocument, { input });
      if (createLink.__typename === 'Link')
        announce([{ kind: 'LINK', recordId: createLink.id, action: 'CREATED' }]);
      return createLink;
    },
    () => undefined,
  );
  return (
    <form className="stack near" onSubmit={submit} noValidate>
      <TextField
        {...{ label: t.url, placeholder: t.placeholder, value: url, error: errors.url }}
        type="url"
        inputMode="url"
        onText={setUrl}
        autoFocus
      />
      <Button text={t.shorten} type="submit" aria-disabled={isBusy} />
      <p className="error" role="alert">
        {message}
      </p>
    </form>
  );
}
