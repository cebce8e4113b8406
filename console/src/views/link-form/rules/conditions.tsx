import { type ReactElement, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { IconButton } from '../../../controls/button.tsx';
import type { FieldErrors } from '../../../data/link-fields.ts';
import { MAX_CONDITIONS } from '../../../data/rule-edits.ts';
import { type ConditionField, listKinds, type RuleField } from '../../../data/rule-fields.ts';
import { describeCondition } from '../../../data/rule-words.ts';
import { ruleTexts } from '../../../rule-texts.ts';
import { AddCondition } from './add-condition.tsx';
import { ConditionEditor } from './condition-editor.tsx';
import { GroupError } from './group-error.tsx';

/** True if a condition or one of its fields has an error. */
const isWrong = (errors: FieldErrors, at: string): boolean =>
  Object.keys(errors).some(
    (path) => errors[path] !== undefined && (path === at || path.startsWith(`${at}.`)),
  );

interface ChipProps {
  readonly text: string;
  readonly isOpen: boolean;
  onToggle(): void;
  onRemove(): void;
}

/** A condition as a chip, which opens its fields. */
function Chip({ text, isOpen, onToggle, onRemove }: ChipProps): ReactElement {
  const t = ruleTexts;
  return (
    <li>
      <button type="button" className="chip" aria-expanded={isOpen} title={t.edit(text)} onClick={onToggle}>
        {text}
      </button>
      <IconButton icon="close" name={t.removeCondition(text)} onClick={onRemove} />
    </li>
  );
}

/** Nothing is typed any more. */
const CHOSEN = { adding: undefined };

/** The visitors for whom a rule is: its conditions as chips, and the fields of the one that is open. */
export function Conditions({
  when,
  adding,
  number,
  at,
  errors,
  onRule,
}: Pick<RuleField, 'when'> & {
  /** The text that is typed and not chosen as another condition. */
  adding: string;
  number: number;
  at: string;
  errors: FieldErrors;
  onRule: (patch: Partial<RuleField>) => void;
}): ReactElement {
  const [open, setOpen] = useState<number | null>(null);
  const part = useRef<HTMLDivElement>(null);
  const t = ruleTexts;
  // A choice is reported after the click and rendered later still.
  const latest = useRef(when);
  latest.current = when;
  const set = (all: readonly ConditionField[], patch: Partial<RuleField> = {}) => {
    latest.current = all;
    onRule({ ...patch, when: all });
  };
  // It stays open when its error goes with the first key.
  const wrong = when.findIndex((_, index) => isWrong(errors, `${at}.${index}`));
  if (wrong !== -1 && open === null) setOpen(wrong);
  const focusIn = (selector: string) => part.current?.querySelector<HTMLElement>(selector)?.focus();
  const add = (condition: ConditionField) => {
    const all = latest.current;
    const [value] = condition.values;
    const place = all.findIndex(({ kind, is }) => kind === condition.kind && is === 'in');
    const same = all[place];
    // Another country is one more value of the same condition: all conditions of a rule must fit.
    if (value !== undefined && same)
      return set(all.with(place, { ...same, values: [...new Set([...same.values, value])] }), CHOSEN);
    const isWhole = value !== undefined || condition.from !== '' || condition.until !== '';
    flushSync(() => {
      set([...all, condition], CHOSEN);
      setOpen(isWhole ? null : all.length);
    });
    if (isWhole) return;
    // Of a list, the values come before the way to compare them.
    const isList = listKinds.some((one) => one === condition.kind);
    focusIn(`.condition:last-of-type ${isList ? ':is(.with-chips, .checks)' : ''} input`);
  };
  const remove = (index: number) => {
    flushSync(() => {
      set(latest.current.toSpliced(index, 1));
      setOpen(null);
    });
    focusIn(':scope > .choice input');
  };
  const close = (index: number) => {
    flushSync(() => setOpen(null));
    focusIn(`.conditions > li:nth-child(${index + 1}) .chip`);
  };
  return (
    <div className="who" ref={part}>
      <p>
        <b>{when.length === 0 ? t.everybody : t.who}</b>{' '}
        {when.length > 1 && <span className="quiet">{t.all}</span>}
      </p>
      {when.length > 0 && (
        <ul className="chips conditions" aria-label={t.conditionsOf(number)}>
          {when.map((condition, index) => (
            <Chip
              // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no other identity, and their chips no state
              key={index}
              text={describeCondition(condition)}
              isOpen={open === index}
              onToggle={() => setOpen(open === index ? null : index)}
              onRemove={() => remove(index)}
            />
          ))}
        </ul>
      )}
      {when.length < MAX_CONDITIONS && (
        <AddCondition
          typed={adding}
          onTyped={(text) => onRule({ adding: text || undefined })}
          onCondition={add}
        />
      )}
      <GroupError id={`${at}-error`} error={errors[at]} />
      {when.map((condition, index) => {
        const path = `${at}.${index}`;
        return open === index || isWrong(errors, path) ? (
          <ConditionEditor
            // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no other identity
            key={index}
            condition={condition}
            at={path}
            errors={errors}
            onCondition={(patch) =>
              set(latest.current.map((one, other) => (other === index ? { ...one, ...patch } : one)))
            }
            onDone={() => close(index)}
          />
        ) : null;
      })}
    </div>
  );
}
