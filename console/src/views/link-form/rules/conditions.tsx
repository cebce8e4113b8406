import { type ReactElement, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Menu } from '../../../controls/menu.tsx';
import type { FieldErrors } from '../../../data/link-fields.ts';
import { MAX_CONDITIONS, newCondition } from '../../../data/rule-edits.ts';
import {
  type ConditionField,
  type ConditionKind,
  conditionKinds,
  listKinds,
} from '../../../data/rule-fields.ts';
import { describeCondition } from '../../../data/rule-words.ts';
import { Icon } from '../../../parts/icon.tsx';
import { ruleTexts } from '../../../rule-texts.ts';
import { timeZone } from '../../../words/format.ts';
import { ConditionEditor } from './condition-editor.tsx';
import { GroupError } from './group-error.tsx';

/** The first error of a condition, by the path of its field. */
const isWrong = (errors: FieldErrors, at: string): boolean =>
  Object.keys(errors).some(
    (path) => errors[path] !== undefined && (path === at || path.startsWith(`${at}.`)),
  );

/** A condition as a chip, which opens its fields. */
function Chip({
  text,
  isOpen,
  onToggle,
  onRemove,
}: {
  text: string;
  isOpen: boolean;
  onToggle: () => void;
  onRemove: () => void;
}): ReactElement {
  const t = ruleTexts;
  return (
    <li>
      <button type="button" className="chip" aria-expanded={isOpen} title={t.edit(text)} onClick={onToggle}>
        {text}
      </button>
      <button type="button" className="bare" aria-label={t.removeCondition(text)} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  );
}

/** The visitors for whom a rule is: its conditions as chips, and the fields of the one that is open. */
export function Conditions({
  when,
  number,
  at,
  errors,
  onWhen,
}: {
  when: readonly ConditionField[];
  number: number;
  at: string;
  errors: FieldErrors;
  onWhen: (when: readonly ConditionField[]) => void;
}): ReactElement {
  const [open, setOpen] = useState<number | null>(null);
  const part = useRef<HTMLDivElement>(null);
  const t = ruleTexts;
  // A choice is reported after the click and rendered later still.
  const latest = useRef(when);
  latest.current = when;
  const set = (all: readonly ConditionField[]) => {
    latest.current = all;
    onWhen(all);
  };
  const focusIn = (selector: string) => part.current?.querySelector<HTMLElement>(selector)?.focus();
  const add = (kind: ConditionKind) => {
    flushSync(() => {
      set([...latest.current, newCondition(kind, timeZone)]);
      setOpen(when.length);
    });
    // Of a list, the values come before the way to compare them.
    const isList = listKinds.some((one) => one === kind);
    focusIn(`.condition:last-of-type ${isList ? ':is(.with-chips, .checks)' : ''} input`);
  };
  const remove = (index: number) => {
    flushSync(() => {
      set(latest.current.toSpliced(index, 1));
      setOpen(null);
    });
    focusIn('.add > button');
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
        {when.length < MAX_CONDITIONS && (
          <li className="add">
            <Menu
              label={t.addCondition}
              items={conditionKinds.map((kind) => ({ id: kind, name: t.kinds[kind], run: () => add(kind) }))}
            >
              <Icon name="plus" /> {t.addCondition}
            </Menu>
          </li>
        )}
      </ul>
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
