import { type FormEvent, type ReactElement, useState } from 'react';
import { useClient } from 'urql';
import { focusSoon } from '../../app/focus.ts';
import { Choice } from '../../controls/choice.tsx';
import type { ChoiceItem } from '../../controls/choice-matches.ts';
import { MomentField } from '../../controls/moment-field.tsx';
import { showFault } from '../../data/actions.ts';
import { agents, type ExampleDevice, example, exampleDevices } from '../../data/agents.ts';
import { toFault } from '../../data/faults.ts';
import type { TargetList } from '../../data/link-fields.ts';
import { MAX_TESTS } from '../../data/rule-edits.ts';
import { type RuleTestField, toVisitor } from '../../data/rule-fields.ts';
import { targetChoice, targetChoices } from '../../data/target-choices.ts';
import { dismissAbout } from '../../data/toasts.ts';
import type { EditState } from '../../data/use-edit-state.ts';
import { ExplainDocument, type LinkWholeFragment } from '../../generated/documents.ts';
import { PasswordField, SelectField, TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ruleTexts } from '../../rule-texts.ts';
import { texts } from '../../texts.ts';
import { asShare, fromLocalInput, INCOMPLETE } from '../../words/format.ts';
import { type Decision, describeOutcome } from './example.tsx';
import { describeVisitor, leadingStep, Reasons, type Visit } from './reasons.tsx';

const ABOUT = 'test of a link';

/** The chosen value, and the text that is typed and not chosen. */
type Chosen = readonly [item: ChoiceItem | null, typed: string];

const chosen = (list: TargetList, key: string): Chosen => [targetChoice(list, key), ''];

/** A visitor as they are put together. */
interface Visitor {
  readonly country: Chosen;
  readonly language: Chosen;
  readonly device: ExampleDevice;
  readonly at: string;
  readonly password: string;
  readonly query: string;
  readonly referrer: string;
}

/** The visitor with whom the test begins. */
const begin = (): Visitor => ({
  country: chosen('COUNTRY', example.country),
  language: chosen('LANGUAGE', example.language),
  device: example.device,
  ...{ at: '', password: '', query: '', referrer: '' },
});

const plainQuery = ({ query }: Visitor): string => query.replace(/^\?/, '');

/** The visitor of a test of the rules. */
const toTestVisitor = (visitor: Visitor): RuleTestField['visitor'] =>
  toVisitor((fact) => {
    if (fact === 'country') return visitor.country[0]?.id ?? '';
    if (fact === 'language') return visitor.language[0]?.id ?? '';
    if (fact === 'userAgent') return agents[visitor.device];
    if (fact === 'query') return plainQuery(visitor);
    if (fact === 'referrer') return visitor.referrer;
    return fact === 'at' ? (fromLocalInput(visitor.at) ?? '') : '';
  });

/** The fields of a visitor. */
function VisitorFields({
  visitor,
  onVisitor,
}: {
  visitor: Visitor;
  onVisitor: (patch: Partial<Visitor>) => void;
}): ReactElement {
  const { country, language, device, at, password, query, referrer } = visitor;
  const t = texts.explain;
  return (
    <div className="pair">
      <Choice
        label={t.country}
        placeholder={t.any}
        items={targetChoices('COUNTRY')}
        value={country[0]}
        typed={country[1]}
        onValue={(...value) => onVisitor({ country: value })}
      />
      <SelectField
        label={t.device}
        value={device}
        options={exampleDevices.map((value) => ({ value, text: t.devices[value] }))}
        onValue={(value) => onVisitor({ device: value })}
      />
      <Choice
        label={t.language}
        placeholder={t.any}
        items={targetChoices('LANGUAGE')}
        value={language[0]}
        typed={language[1]}
        onValue={(...value) => onVisitor({ language: value })}
      />
      <MomentField label={t.at} value={at} onText={(text) => onVisitor({ at: text })} hint={t.now} />
      <TextField
        label={t.query}
        value={query}
        onText={(text) => onVisitor({ query: text })}
        placeholder="utm_source=mail"
        hint={t.queryHint}
      />
      <TextField
        label={t.referrer}
        value={referrer}
        onText={(text) => onVisitor({ referrer: text })}
        placeholder="example.com"
        hint={t.referrerHint}
      />
      <PasswordField
        label={t.password}
        autoComplete="off"
        value={password}
        onText={(text) => onVisitor({ password: text })}
      />
    </div>
  );
}

interface Result {
  readonly asked: string;
  readonly visit: Visit;
  readonly visitor: RuleTestField['visitor'];
  readonly decision: Decision;
}

/** Keeps what a visitor gets as a test of the rules, by the rule that leads. */
function KeepTest({ result, edit }: { result: Result; edit: EditState }): ReactElement | null {
  const { rules, ruleTests } = edit.fields;
  const t = ruleTexts;
  const lead = leadingStep(result.decision);
  const isDecided = ['REDIRECT', 'PIXELS', 'LOOP'].includes(result.decision.outcome);
  if (!isDecided || (rules.length === 0 && ruleTests.length === 0)) return null;
  // A rule may have another name in the form by now.
  const name = rules.find(({ id }) => id === lead?.linkRule?.ruleId)?.name ?? lead?.linkRule?.name ?? '';
  const test: RuleTestField = {
    visitor: result.visitor,
    expect: lead === undefined ? { is: 'noRule', text: '' } : { is: 'rule', text: name },
  };
  const isKept = ruleTests.some((one) => JSON.stringify(one.visitor) === JSON.stringify(test.visitor));
  const isFull = ruleTests.length >= MAX_TESTS;
  return (
    <div className="buttons keep">
      <button
        type="button"
        className="button quiet"
        aria-disabled={isKept || isFull}
        onClick={() => isKept || isFull || edit.change({ ruleTests: [...ruleTests, test] })}
      >
        <Icon name="check" /> {t.keep}
      </button>
      <span className="hint" role="status">
        {isKept ? t.kept : isFull && t.tooManyTests}
      </span>
    </div>
  );
}

/** Says what a visitor would get, and why. */
export function Explain({ link, edit }: { link: LinkWholeFragment; edit: EditState | null }): ReactElement {
  const client = useClient();
  const [visitor, setVisitor] = useState<Visitor>(begin);
  const [result, setResult] = useState<Result | null>(null);
  const { country, language, device, at, password, referrer } = visitor;
  // The result is about the former visitor.
  const asked = JSON.stringify(visitor);
  const t = texts.explain;
  const ask = async (event: FormEvent) => {
    event.preventDefault();
    dismissAbout(ABOUT);
    if (at === INCOMPLETE) return focusSoon('.explain [type="datetime-local"]');
    if (country[1] !== '' || language[1] !== '') return focusSoon('.explain [aria-invalid="true"]');
    const query = plainQuery(visitor);
    const input = {
      linkId: link.id,
      userAgent: agents[device],
      ...(country[0] && { country: country[0].id }),
      ...(language[0] && { acceptLanguage: language[0].id }),
      ...(at && { at: fromLocalInput(at) }),
      ...(password && { password }),
      ...(query && { query }),
      ...(referrer && { referrer }),
    };
    const { data, error } = await client
      .query(ExplainDocument, { input }, { requestPolicy: 'network-only' })
      .toPromise();
    if (error) showFault(toFault(error), ABOUT);
    if (!data) return;
    const time = at === '' ? Date.now() : new Date(at).getTime();
    const names = { country: country[0]?.name, language: language[0]?.name };
    setResult({
      ...{ asked, visit: { link, device, ...names, at: time }, visitor: toTestVisitor(visitor) },
      decision: data.explainRedirect,
    });
  };
  return (
    <div className="explain">
      <form className="card" onSubmit={ask}>
        <p className="quiet">{t.lead}</p>
        <VisitorFields
          visitor={visitor}
          onVisitor={(patch) => setVisitor((before) => ({ ...before, ...patch }))}
        />
        <div className="buttons end">
          <button type="submit" className="button">
            {t.ask}
          </button>
        </div>
      </form>
      {result?.asked === asked && <Told result={result} edit={edit} />}
    </div>
  );
}

/** The result of a visit in words: of a split, all destinations with their shares. */
function Told({ result, edit }: { result: Result; edit: EditState | null }): ReactElement {
  const { decision, visit } = result;
  const shares = leadingStep(decision)?.linkRule?.shares ?? [];
  const isSplit = shares.length > 0 && decision.destination !== null;
  const t = texts.explain;
  const targets = visit.link.rules.flatMap(({ to }) => to);
  return (
    <section className="card" aria-live="polite">
      <h2>{t.gets(describeVisitor(visit), isSplit ? ruleTexts.isSplit : describeOutcome(decision))}</h2>
      {isSplit ? (
        <ul>
          {shares.map(({ targetId, name, share }) => (
            <li key={targetId} className="address">
              {asShare(share)} {targets.find(({ id }) => id === targetId)?.url ?? name}
            </li>
          ))}
        </ul>
      ) : (
        decision.destination !== null && <p className="address">{decision.destination}</p>
      )}
      <Reasons decision={decision} visit={visit} />
      {edit && <KeepTest result={result} edit={edit} />}
    </section>
  );
}
