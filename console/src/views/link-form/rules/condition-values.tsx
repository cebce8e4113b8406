import type { KeyboardEvent, ReactElement } from 'react';
import { Choice } from '../../../controls/choice.tsx';
import type { ChoiceItem } from '../../../controls/choice-matches.ts';
import { browsers } from '../../../data/browsers.ts';
import { type ConditionField, type ConditionKind, enteredValues } from '../../../data/rule-fields.ts';
import { valueName } from '../../../data/rule-words.ts';
import { targetChoices } from '../../../data/target-choices.ts';
import { Chips, without } from '../../../parts/chips.tsx';
import { TextField } from '../../../parts/field.tsx';
import { ruleTexts } from '../../../rule-texts.ts';
import { Checks } from './checks.tsx';

interface ValuesProps {
  readonly condition: ConditionField;
  readonly error: string | undefined;
  onCondition(patch: Partial<ConditionField>): void;
}

/** The values of a condition, each with a button that removes it. */
const Entered = ({ condition: { kind, values }, onCondition }: Omit<ValuesProps, 'error'>): ReactElement => (
  <Chips
    items={values.map((value) => ({ id: value, name: valueName(kind, value) || '“”' }))}
    onRemove={(value) => onCondition({ values: without(values, value) })}
  />
);

/** Values that people type, such as hosts. One that is left in the field counts, too. */
export function TypedValues(props: ValuesProps): ReactElement {
  const { condition, error, onCondition } = props;
  const t = ruleTexts;
  const enter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    // It must not send the form.
    event.preventDefault();
    onCondition({ values: enteredValues(condition), typed: '' });
  };
  return (
    <div className="with-chips">
      <TextField
        label={condition.kind === 'referrer' ? t.hosts : t.values}
        value={condition.typed}
        placeholder={condition.kind === 'referrer' ? 'example.com' : undefined}
        maxLength={1_000}
        spellCheck={false}
        autoCapitalize="off"
        hint={t.enterHint}
        onText={(typed) => onCondition({ typed })}
        onKeyDown={enter}
        error={error}
      />
      <Entered condition={condition} onCondition={onCondition} />
    </div>
  );
}

/** The name of iOS where people look for their device. */
const IOS = 'iOS (iPhone, iPad)';

/** The choices of a kind; of few ones, all are in sight. */
export function choicesOf(kind: ConditionKind): readonly ChoiceItem[] {
  if (kind === 'country') return targetChoices('COUNTRY');
  if (kind === 'language') return targetChoices('LANGUAGE');
  if (kind === 'platform')
    return targetChoices('PLATFORM').map((one) => ({ ...one, name: one.id === 'IOS' ? IOS : one.name }));
  if (kind === 'device') return Object.entries(ruleTexts.devices).map(([id, name]) => ({ id, name }));
  return browsers.map((name) => ({ id: name, name }));
}

/** Values that are chosen from a list, such as countries. */
export function ChosenValues({ condition, error, onCondition }: ValuesProps): ReactElement {
  const { kind, values, typed } = condition;
  const t = ruleTexts;
  const all = choicesOf(kind);
  if (kind === 'platform' || kind === 'device')
    return (
      <Checks
        label={t.values}
        options={all.map(({ id, name }) => ({ value: id, text: name }))}
        chosen={values}
        onChosen={(chosen) => onCondition({ values: chosen })}
        error={error}
      />
    );
  return (
    <div className="with-chips">
      <Choice
        label={t.addValue(t.kinds[kind])}
        items={all.filter(({ id }) => !values.includes(id))}
        taken={all.filter(({ id }) => values.includes(id))}
        value={null}
        typed={typed}
        onValue={(item, text) => onCondition({ typed: text, ...(item && { values: [...values, item.id] }) })}
        error={error}
      />
      <Entered condition={condition} onCondition={onCondition} />
    </div>
  );
}
