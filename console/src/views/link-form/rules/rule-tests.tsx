import { type ReactElement, useState } from 'react';
import type { AskedWarning } from '../../../data/asked-rules.ts';
import type { FieldErrors, FormProps, LinkFields } from '../../../data/link-fields.ts';
import { describeTest } from '../../../data/rule-words.ts';
import type { LinkWholeFragment } from '../../../generated/documents.ts';
import { Icon } from '../../../parts/icon.tsx';
import { lazily } from '../../../parts/lazily.tsx';
import { Skeleton } from '../../../parts/notice.tsx';
import { ruleTexts } from '../../../rule-texts.ts';
import { type OfferBack, withEntry } from '../use-removal.ts';
import { GroupError } from './group-error.tsx';

const Explain = lazily(async () => (await import('../../link/explain.tsx')).Explain, <Skeleton rows={2} />);

/** A failed test in words: the API has the reason in English only. */
function describeFailure(error: string): string {
  const t = ruleTexts;
  const [, name] = /the rule "(.*)" leads/.exec(error) ?? [];
  if (name !== undefined) return / to another URL/.test(error) ? t.failsElsewhere(name) : t.failsRule(name);
  return /no rule leads/.test(error) ? t.failsNoRule : error;
}

/** The first error of a test. */
function errorOf(errors: FieldErrors, index: number): string | undefined {
  const at = `ruleTests.${index}`;
  const found = Object.keys(errors).find((path) => path === at || path.startsWith(`${at}.`));
  return found === undefined ? undefined : errors[found];
}

/** The tests of a link's rules, and a visitor to try them with. */
export function RuleTests({
  fields,
  errors,
  onChange,
  link,
  warnings,
  offerBack,
}: FormProps & {
  /** Absent for a new link. */
  link: LinkWholeFragment | undefined;
  warnings: readonly AskedWarning[];
  offerBack: OfferBack;
}): ReactElement {
  const { ruleTests: tests } = fields;
  const remove = (index: number) => {
    const left = tests.toSpliced(index, 1);
    onChange({ ruleTests: left });
    const back = ({ ruleTests: now }: LinkFields) => ({
      ruleTests: withEntry(now, [tests, left], index, (test) => JSON.stringify(test)),
    });
    offerBack(t.testRemoved(index + 1), back, `.rule-tests li:nth-child(${index + 1}) > div`);
  };
  const [isTrying, setTrying] = useState(false);
  const failing = new Set(warnings.map(({ test }) => test));
  const t = ruleTexts;
  return (
    <section className="rule-tests" aria-label={t.tests}>
      <p>
        <b>{t.tests}</b> <span className="hint">{tests.length === 0 ? t.noTests : t.testsLead}</span>
      </p>
      <GroupError id="tests-error" error={errors.ruleTests} />
      <ul>
        {tests.map((test, index) => {
          const error = errorOf(errors, index);
          const failed = failing.has(index) ? t.testFails : undefined;
          const wrong = error === undefined ? failed : describeFailure(error);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: tests have no other identity, and no state
            <li key={index}>
              <div tabIndex={-1} data-wrong={error === undefined ? undefined : true}>
                <bdi>{describeTest(test)}</bdi>
                {wrong !== undefined && (
                  <p className={error === undefined ? 'hint warning' : 'error'} role="alert">
                    {wrong}
                  </p>
                )}
              </div>
              <button
                type="button"
                className="bare"
                aria-label={t.removeTest(index + 1)}
                onClick={() => remove(index)}
              >
                <Icon name="trash" />
              </button>
            </li>
          );
        })}
      </ul>
      <button
        type="button"
        className="button quiet small"
        aria-expanded={isTrying}
        onClick={() => setTrying(!isTrying)}
      >
        <Icon name="eye" /> {t.tryIt}
      </button>
      {isTrying && <Explain link={link} fields={fields} onChange={onChange} />}
    </section>
  );
}
