import { type ReactElement, useRef } from 'react';
import { flushSync } from 'react-dom';
import { Button, IconButton } from '../../../controls/button.tsx';
import type { FieldErrors } from '../../../data/link-fields.ts';
import { MAX_TARGETS, shareOf, withOneMore, withoutTarget, withWeight } from '../../../data/rule-edits.ts';
import type { RuleTargetField } from '../../../data/rule-fields.ts';
import { TextField, UrlField } from '../../../parts/field.tsx';
import { ruleTexts } from '../../../rule-texts.ts';
import { asShare } from '../../../words/format.ts';
import { GroupError } from './group-error.tsx';

interface RuleTargetsProps {
  readonly to: readonly RuleTargetField[];
  readonly at: string;
  readonly errors: FieldErrors;
  onTo(to: readonly RuleTargetField[]): void;
}

/** The destinations of a rule; several divide its visitors by their weights. */
export function RuleTargets({ to, at, errors, onTo }: RuleTargetsProps): ReactElement {
  const part = useRef<HTMLDivElement>(null);
  const t = ruleTexts;
  const isSplit = to.length > 1;
  const set = (index: number, patch: Partial<RuleTargetField>) =>
    onTo(to.map((one, other) => (other === index ? { ...one, ...patch } : one)));
  const add = () => {
    flushSync(() => onTo(withOneMore(to)));
    [...(part.current?.querySelectorAll<HTMLElement>('input[type="url"]') ?? [])].at(-1)?.focus();
  };
  const remove = (index: number) => {
    flushSync(() => onTo(withoutTarget(to, index)));
    part.current?.querySelector<HTMLElement>('.rule-target input[type="url"]')?.focus();
  };
  return (
    <div className="where" ref={part}>
      {isSplit && (
        <p>
          <b>{t.goToOne}</b>
        </p>
      )}
      {to.map((target, index) => {
        const path = `${at}.${index}`;
        const number = index + 1;
        return (
          <div className={isSplit ? 'rule-target split' : 'rule-target'} key={target.key}>
            {isSplit && (
              <TextField
                label={t.share}
                aria-label={t.weight(number)}
                inputMode="numeric"
                maxLength={5}
                value={target.weight}
                onFocus={({ target: input }) => input.select()}
                onText={(weight) => onTo(withWeight(to, index, weight))}
                hint={t.isShare(asShare(shareOf(to, target)))}
                error={errors[`${path}.weight`]}
              />
            )}
            <UrlField
              label={isSplit ? t.target(number) : t.goTo}
              value={target.url}
              placeholder="https://"
              onText={(url) => set(index, { url })}
              error={errors[`${path}.url`] ?? errors[path]}
            />
            {isSplit && (
              <TextField
                label={t.name}
                aria-label={t.targetName(number)}
                placeholder={t.targetNamePlaceholder}
                maxLength={60}
                value={target.name}
                onText={(name) => set(index, { name })}
                error={errors[`${path}.name`]}
              />
            )}
            {isSplit && (
              <IconButton icon="trash" name={t.removeTarget(number)} onClick={() => remove(index)} />
            )}
          </div>
        );
      })}
      <GroupError id={`${at}-error`} error={errors[at]} />
      <div className="buttons">
        {to.length < MAX_TARGETS && <Button look="text small" icon="plus" text={t.split} onClick={add} />}
        {isSplit && <span className="hint">{t.splitHint}</span>}
      </div>
    </div>
  );
}
