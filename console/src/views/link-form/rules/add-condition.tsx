import type { ReactElement } from 'react';
import { Choice } from '../../../controls/choice.tsx';
import type { ChoiceItem } from '../../../controls/choice-matches.ts';
import { newCondition } from '../../../data/rule-edits.ts';
import { type ConditionField, type ConditionKind, conditionKinds } from '../../../data/rule-fields.ts';
import { months, plain, typedDay } from '../../../data/typed-day.ts';
import { ruleTexts } from '../../../rule-texts.ts';
import { foldName, timeZone } from '../../../words/format.ts';
import { choicesOf } from './condition-values.tsx';

/** A condition that a text may mean. */
interface Suggestion extends ChoiceItem {
  readonly condition: ConditionField;
}

const suggestion = (
  kind: ConditionKind,
  name: string,
  words: readonly string[],
  patch: Partial<ConditionField> = {},
): Suggestion => ({
  ...{ id: `${kind} ${JSON.stringify(patch)}`, name, words },
  condition: { ...newCondition(kind, timeZone), ...patch },
});

/** All kinds of conditions, without a value. */
const makeKinds = (): Suggestion[] =>
  conditionKinds.map((kind) => suggestion(kind, ruleTexts.kinds[kind], []));

let values: readonly Suggestion[] | null = null;
/** A condition for each value that can be chosen, such as a country. */
function makeValues(): readonly Suggestion[] {
  const t = ruleTexts;
  values ??= (['platform', 'country', 'device', 'browser', 'language'] as const).flatMap((kind) =>
    choicesOf(kind).map(({ id, name, words = [] }) =>
      suggestion(kind, t.listed(t.kinds[kind], name), [name, ...words], { values: [id] }),
    ),
  );
  return values;
}

/** True if a text begins like a time, such as “until Dec”. */
function isAboutTime(typed: string): boolean {
  const known = [...plain(ruleTexts.timeWords).split(' '), ...months];
  return plain(typed)
    .split(/[\s.,'’]+/)
    .every((word) => /^\d*$/.test(word) || known.some((one) => one.startsWith(word)));
}

/** Periods with the day that was typed as their border; without a day, a period to fill in. */
function makePeriods(typed: string): Suggestion[] {
  const day = typedDay(typed);
  const t = ruleTexts;
  const isOpen = day === null && !foldName(t.kinds.time).includes(foldName(typed)) && isAboutTime(typed);
  if (isOpen) return [suggestion('time', t.kinds.time, [`${typed} …`])];
  if (day === null) return [];
  const name = (text: string) => t.listed(t.kinds.time, text);
  return [
    suggestion('time', name(t.untilTime(day.name)), [typed], { until: day.at }),
    suggestion('time', name(t.fromTime(day.name)), [typed], { from: day.at }),
  ];
}

interface AddConditionProps {
  readonly typed: string;
  onTyped(typed: string): void;
  onCondition(condition: ConditionField): void;
}

/** A field in which people type for whom a rule is, such as “Germany”, “iPhone” or “1 Dec”, or choose a kind of condition. */
export function AddCondition({ typed, onTyped, onCondition }: AddConditionProps): ReactElement {
  const t = ruleTexts;
  const all = typed.trim() === '' ? makeKinds() : [...makeKinds(), ...makeValues(), ...makePeriods(typed)];
  return (
    <Choice
      label={t.addCondition}
      placeholder={t.addExample}
      items={all}
      value={null}
      onlyChosen
      typed={typed}
      onValue={(item, text) => {
        const found = all.find(({ id }) => id === item?.id);
        if (found) onCondition(found.condition);
        else onTyped(text);
      }}
    />
  );
}
