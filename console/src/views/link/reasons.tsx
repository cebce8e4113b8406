import type { ReactElement } from 'react';
import type { ExampleDevice } from '../../data/agents.ts';
import type { LinkFields } from '../../data/link-fields.ts';
import { parseWeight, type RuleField } from '../../data/rule-fields.ts';
import { describeCondition, targetName } from '../../data/rule-words.ts';
import type { LinkWholeFragment, RedirectRule } from '../../generated/documents.ts';
import { ruleTexts } from '../../rule-texts.ts';
import { texts } from '../../texts.ts';
import { asShare, atMoment } from '../../words/format.ts';
import type { Decision } from './example.tsx';

type Step = Decision['steps'][number];

/** The rule that ends a visit with an outcome; without one, the targets decide. */
const deciding: Readonly<Partial<Record<string, RedirectRule>>> = {
  NOT_FOUND: 'EXISTS',
  DISABLED: 'DISABLED',
  BLOCKED: 'BLOCKED',
  EXPIRED: 'EXPIRED',
  PASSWORD: 'PASSWORD',
  LOOP: 'LOOP',
};

/** A link as a form has it, and a visitor of it. */
export interface Visit {
  /** The link as it is saved; absent for a new one. */
  readonly link: LinkWholeFragment | undefined;
  readonly fields: Pick<LinkFields, 'rules' | 'targetType'>;
  readonly device: ExampleDevice;
  /** Their names; absent if they are unknown. */
  readonly country?: string | undefined;
  readonly language?: string | undefined;
  /** In milliseconds. */
  readonly at: number;
}

export function describeVisitor({ device, country, language }: Visit): string {
  const { who, withDevices } = texts.explain;
  return who(withDevices[device], country, language);
}

/** The reason why the targets of a link apply, or do not. */
function whyTargets({ fields, device, country, language }: Visit, applied: boolean): string {
  const t = texts.explain.why;
  switch (fields.targetType) {
    case 'NONE':
      return t.noTargets;
    case 'ROTATION':
      return device === 'BOT' ? t.firstUrl : t.nextUrl;
    case 'COUNTRY':
      return country === undefined ? t.unknownCountry : t.country(country, applied);
    case 'LANGUAGE':
      return language === undefined ? t.unknownLanguage : t.language(language, applied);
    case 'PLATFORM':
      return device === 'BOT' ? t.unknownSystem : t.system(texts.explain.devices[device], applied);
  }
}

/** The shares of a split, each with its target in the form: new ones have no ids, but are in their order. */
export function sharesIn({ linkRule }: Step, rule: RuleField | undefined) {
  const open = rule?.to.filter(({ weight }) => parseWeight(weight) > 0) ?? [];
  return (linkRule?.shares ?? []).map((one, place, { length }) => ({
    ...one,
    target: open.find(({ id }) => id === one.targetId) ?? (open.length === length ? open[place] : undefined),
  }));
}

/** The rule in the form that a step is about: new rules have no ids, but the steps are in their order. */
export function ruleOf(
  step: Step,
  { decision, visit }: { readonly decision: Decision; readonly visit: Visit },
): RuleField | undefined {
  return visit.fields.rules[decision.steps.filter(({ rule }) => rule === 'RULE').indexOf(step)];
}

/** The decision of one of the link's own rules: the condition that the visitor does not meet, if any. */
function describeRuleStep(step: Step, rule: RuleField | undefined): string {
  const { applied, linkRule } = step;
  const t = ruleTexts;
  const { name = '', condition = null } = linkRule ?? {};
  if (applied) {
    const shares = sharesIn(step, rule)
      .map(({ name, share, target }) => `${target ? targetName(target) : name} ${asShare(share)}`)
      .join(', ');
    const leads = rule?.when.length === 0 ? t.leadsEverybody(name) : t.leads(name);
    return shares ? `${leads} ${t.splits(shares)}` : leads;
  }
  const unmet = condition === null ? undefined : rule?.when[condition];
  return unmet ? t.fails(name, describeCondition(unmet)) : t.failsSomehow(name);
}

/** The step of the rule that leads, if any. */
export const leadingStep = ({ steps }: Decision): Step | undefined =>
  steps.find(({ rule, applied }) => rule === 'RULE' && applied);

/** The steps that a visit reaches: rules behind the one that leads are not among them, and targets are not asked then. */
function reachedSteps(decision: Decision): readonly Step[] {
  // The console asks for visits of the link's own path alone.
  const steps = decision.steps.filter(({ rule }) => rule !== 'PATH');
  const lead = leadingStep(decision);
  if (lead === undefined) return steps;
  const at = steps.indexOf(lead);
  return steps.filter(({ rule }, index) => index <= at || (rule !== 'RULE' && rule !== 'TARGETING'));
}

/** A rule's decision about a visit in words: the API has the reason in English only. */
function describeStep(step: Step, visit: Visit, decision: Decision): string {
  const { rule, applied } = step;
  const { link, device, at } = visit;
  const { hasPassword = false, pixels = [], startsAt = null } = link ?? {};
  const expiration = link?.expiration ?? { at: null, clicks: null };
  const t = texts.explain.why;
  switch (rule) {
    case 'EXISTS':
    case 'PATH':
      return applied ? t.missing : t.exists;
    case 'STARTS':
      if (startsAt === null) return ruleTexts.noStart;
      return applied ? ruleTexts.begins(atMoment(startsAt)) : ruleTexts.hasBegun;
    case 'DISABLED':
      return applied ? t.disabled : t.enabled;
    case 'BLOCKED':
      return applied ? t.blocked : t.notBlocked;
    case 'EXPIRED':
      if (!applied) return t.notExpired;
      if (expiration.at !== null && Date.parse(expiration.at) <= at)
        return t.expired(atMoment(expiration.at));
      return t.reached(expiration.clicks ?? 0);
    case 'PREVIEW':
      return applied ? ruleTexts.previewShown : ruleTexts.previewNotShown;
    case 'PASSWORD':
      return applied ? t.wrongPassword : hasPassword ? t.rightPassword : t.noPassword;
    case 'CLICK_LIMIT':
      return applied ? t.notCounted : expiration.clicks === null ? t.noLimit : t.counted;
    case 'RULE':
      return describeRuleStep(step, ruleOf(step, { decision, visit }));
    case 'TARGETING':
      return whyTargets(visit, applied);
    case 'LOOP':
      return applied ? t.loop : t.noLoop;
    case 'PIXELS':
      if (pixels.length === 0) return t.noPixels;
      return applied ? t.pixels(pixels.length) : device === 'BOT' ? t.bot : t.sentOn;
  }
}

/** The deciding reason, and below it all steps in their order. */
export function Reasons({ decision, visit }: { decision: Decision; visit: Visit }): ReactElement {
  const { outcome, steps } = decision;
  const isCard = steps.some(({ rule, applied }) => rule === 'PREVIEW' && applied);
  const notBegun = steps.some(({ rule, applied }) => rule === 'STARTS' && applied);
  const ending = outcome === 'PREVIEW' ? (isCard ? 'PREVIEW' : 'CLICK_LIMIT') : deciding[outcome];
  const end = notBegun ? 'STARTS' : ending;
  const reached = reachedSteps(decision);
  const lead = leadingStep(decision);
  const step = end === undefined ? (lead ?? reached.find(({ rule }) => rule === 'TARGETING')) : undefined;
  const last = step ?? reached.find(({ rule }) => rule === end);
  const at = last === undefined ? -1 : reached.indexOf(last);
  const others = end === undefined ? reached.toSpliced(at, 1) : reached.slice(0, at);
  const t = texts.explain;
  return (
    <>
      {last && (
        <p className="deciding">
          {describeStep(last, visit, decision)}
          {end === undefined && !last.applied && ` ${t.ownDestination}`}
        </p>
      )}
      {others.length > 0 && (
        <>
          <h3>{t.alsoChecked}</h3>
          <ul className="steps">
            {others.map((one) => (
              <li key={`${one.rule} ${one.linkRule?.ruleId}`}>{describeStep(one, visit, decision)}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
