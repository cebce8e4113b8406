import { type ReactElement, useId, useState } from 'react';
import type { FieldErrors } from '../../../data/link-fields.ts';
import type { RuleField } from '../../../data/rule-fields.ts';
import { ownName, summarizeRule } from '../../../data/rule-words.ts';
import { ErrorNote } from '../../../parts/field.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { ruleTexts } from '../../../rule-texts.ts';
import { Conditions } from './conditions.tsx';
import { RuleTargets } from './rule-targets.tsx';
import type { Handle } from './use-reorder.ts';

interface CardProps {
  readonly rule: RuleField;
  readonly index: number;
  readonly count: number;
  readonly errors: FieldErrors;
  readonly warning: string | undefined;
  /** The side on which a dragged rule would come. */
  readonly drop: 'before' | 'after' | null;
  readonly handle: Handle;
  onRule(patch: Partial<RuleField>): void;
  onMove(to: number): void;
  onRemove(): void;
}

/** The buttons that move and remove a rule. Those that cannot move it further keep the focus. */
function Buttons({ index, count, onMove, onRemove }: CardProps): ReactElement {
  const t = ruleTexts;
  const number = index + 1;
  return (
    <div className="buttons">
      <button
        type="button"
        className="bare"
        aria-label={t.up(number)}
        aria-disabled={index === 0}
        onClick={() => onMove(index - 1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        className="bare"
        aria-label={t.down(number)}
        aria-disabled={number === count}
        onClick={() => onMove(number)}
      >
        <Icon name="down" />
      </button>
      <button type="button" className="bare" aria-label={t.remove(number)} onClick={onRemove}>
        <Icon name="trash" />
      </button>
    </div>
  );
}

/** A rule: its name, its conditions, and where it leads; folded, in a line. A new one and a wrong one are open. */
export function RuleCard(props: CardProps): ReactElement {
  const { rule, index, errors, warning, drop, handle, onRule } = props;
  const [isOpen, setOpen] = useState(rule.id === '');
  const t = ruleTexts;
  const at = `rules.${index}`;
  const note = useId();
  const wrong = errors[`${at}.name`] ?? errors[`${at}.id`] ?? errors[at];
  // It stays open when its error goes with the first key.
  const isWrong = Object.keys(errors).some((path) => errors[path] && `${path}.`.startsWith(`${at}.`));
  if (isWrong && !isOpen) setOpen(true);
  const number = index + 1;
  return (
    <li className={drop === null ? 'rule' : `rule drop-${drop}`} aria-label={t.number(number)}>
      <div className="rule-head">
        <button type="button" className="bare drag" aria-label={t.drag(number)} {...handle}>
          <Icon name="drag" />
        </button>
        <button
          type="button"
          className="line"
          aria-expanded={isOpen}
          aria-label={isOpen ? t.fold(number) : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="next" />
          <b>{number}</b>
          {!isOpen && (
            <span>
              {ownName(rule) && <b>{ruleTexts.listed(ownName(rule), '')}</b>}
              {summarizeRule(rule)}
            </span>
          )}
        </button>
        {isOpen && (
          <input
            type="text"
            className="name"
            autoComplete="off"
            maxLength={60}
            value={rule.name}
            placeholder={t.namePlaceholder}
            aria-label={t.nameOf(number)}
            aria-invalid={wrong === undefined ? undefined : true}
            aria-describedby={wrong === undefined ? undefined : note}
            onChange={({ target }) => onRule({ name: target.value })}
          />
        )}
        <Buttons {...props} />
      </div>
      <ErrorNote id={note} error={wrong} />
      {warning !== undefined && <p className="hint warning">{warning}</p>}
      {isOpen && (
        <>
          <Conditions
            when={rule.when}
            adding={rule.adding ?? ''}
            number={number}
            at={`${at}.when`}
            errors={errors}
            onRule={onRule}
          />
          <RuleTargets to={rule.to} at={`${at}.to`} errors={errors} onTo={(to) => onRule({ to })} />
        </>
      )}
    </li>
  );
}
