import { type FormEvent, type ReactElement, useState } from 'react';
import { Brand } from '../parts/brand.tsx';
import { TextField } from '../parts/field.tsx';
import { useTitle } from '../parts/title.ts';
import { texts } from '../texts.ts';

export function SignIn({
  why,
  kept,
  onKey,
}: {
  why: string | null;
  /** The key of the tab, if it could not be checked. */
  kept: string | null;
  onKey: (key: string) => Promise<void>;
}): ReactElement {
  const [key, setKey] = useState(kept ?? '');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() === '' || isBusy) return;
    setBusy(true);
    await onKey(key.trim());
    setBusy(false);
  };
  const t = texts.signIn;
  useTitle(t.title);
  return (
    <main className="gate">
      <form className="card" onSubmit={submit}>
        <a className="brand" href="/">
          <Brand />
        </a>
        <h1>{t.title}</h1>
        <p className="lead">{t.lead}</p>
        <TextField
          label={t.key}
          type="password"
          value={key}
          onText={setKey}
          required
          spellCheck={false}
          autoFocus
        />
        <p className="told" role="alert">
          {why}
        </p>
        <button type="submit" className="button" disabled={isBusy}>
          {isBusy ? t.checking : t.open}
        </button>
        <p className="hint">{t.noKey}</p>
        <p className="hint">{t.note}</p>
      </form>
    </main>
  );
}
