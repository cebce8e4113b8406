import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { focusSoon } from '../../app/focus.ts';
import type { AskedWarning } from '../../data/asked-rules.ts';
import type { FormProps, LinkFields } from '../../data/link-fields.ts';
import { isForEverybody, MAX_RULES, newRule, newTarget, placeOfNew } from '../../data/rule-edits.ts';
import { rulesOfTargets } from '../../data/rules-of-targets.ts';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { Address } from '../../parts/address.tsx';
import { Icon } from '../../parts/icon.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { Skeleton } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { TargetsField } from './targets-field.tsx';
import { useRemoval } from './use-removal.ts';

const RulesEditor = lazily(
  async () => (await import('./rules/rules-editor.tsx')).RulesEditor,
  <Skeleton rows={1} />,
);

const RuleTests = lazily(async () => (await import('./rules/rule-tests.tsx')).RuleTests, <span hidden />);

/** Where visitors go: the rules of the link, and then everybody else. */
export function RulesField({
  fields,
  errors,
  onChange,
  link,
  warnings,
}: FormProps & {
  link: LinkWholeFragment | undefined;
  warnings: readonly AskedWarning[];
}): ReactElement {
  const { rules, ruleTests, url, targetType } = fields;
  const t = texts.form;
  const offerBack = useRemoval({ fields, onChange }, link?.updatedAt);
  const hasRules = rules.length > 0 || ruleTests.length > 0;
  const converted = rulesOfTargets(fields);
  // Behind a rule for everybody, nobody else is left.
  const hasOthers = targetType !== 'NONE' || !rules.some(isForEverybody);
  const maySplit = targetType === 'NONE' && url !== '' && rules.length < MAX_RULES && hasOthers;
  /** Shows the rules, and goes to a part of one. */
  const show = (patch: Partial<LinkFields>, place: number, part: string) => {
    flushSync(() => onChange(patch));
    focusSoon(`.rules > .list > li:nth-child(${place + 1}) ${part}`);
  };
  const add = () => {
    const place = placeOfNew(rules);
    show({ rules: rules.toSpliced(place, 0, newRule()) }, place, '.who .choice input');
  };
  const split = () => {
    const to = [{ ...newTarget('50'), url }, newTarget('50')];
    show(
      { rules: [...rules, { ...newRule(), to }] },
      rules.length,
      '.rule-target + .rule-target [type="url"]',
    );
  };
  const convert = () => {
    if (converted !== null) show({ rules: converted, targetType: 'NONE' }, rules.length, '.line');
  };
  const others = hasOthers && (
    <fieldset className={hasRules ? 'rule else' : 'else'} aria-label={t.everybodyElse}>
      {hasRules && (
        <p>
          <b>{t.everybodyElse}</b>{' '}
          {targetType !== 'ROTATION' && url !== '' && (
            <>
              {'→ '}
              <span className="address">
                <Address of={url} />
              </span>
            </>
          )}
        </p>
      )}
      <TargetsField {...{ fields, errors, onChange, offerBack }} />
    </fieldset>
  );
  return (
    <div className="rules">
      {!hasRules && others}
      {hasRules ? (
        <RulesEditor {...{ fields, errors, onChange, warnings, offerBack }} />
      ) : (
        <p className="hint">{t.rulesLead}</p>
      )}
      <div className="buttons">
        {rules.length < MAX_RULES && (
          <button type="button" className="button quiet small" onClick={add}>
            <Icon name="plus" /> {t.addRule}
          </button>
        )}
        {maySplit && (
          <button type="button" className="button quiet small" onClick={split}>
            <Icon name="switch" /> {t.splitAll}
          </button>
        )}
        {converted !== null && (
          <button type="button" className="button quiet small" onClick={convert}>
            <Icon name="switch" /> {t.toRules}
          </button>
        )}
      </div>
      {converted !== null && <p className="hint">{t.toRulesHint}</p>}
      {hasRules && others}
      {hasRules && <RuleTests {...{ fields, errors, onChange, link, warnings, offerBack }} />}
    </div>
  );
}
