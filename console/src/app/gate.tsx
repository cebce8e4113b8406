import type { FormEvent, ReactElement, ReactNode } from 'react';
import { Brand } from '../parts/brand.tsx';
import { useTitle } from '../parts/title.ts';
import { texts } from '../texts.ts';

/** A page before the console: a card with a form, or with something to read. */
export function Gate({
  title,
  lead,
  onSubmit,
  children,
}: {
  title: string;
  lead?: string | undefined;
  onSubmit?: (event: FormEvent) => void;
  children: ReactNode;
}): ReactElement {
  useTitle(title);
  const content = (
    <>
      <a className="brand" href="/">
        <Brand />
      </a>
      <h1>{title}</h1>
      {lead !== undefined && <p className="lead">{lead}</p>}
      {children}
      {!isSecureContext && <p className="hint">{texts.signIn.plainHttp}</p>}
    </>
  );
  return (
    <main className="gate">
      {onSubmit ? (
        <form className="card" onSubmit={onSubmit}>
          {content}
        </form>
      ) : (
        <div className="card">{content}</div>
      )}
    </main>
  );
}

/** What is wrong with a form, and the button that sends it. */
export function GateEnd({
  message,
  isBusy,
  action,
}: {
  message: string;
  isBusy: boolean;
  action: string;
}): ReactElement {
  return (
    <>
      <p className="told" role="alert">
        {message}
      </p>
      <button type="submit" className="button" aria-disabled={isBusy}>
        {action}
      </button>
    </>
  );
}
