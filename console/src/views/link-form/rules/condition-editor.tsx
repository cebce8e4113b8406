import type { ReactElement } from 'react';
import { Button } from '../../../controls/button.tsx';
import { Choice } from '../../../controls/choice.tsx';
import { MomentField } from '../../../controls/moment-field.tsx';
import type { FieldErrors } from '../../../data/link-fields.ts';
import { type ConditionField, isTyped, weekdays } from '../../../data/rule-fields.ts';
import { dayName } from '../../../data/rule-words.ts';
import { SelectField, TextField } from '../../../parts/field.tsx';
import { ruleTexts } from '../../../rule-texts.ts';
import { fromLocalInput, INCOMPLETE, toLocalInput } from '../../../words/format.ts';
import { Checks } from './checks.tsx';
import { ChosenValues, TypedValues } from './condition-values.tsx';
import { GroupError } from './group-error.tsx';

export interface ConditionProps {
  readonly condition: ConditionField;
  /** The path of the condition. */
  readonly at: string;
  readonly errors: FieldErrors;
  onCondition(patch: Partial<ConditionField>): void;
}

const comparisons = ['in', 'notIn', 'exists', 'absent'] as const;

/** The first error at one of the paths, or below it. */
const errorAt = (errors: FieldErrors, ...paths: readonly string[]): string | undefined =>
  paths.flatMap((at) =>
    Object.keys(errors)
      .filter((path) => path === at || path.startsWith(`${at}.`))
      .flatMap((path) => errors[path] ?? []),
  )[0];

/** A parameter, or one of several values. */
function ListFields({ condition, at, errors, onCondition }: ConditionProps): ReactElement {
  const { kind, is, name } = condition;
  const t = ruleTexts;
  const path = `${at}.${kind}`;
  const isQuery = kind === 'query';
  const named = isQuery ? errorAt(errors, `${path}.name`) : undefined;
  const wrong = named === undefined ? errorAt(errors, path) : errorAt(errors, `${path}.in`, `${path}.notIn`);
  const needsValues = is === 'in' || is === 'notIn';
  const Values = isTyped(kind) ? TypedValues : ChosenValues;
  return (
    <div className="pair">
      {isQuery && (
        <TextField
          label={t.parameter}
          value={name}
          maxLength={255}
          spellCheck={false}
          autoCapitalize="off"
          placeholder="utm_source"
          onText={(text) => onCondition({ name: text })}
          error={named}
        />
      )}
      <SelectField
        label={isQuery ? t.comparison : t.kinds[kind]}
        value={is}
        options={comparisons
          .filter((one) => isQuery || one === 'in' || one === 'notIn')
          .map((value) => ({ value, text: t.comparisons[value] }))}
        onValue={(value) => onCondition({ is: value })}
        error={needsValues ? undefined : wrong}
      />
      {needsValues && <Values condition={condition} error={wrong} onCondition={onCondition} />}
    </div>
  );
}

function TimeFields({ condition: { from, until }, at, errors, onCondition }: ConditionProps): ReactElement {
  const t = ruleTexts;
  const asInput = (time: string) => (time === INCOMPLETE || time === '' ? time : toLocalInput(time));
  const asTime = (text: string) => (text === INCOMPLETE ? text : (fromLocalInput(text) ?? ''));
  const last = errorAt(errors, `${at}.time.until`);
  return (
    <div className="pair">
      <MomentField
        label={t.from}
        value={asInput(from)}
        error={errorAt(errors, `${at}.time.from`) ?? (last === undefined ? errorAt(errors, at) : undefined)}
        onText={(text) => onCondition({ from: asTime(text) })}
      />
      <MomentField
        label={t.until}
        value={asInput(until)}
        error={last}
        onText={(text) => onCondition({ until: asTime(text) })}
      />
    </div>
  );
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const zoneItem = (id: string) => ({ id, name: id.replaceAll('_', ' '), words: [id] });
const zoneItems = zones.map(zoneItem);

function HoursFields({ condition, at, errors, onCondition }: ConditionProps): ReactElement {
  const { days, starts, ends, timeZone, zoneTyped } = condition;
  const t = ruleTexts;
  const path = `${at}.hours`;
  return (
    <>
      <Checks
        label={t.onDays}
        options={weekdays.map((value) => ({ value, text: dayName(value) }))}
        chosen={days}
        onChosen={(chosen) => onCondition({ days: chosen })}
        error={errorAt(errors, `${path}.days`)}
      />
      <div className="pair">
        <TextField
          label={t.starts}
          type="time"
          value={starts}
          onText={(text) => onCondition({ starts: text })}
          error={errorAt(errors, `${path}.from`)}
        />
        <TextField
          label={t.ends}
          type="time"
          value={ends}
          onText={(text) => onCondition({ ends: text })}
          hint={t.hoursHint}
          error={errorAt(errors, `${path}.to`)}
        />
        <Choice
          label={t.timeZone}
          items={zoneItems}
          value={timeZone === '' ? null : zoneItem(timeZone)}
          typed={zoneTyped}
          onValue={(item, typed) => onCondition({ timeZone: item?.id ?? '', zoneTyped: typed })}
          error={errorAt(errors, `${path}.timeZone`) ?? errors[path] ?? errors[at]}
        />
      </div>
    </>
  );
}

/** The fields of a condition. */
export function ConditionEditor(props: ConditionProps & { onDone: () => void }): ReactElement {
  const { condition, at, errors, onDone } = props;
  const { kind } = condition;
  const t = ruleTexts;
  const Fields = kind === 'time' ? TimeFields : kind === 'hours' ? HoursFields : ListFields;
  return (
    <fieldset className="condition" aria-label={t.kinds[kind]}>
      <Fields {...props} />
      <div className="buttons">
        <span className="hint">{t.kindHints[kind]}</span>
        <Button look="quiet small" text={t.done} onClick={onDone} />
      </div>
      <GroupError id={`${at}-error`} error={kind === 'time' || kind === 'hours' ? undefined : errors[at]} />
    </fieldset>
  );
}
