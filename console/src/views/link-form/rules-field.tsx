import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { focusSoon } from '../../app/focus.ts';
import type { FormProps } from '../../data/link-fields.ts';
import { MAX_RULES, newRule } from '../../data/rule-edits.ts';
import { rulesOfTargets } from '../../data/rules-of-targets.ts';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { Address } from '../../parts/address.tsx';
import { Icon } from '../../parts/icon.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { Skeleton } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { TargetsField } from './targets-field.tsx';

const RulesEditor = lazily(
  async () => (await import('./rules/rules-editor.tsx')).RulesEditor,
  <Skeleton rows={1} />,
);

const RuleTests = lazily(async () => (await import('./rules/rule-tests.tsx')).RuleTests, null);

/** Where visitors go: the rules of the link, and then everybody else. */
export function RulesField({
  fields,
  errors,
  onChange,
  link,
}: FormProps & { link: LinkWholeFragment | undefined }): ReactElement {
  const { rules, ruleTests, url, targetType } = fields;
  const t = texts.form;
  const hasRules = rules.length > 0 || ruleTests.length > 0;
  const converted = rulesOfTargets(fields);
  const add = () => {
    flushSync(() => onChange({ rules: [...rules, newRule()] }));
    focusSoon(`.rules > .list > li:nth-child(${rules.length + 1}) .name`);
  };
  const convert = () => {
    if (converted === null) return;
    flushSync(() => onChange({ rules: converted, targetType: 'NONE' }));
    focusSoon(`.rules > .list > li:nth-child(${rules.length + 1}) .name`);
  };
  return (
    <div className="rules">
      {hasRules ? (
        <RulesEditor fields={fields} errors={errors} onChange={onChange} link={link} />
      ) : (
        <p className="hint">{t.rulesLead}</p>
      )}
      <div className="buttons">
        {rules.length < MAX_RULES && (
          <button type="button" className="button quiet small" onClick={add}>
            <Icon name="plus" /> {t.addRule}
          </button>
        )}
        {converted !== null && (
          <button type="button" className="button quiet small" onClick={convert}>
            <Icon name="switch" /> {t.toRules}
          </button>
        )}
      </div>
      {converted !== null && <p className="hint">{t.toRulesHint}</p>}
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
        <TargetsField fields={fields} errors={errors} onChange={onChange} />
      </fieldset>
      {(ruleTests.length > 0 || (rules.length > 0 && link !== undefined)) && (
        <RuleTests fields={fields} errors={errors} onChange={onChange} link={link} />
      )}
    </div>
  );
}
