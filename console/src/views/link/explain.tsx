import { type KeyboardEvent, type ReactElement, useState } from 'react';
import { useClient } from 'urql';
import { focusSoon } from '../../app/focus.ts';
import { Choice } from '../../controls/choice.tsx';
import type { ChoiceItem } from '../../controls/choice-matches.ts';
import { MomentField } from '../../controls/moment-field.tsx';
import { showFault } from '../../data/actions.ts';
import { agents, type ExampleDevice, example, exampleDevices } from '../../data/agents.ts';
import { askedInput } from '../../data/asked-rules.ts';
import { type Fault, toFault } from '../../data/faults.ts';
import { type TargetList, toLinkFields } from '../../data/link-fields.ts';
import { refusalText, unsendable } from '../../data/refusals.ts';
import { type RuleTestField, toVisitor } from '../../data/rule-fields.ts';
import { targetChoice, targetChoices } from '../../data/target-choices.ts';
import { dismissAbout, showToast } from '../../data/toasts.ts';
import { ExplainDocument } from '../../generated/documents.ts';
import { PasswordField, SelectField, TextField } from '../../parts/field.tsx';
import { ruleTexts } from '../../rule-texts.ts';
import { texts } from '../../texts.ts';
import { fromLocalInput, INCOMPLETE } from '../../words/format.ts';
import { type Result, Told, type Tried } from './told.tsx';

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

/** Shows why a question failed: refusals are about fields of the form. */
function tellFault(fault: Fault): void {
  const [field] = fault.told.fields ?? [];
  if (field) {
    const path = field.path.slice(1);
    const where =
      path[0] === 'rules' && path[1] ? texts.labelled(ruleTexts.number(Number(path[1]) + 1), '') : '';
    showToast(where + refusalText({ fields: [{ ...field, path }] }), { wrong: true, about: ABOUT });
  } else showFault(fault, ABOUT);
}

/** Says what a visitor would get of the link as the form has it, and why. */
export function Explain({ link, fields, onChange }: Tried): ReactElement {
  const client = useClient();
  const [visitor, setVisitor] = useState<Visitor>(begin);
  const [result, setResult] = useState<Result | null>(null);
  const { country, language, device, at, password, referrer } = visitor;
  // The result is about the former visitor, or about what the form had then.
  const { ruleTests: _, ...draft } = askedInput(link, fields);
  const rules = fields.rules.map(({ when, to }) => [when, to]);
  const asked = JSON.stringify([visitor, { ...draft, rules }]);
  const t = texts.explain;
  const ask = async () => {
    dismissAbout(ABOUT);
    if (at === INCOMPLETE) return focusSoon('.explain [type="datetime-local"]');
    if (country[1] !== '' || language[1] !== '') return focusSoon('.explain [aria-invalid="true"]');
    const query = plainQuery(visitor);
    const input = {
      ...draft,
      userAgent: agents[device],
      ...(country[0] && { country: country[0].id }),
      ...(language[0] && { acceptLanguage: language[0].id }),
      ...(at && { at: fromLocalInput(at) }),
      ...(password && { password }),
      ...(query && { query }),
      ...(referrer && { referrer }),
    };
    const [wrong] = Object.values(unsendable(fields, link && toLinkFields(link)));
    if (wrong !== undefined) return showToast(wrong, { wrong: true, about: ABOUT });
    const { data, error } = await client
      .query(ExplainDocument, { input }, { requestPolicy: 'network-only' })
      .toPromise();
    if (error) tellFault(toFault(error));
    if (!data) return;
    const time = at === '' ? Date.now() : new Date(at).getTime();
    const names = { country: country[0]?.name, language: language[0]?.name };
    setResult({
      ...{ asked, visit: { link, fields, device, ...names, at: time }, visitor: toTestVisitor(visitor) },
      decision: data.explainRedirect,
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // It must not send the form around it.
    if (event.key !== 'Enter' || event.defaultPrevented || !(event.target instanceof HTMLInputElement))
      return;
    event.preventDefault();
    void ask();
  };
  return (
    <div className="explain">
      <fieldset className="card" aria-label={t.ask} onKeyDown={onKeyDown}>
        <p className="quiet">{t.lead}</p>
        <VisitorFields
          visitor={visitor}
          onVisitor={(patch) => setVisitor((before) => ({ ...before, ...patch }))}
        />
        <div className="buttons end">
          <button type="button" className="button" onClick={() => void ask()}>
            {t.ask}
          </button>
        </div>
      </fieldset>
      {result?.asked === asked && <Told result={result} fields={fields} onChange={onChange} />}
    </div>
  );
}
