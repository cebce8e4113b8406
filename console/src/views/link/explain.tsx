import { type FormEvent, type ReactElement, useState } from 'react';
import { useClient } from 'urql';
import { showFault } from '../../data/actions.ts';
import { faultOf } from '../../data/faults.ts';
import { targetChoices } from '../../data/target-choices.ts';
import { ExplainDocument, type ExplainQuery } from '../../generated/documents.ts';
import { Choice, type ChoiceItem } from '../../parts/choice.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { fromLocalInput } from '../../parts/format.ts';
import { texts } from '../../texts.ts';

/** What visitors' browsers send, by device. */
const agents = {
  IPHONE:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  ANDROID:
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  WINDOWS:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  MAC: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  LINUX: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  BOT: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
} as const;
type Device = keyof typeof agents;
const devices = Object.keys(agents) as Device[]; // The names of the object above.

/** Says what a visitor would get, and why. */
export function Explain({ id }: { id: string }): ReactElement {
  const client = useClient();
  const [country, setCountry] = useState<ChoiceItem | null>(null);
  const [language, setLanguage] = useState<ChoiceItem | null>(null);
  const [device, setDevice] = useState<Device>('IPHONE');
  const [at, setAt] = useState('');
  const [password, setPassword] = useState('');
  const [query, setQuery] = useState('');
  const [result, setResult] = useState<{ who: string; decision: ExplainQuery['explainRedirect'] } | null>(
    null,
  );
  const t = texts.explain;
  const ask = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      linkId: id,
      userAgent: agents[device],
      ...(country && { country: country.id }),
      ...(language && { acceptLanguage: language.id }),
      ...(at && { at: fromLocalInput(at) }),
      ...(password && { password }),
      ...(query && { query: query.replace(/^\?/, '') }),
    };
    const { data, error } = await client
      .query(ExplainDocument, { input }, { requestPolicy: 'network-only' })
      .toPromise();
    if (error) showFault(faultOf(error));
    if (data)
      setResult({
        who: t.who(t.withDevices[device], country?.name, language?.name),
        decision: data.explainRedirect,
      });
  };
  return (
    <div className="explain">
      <form className="card" onSubmit={ask}>
        <p className="quiet">{t.lead}</p>
        <div className="pair">
          <Choice
            label={t.country}
            placeholder={t.any}
            items={targetChoices('COUNTRY')}
            value={country}
            onValue={setCountry}
          />
          <SelectField
            label={t.device}
            value={device}
            options={devices.map((value) => ({ value, text: t.devices[value] }))}
            onValue={setDevice}
          />
          <Choice
            label={t.language}
            placeholder={t.any}
            items={targetChoices('LANGUAGE')}
            value={language}
            onValue={setLanguage}
          />
          <TextField label={t.at} type="datetime-local" value={at} onText={setAt} hint={t.now} />
          <TextField
            label={t.password}
            type="password"
            autoComplete="off"
            value={password}
            onText={setPassword}
          />
          <TextField label={t.query} value={query} onText={setQuery} placeholder="utm_source=mail" />
        </div>
        <div className="buttons end">
          <button type="submit" className="button">
            {t.ask}
          </button>
        </div>
      </form>
      {result && (
        <section className="card" aria-live="polite">
          <h2>{t.gets(result.who, t.outcomes[result.decision.outcome] ?? result.decision.outcome)}</h2>
          {result.decision.destination !== null && <p className="address">{result.decision.destination}</p>}
          <ol className="steps">
            {result.decision.steps.map(({ rule, applied, why }) => (
              <li key={rule} className={applied ? 'applied' : undefined}>
                <b>{t.rules[rule] ?? rule}</b>
                <span>{why}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}
