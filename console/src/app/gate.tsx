import type { FormEvent, ReactElement, ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { BlockedAtGate } from '../parts/blocked.tsx';
import { Brand } from '../parts/brand.tsx';
import { LanguageChoice } from '../parts/language-choice.tsx';
import { useTitle } from '../parts/title.ts';
import { texts } from '../texts.ts';

interface GateProps {
  readonly title: string;
  readonly lead?: string | undefined;
  onSubmit?(event: FormEvent): void;
  readonly children: ReactNode;
}

/** A page before the console: a card with a form or a text. */
export function Gate({ title, lead, onSubmit, children }: GateProps): ReactElement {
  useTitle(title);
  const content = (
    <>
      <a className="brand" href="/">
        <Brand />
      </a>
      <h1>{title}</h1>
      {lead !== undefined && <p className="lead quiet">{lead}</p>}
      <BlockedAtGate />
      {children}
      {!isSecureContext && <p className="hint">{texts.signIn.plainHttp}</p>}
    </>
  );
  return (
    <main className="gate">
      {onSubmit ? (
        <form className="card stack" onSubmit={onSubmit} noValidate>
          {content}
        </form>
      ) : (
        <div className="card stack">{content}</div>
      )}
      <LanguageChoice />
    </main>
  );
}

/** Stands in place of a page that needs an answer first. */
export const waiting = <div className="entering" aria-busy="true" />;

/** The error of a form, and the button that sends it. */
export function GateEnd(props: { message: string; isBusy: boolean; action: string }): ReactElement {
  const { message, isBusy, action } = props;
  return (
    <>
      <p className="told" role="alert">
        {message}
      </p>
      <Button text={action} type="submit" aria-disabled={isBusy} />
    </>
  );
}
