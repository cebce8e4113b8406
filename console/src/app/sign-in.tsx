import { type FormEvent, type ReactElement, useState } from 'react';
import { TextField } from '../parts/field.tsx';
import { texts } from '../texts.ts';

export function SignIn({
  why,
  onKey,
}: {
  why: string | null;
  onKey: (key: string) => Promise<void>;
}): ReactElement {
  const [key, setKey] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() === '' || isBusy) return;
    setBusy(true);
    await onKey(key.trim());
    setBusy(false);
  };
  const t = texts.signIn;
  return (
    <main className="gate">
      <form className="card" onSubmit={submit}>
        <h1>{texts.product}</h1>
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
        <p className="hint">{t.note}</p>
      </form>
    </main>
  );
}
