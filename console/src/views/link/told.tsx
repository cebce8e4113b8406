import type { ReactElement } from 'react';
import type { LinkFields } from '../../data/link-fields.ts';
import { MAX_TESTS } from '../../data/rule-edits.ts';
import type { RuleTestField } from '../../data/rule-fields.ts';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { Icon } from '../../parts/icon.tsx';
import { ruleTexts } from '../../rule-texts.ts';
import { texts } from '../../texts.ts';
import { asShare } from '../../words/format.ts';
import { type Decision, describeOutcome } from './example.tsx';
import { describeVisitor, leadingStep, Reasons, ruleOf, sharesIn, type Visit } from './reasons.tsx';

/** The answer to a question. */
export interface Result {
  readonly asked: string;
  readonly visit: Visit;
  readonly visitor: RuleTestField['visitor'];
  readonly decision: Decision;
}

/** The form in which a visitor is tried. */
export interface Tried {
  /** Absent for a new link. */
  readonly link: LinkWholeFragment | undefined;
  readonly fields: LinkFields;
  /** Absent for those who may not change the link. */
  readonly onChange: ((patch: Partial<LinkFields>) => void) | undefined;
}

/** Keeps what a visitor gets as a test of the rules, by the rule that leads. */
function KeepTest({
  result,
  fields: { rules, ruleTests },
  onChange,
}: { result: Result } & Pick<Tried, 'fields' | 'onChange'>): ReactElement | null {
  const t = ruleTexts;
  const lead = leadingStep(result.decision);
  const isDecided = ['REDIRECT', 'PIXELS', 'LOOP'].includes(result.decision.outcome);
  if (!onChange || !isDecided || (rules.length === 0 && ruleTests.length === 0)) return null;
  const name = lead?.linkRule?.name ?? '';
  const test: RuleTestField = {
    visitor: result.visitor,
    expect: lead === undefined ? { is: 'noRule', text: '' } : { is: 'rule', text: name },
  };
  const isKept = ruleTests.some((one) => JSON.stringify(one.visitor) === JSON.stringify(test.visitor));
  const isFull = ruleTests.length >= MAX_TESTS;
  const led = lead && ruleOf(lead, result);
  // A rule without a name would get one by its id, which may be another one when it is saved.
  const keep = () =>
    onChange({
      ruleTests: [...ruleTests, test],
      rules: rules.map((one) => (one.key === led?.key && one.name === '' ? { ...one, name } : one)),
    });
  return (
    <div className="buttons keep">
      <button
        type="button"
        className="button quiet"
        aria-disabled={isKept || isFull}
        onClick={() => isKept || isFull || keep()}
      >
        <Icon name="check" /> {t.keep}
      </button>
      <span className="hint" role="status">
        {isKept ? t.kept : isFull && t.tooManyTests}
      </span>
    </div>
  );
}

/** The result of a visit in words: of a split, all destinations with their shares. */
export function Told({
  result,
  fields,
  onChange,
}: { result: Result } & Pick<Tried, 'fields' | 'onChange'>): ReactElement {
  const { decision, visit } = result;
  const lead = leadingStep(decision);
  const shares = lead ? sharesIn(lead, ruleOf(lead, result)) : [];
  const isSplit = shares.length > 0 && decision.destination !== null;
  const t = texts.explain;
  return (
    <section className="card" aria-live="polite">
      <h2>{t.gets(describeVisitor(visit), isSplit ? ruleTexts.isSplit : describeOutcome(decision))}</h2>
      {isSplit ? (
        <ul>
          {shares.map(({ targetId, name, share, target }) => (
            <li key={targetId} className="address">
              {asShare(share)} {target?.url ?? name}
            </li>
          ))}
        </ul>
      ) : (
        decision.destination !== null && <p className="address">{decision.destination}</p>
      )}
      <Reasons decision={decision} visit={visit} />
      <KeepTest result={result} fields={fields} onChange={onChange} />
    </section>
  );
}
