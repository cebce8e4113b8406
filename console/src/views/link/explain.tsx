import { type FormEvent, type ReactElement, useState } from 'react';
import { useClient } from 'urql';
import { focusSoon } from '../../app/focus.ts';
import { showFault } from '../../data/actions.ts';
import { toFault } from '../../data/faults.ts';
import type { TargetList } from '../../data/link-fields.ts';
import { useRead } from '../../data/read.ts';
import { targetChoice, targetChoices } from '../../data/target-choices.ts';
import { dismissAbout } from '../../data/toasts.ts';
import {
  ExplainDocument,
  type ExplainQuery,
  type LinkWholeFragment,
  type RedirectRule,
} from '../../generated/documents.ts';
import { Address } from '../../parts/address.tsx';
import { Choice } from '../../parts/choice.tsx';
import type { ChoiceItem } from '../../parts/choice-matches.ts';
import { PasswordField, SelectField, TextField } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { atMoment, countryName, fromLocalInput, languageName } from '../../words/format.ts';

const ABOUT = 'test of a link';

/** The user agents of visitors' browsers, by device. */
const agents = {
  IPHONE:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  ANDROID:
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  // Without “Mobile”, as tablets do. Safari of an iPad says that it is a Mac.
  TABLET:
    'Mozilla/5.0 (Linux; Android 15; Pixel Tablet) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  WINDOWS:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  MAC: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  LINUX: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  BOT: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
} as const;
type Device = keyof typeof agents;
const devices = Object.keys(agents) as Device[]; // The names of the object above.

/** The chosen value, and the text that is typed and not chosen. */
type Chosen = readonly [item: ChoiceItem | null, typed: string];

/** The visitor of the example, with whom the test begins. */
const example = { device: 'IPHONE', country: 'DE', language: 'de' } as const;

type Decision = ExplainQuery['explainRedirect'];
type Step = Decision['steps'][number];

/** The rule that ends a visit with an outcome; without one, the targets decide. */
const deciding: Readonly<Partial<Record<string, RedirectRule>>> = {
  NOT_FOUND: 'EXISTS',
  DISABLED: 'DISABLED',
  BLOCKED: 'BLOCKED',
  EXPIRED: 'EXPIRED',
  PASSWORD: 'PASSWORD',
  PREVIEW: 'CLICK_LIMIT',
  LOOP: 'LOOP',
};

function describeOutcome({ outcome, destination }: Decision): string {
  const { outcomes } = texts.explain;
  return (destination === null ? undefined : outcomes[`${outcome}_TO`]) ?? outcomes[outcome] ?? outcome;
}

/** A link, and a visitor of it. */
interface Visit {
  readonly link: LinkWholeFragment;
  readonly device: Device;
  /** Their names; absent if they are unknown. */
  readonly country?: string | undefined;
  readonly language?: string | undefined;
  /** In milliseconds. */
  readonly at: number;
}

function describeVisitor({ device, country, language }: Visit): string {
  const { who, withDevices } = texts.explain;
  return who(withDevices[device], country, language);
}

/** The reason why the targets of a link apply, or do not. */
function whyTargets({ link, device, country, language }: Visit, applied: boolean): string {
  const t = texts.explain.why;
  switch (link.targeting.type) {
    case 'NONE':
      return t.noTargets;
    case 'ROTATION':
      return device === 'BOT' ? t.firstUrl : t.nextUrl;
    case 'COUNTRY':
      return country === undefined ? t.unknownCountry : t.country(country, applied);
    case 'LANGUAGE':
      return language === undefined ? t.unknownLanguage : t.language(language, applied);
    case 'PLATFORM':
      return device === 'BOT' ? t.unknownSystem : t.system(texts.explain.devices[device], applied);
  }
}

/** A rule's decision about a visit in words: the API has the reason in English only. */
function describeStep({ rule, applied }: Step, visit: Visit): string {
  const { link, device, at } = visit;
  const { hasPassword, pixels, expiration } = link;
  const t = texts.explain.why;
  switch (rule) {
    case 'EXISTS':
      return applied ? t.missing : t.exists;
    case 'DISABLED':
      return applied ? t.disabled : t.enabled;
    case 'BLOCKED':
      return applied ? t.blocked : t.notBlocked;
    case 'EXPIRED':
      if (!applied) return t.notExpired;
      if (expiration.at !== null && Date.parse(expiration.at) <= at)
        return t.expired(atMoment(expiration.at));
      return t.reached(expiration.clicks ?? 0);
    case 'PASSWORD':
      return applied ? t.wrongPassword : hasPassword ? t.rightPassword : t.noPassword;
    case 'CLICK_LIMIT':
      return applied ? t.notCounted : expiration.clicks === null ? t.noLimit : t.counted;
    case 'RULE':
      return applied ? t.ruleLeads : t.ruleFails;
    case 'TARGETING':
      return whyTargets(visit, applied);
    case 'LOOP':
      return applied ? t.loop : t.noLoop;
    case 'PIXELS':
      if (pixels.length === 0) return t.noPixels;
      return applied ? t.pixels(pixels.length) : device === 'BOT' ? t.bot : t.sentOn;
  }
}

/** The deciding reason, and below it the others before it. */
function Reasons({
  decision: { outcome, steps },
  visit,
}: {
  decision: Decision;
  visit: Visit;
}): ReactElement {
  const end = deciding[outcome];
  const decided = steps.findIndex(({ rule }) => rule === (end ?? 'TARGETING'));
  const others = end === undefined ? steps.toSpliced(decided, 1) : steps.slice(0, decided);
  const step = steps[decided];
  const t = texts.explain;
  return (
    <>
      {step && (
        <p className="deciding">
          {describeStep(step, visit)}
          {end === undefined && !step.applied && ` ${t.ownDestination}`}
        </p>
      )}
      {others.length > 0 && (
        <>
          <h3>{t.alsoChecked}</h3>
          <ul className="steps">
            {others.map((one) => (
              <li key={one.rule}>{describeStep(one, visit)}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Says what a German iPhone gets, as an example, of the link as it is saved. */
export function Example({ link }: { link: LinkWholeFragment }): ReactElement | null {
  const { device, country, language } = example;
  const input = { linkId: link.id, userAgent: agents[device], country, acceptLanguage: language };
  const { data } = useRead(ExplainDocument, { input }, { on: ['LINK'] });
  const t = texts.explain;
  if (!data) return null;
  const decision = data.explainRedirect;
  const who = t.who(t.withDevices[device], countryName(country), languageName(language));
  return (
    <p>
      {t.gets(who, describeOutcome(decision))}{' '}
      {decision.destination !== null && (
        <b className="address">
          <Address of={decision.destination} />
        </b>
      )}
    </p>
  );
}

const chosen = (list: TargetList, key: string): Chosen => [targetChoice(list, key), ''];

/** Says what a visitor would get, and why. */
export function Explain({ link }: { link: LinkWholeFragment }): ReactElement {
  const client = useClient();
  const [country, setCountry] = useState<Chosen>(() => chosen('COUNTRY', example.country));
  const [language, setLanguage] = useState<Chosen>(() => chosen('LANGUAGE', example.language));
  const [device, setDevice] = useState<Device>(example.device);
  const [at, setAt] = useState('');
  const [password, setPassword] = useState('');
  const [query, setQuery] = useState('');
  const [result, setResult] = useState<{ asked: string; visit: Visit; decision: Decision } | null>(null);
  // The result is about the former visitor.
  const asked = JSON.stringify([country, language, device, at, password, query]);
  const t = texts.explain;
  const ask = async (event: FormEvent) => {
    event.preventDefault();
    dismissAbout(ABOUT);
    if (country[1] !== '' || language[1] !== '') return focusSoon('.explain [aria-invalid="true"]');
    const input = {
      linkId: link.id,
      userAgent: agents[device],
      ...(country[0] && { country: country[0].id }),
      ...(language[0] && { acceptLanguage: language[0].id }),
      ...(at && { at: fromLocalInput(at) }),
      ...(password && { password }),
      ...(query && { query: query.replace(/^\?/, '') }),
    };
    const { data, error } = await client
      .query(ExplainDocument, { input }, { requestPolicy: 'network-only' })
      .toPromise();
    if (error) showFault(toFault(error), ABOUT);
    if (data)
      setResult({
        asked,
        visit: {
          ...{ link, device, country: country[0]?.name, language: language[0]?.name },
          at: at === '' ? Date.now() : new Date(at).getTime(),
        },
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
            value={country[0]}
            typed={country[1]}
            onValue={(...value) => setCountry(value)}
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
            value={language[0]}
            typed={language[1]}
            onValue={(...value) => setLanguage(value)}
          />
          <TextField label={t.at} type="datetime-local" value={at} onText={setAt} hint={t.now} />
          <PasswordField label={t.password} autoComplete="off" value={password} onText={setPassword} />
          <TextField
            label={t.query}
            value={query}
            onText={setQuery}
            placeholder="utm_source=mail"
            hint={t.queryHint}
          />
        </div>
        <div className="buttons end">
          <button type="submit" className="button">
            {t.ask}
          </button>
        </div>
      </form>
      {result?.asked === asked && (
        <section className="card" aria-live="polite">
          <h2>{t.gets(describeVisitor(result.visit), describeOutcome(result.decision))}</h2>
          {result.decision.destination !== null && <p className="address">{result.decision.destination}</p>}
          <Reasons decision={result.decision} visit={result.visit} />
        </section>
      )}
    </div>
  );
}
