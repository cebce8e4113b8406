import { type ReactElement, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { focusNow } from '../../../app/focus.ts';
import type { AskedWarning } from '../../../data/asked-rules.ts';
import type { FormProps, LinkFields } from '../../../data/link-fields.ts';
import { moved, withRenamed } from '../../../data/rule-edits.ts';
import type { RuleField } from '../../../data/rule-fields.ts';
import { ruleTexts } from '../../../rule-texts.ts';
import { texts } from '../../../texts.ts';
import { type OfferBack, withEntry } from '../use-removal.ts';
import { GroupError } from './group-error.tsx';
import { RuleCard } from './rule-card.tsx';
import { type Drag, useReorder } from './use-reorder.ts';
import { warningsOfRules } from './warnings.ts';

/** The side of a rule on which the dragged one would come, if it would move there. */
function dropAt({ from, to }: Drag, index: number, count: number): 'before' | 'after' | null {
  if (to === from || to === from + 1) return null;
  if (to === index) return 'before';
  return to === count && index === count - 1 ? 'after' : null;
}

const placeOf = (index: number): string => `.rules > .list > li:nth-child(${index + 1})`;

/** The rules of a link as cards in their order. */
export function RulesEditor({
  fields,
  errors,
  onChange,
  warnings,
  offerBack,
}: FormProps & { warnings: readonly AskedWarning[]; offerBack: OfferBack }): ReactElement {
  const { rules } = fields;
  const t = ruleTexts;
  const list = useRef<HTMLOListElement>(null);
  const [said, setSaid] = useState('');
  // A choice is reported after the click and rendered later still: keys in between must not undo it.
  const latest = useRef(fields);
  latest.current = fields;
  const set = (patch: Partial<Pick<typeof fields, 'rules' | 'ruleTests'>>) => {
    latest.current = { ...latest.current, ...patch };
    onChange(patch);
  };
  const change = (index: number, patch: Partial<RuleField>) => {
    const { rules: all, ruleTests: tests } = latest.current;
    const before = all[index];
    const isRenamed = before !== undefined && patch.name !== undefined && patch.name !== before.name;
    const renamed = isRenamed ? withRenamed(tests, before.name, patch.name ?? '') : tests;
    set({
      rules: all.map((one, at) => (at === index ? { ...one, ...patch } : one)),
      ...(renamed !== tests && { ruleTests: renamed }),
    });
    if (before && patch.to && patch.to.length < before.to.length) offerTarget(before, patch.to, index);
  };
  const offerTarget = ({ key, to }: RuleField, left: RuleField['to'], index: number) => {
    const at = to.findIndex((one, place) => one.key !== left[place]?.key);
    const back = ({ rules }: LinkFields) => ({
      rules: rules.map((one) =>
        one.key === key ? { ...one, to: withEntry(one.to, [to, left], at, (target) => target.key) } : one,
      ),
    });
    const focus = `${placeOf(index)} .rule-target:nth-of-type(${at + 1}) [type="url"]`;
    offerBack(texts.form.targetRemoved(at + 1), back, focus);
  };
  const move = (from: number, to: number) => {
    if (to < 0 || to >= rules.length) return;
    set({ rules: moved(latest.current.rules, from, to) });
    setSaid(t.movedTo(to + 1, rules.length));
  };
  const remove = (index: number) => {
    const before = latest.current.rules;
    const left = before.toSpliced(index, 1);
    flushSync(() => set({ rules: left }));
    focusNow(`${placeOf(Math.min(index, left.length - 1))} .drag`) || focusNow('.rules > .buttons > .button');
    const back = ({ rules: now }: LinkFields) => ({
      rules: withEntry(now, [before, left], index, ({ key }) => key),
    });
    offerBack(t.removed(index + 1), back, `${placeOf(index)} .line`);
  };
  const { drag, handle } = useReorder(list, move);
  const told = warningsOfRules(warnings, fields);
  return (
    <>
      <p className="unseen" role="status">
        {said}
      </p>
      <GroupError id="rules-error" error={errors.rules} />
      <ol className={drag === null ? 'list' : 'list dragging'} ref={list} aria-label={t.list}>
        {rules.map((rule, index) => (
          <RuleCard
            key={rule.key}
            rule={rule}
            index={index}
            count={rules.length}
            errors={errors}
            warning={told.get(rule.key)}
            drop={drag && dropAt(drag, index, rules.length)}
            handle={handle(index)}
            onRule={(patch) => change(index, patch)}
            onMove={(to) => move(index, to)}
            onRemove={() => remove(index)}
          />
        ))}
      </ol>
    </>
  );
}
