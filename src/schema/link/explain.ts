import type { RuleStep, TargetShare } from '../../domain/rule/lead.ts';
import { MAX_RULE_TARGETS, MAX_RULES } from '../../domain/rule/limits.ts';
import { listRuleWarnings } from '../../domain/rule/warnings.ts';
import { allRedirectRules, type RedirectStep, redirectOutcomes } from '../../domain/visit/decide-redirect.ts';
import { type Explanation, explainInput, explainRedirect } from '../../domain/visit/explanation.ts';
import { costs, getField, STATEMENT_COST } from '../../engine/graphql/cost/costs.ts';
import { builder } from '../builder.ts';
import { PASSWORD_COST, UTM_COST } from '../cost/field-cost.ts';
import { enumType, inputType } from '../domain-types.ts';
import { analysisCost, RuleWarningType } from './rules.ts';

const RedirectOutcome = enumType('RedirectOutcome', 'The result of a visit.', redirectOutcomes);

const RedirectRule = enumType(
  'RedirectRule',
  'The rules that decide a visit, in this order.',
  allRedirectRules,
);

const Share = builder.objectRef<TargetShare>('RuleTargetShare').implement({
  description: 'A target of a split, and its share of the visitors.',
  fields: (t) => ({
    targetId: t.exposeID('targetId', { description: 'The id of the target.' }),
    name: t.exposeString('name', { description: 'The name of the target.' }),
    share: t.exposeFloat('share', { description: 'The share, from 0 to 1.' }),
  }),
});

const LinkRuleStep = builder.objectRef<RuleStep>('LinkRuleStep').implement({
  description: "One of the link's own rules in a visit.",
  fields: (t) => ({
    ruleId: t.exposeID('ruleId', { description: 'The id of the rule.' }),
    name: t.exposeString('name', { description: 'The name of the rule.' }),
    condition: t.exposeInt('condition', {
      nullable: true,
      description: 'The place, from 0, of the first condition that the visitor does not meet; null for none.',
    }),
    shares: t.field({
      type: [Share],
      description: 'The shares of a split that leads; empty for a single target.',
      extensions: costs({ size: MAX_RULE_TARGETS }),
      resolve: ({ shares }) => shares,
    }),
  }),
});

const Step = builder.objectRef<RedirectStep>('RedirectStep').implement({
  description: 'The effect of one rule on a visit.',
  fields: (t) => ({
    rule: t.expose('rule', { type: RedirectRule, description: 'The rule.' }),
    applied: t.exposeBoolean('applied', { description: 'Whether the rule affected the result.' }),
    why: t.exposeString('why', { description: 'The reason, for people.' }),
    linkRule: t.field({
      type: LinkRuleStep,
      nullable: true,
      description: "The link's own rule, for a step of `RULE`; else null.",
      resolve: ({ linkRule = null }) => linkRule,
    }),
  }),
});

const Decision = builder.objectRef<Explanation>('RedirectDecision').implement({
  description: 'The result of a visit, and the reasons.',
  fields: (t) => ({
    outcome: t.expose('outcome', { type: RedirectOutcome, description: 'The result of the visit.' }),
    destination: t.expose('destination', {
      type: 'URL',
      nullable: true,
      description: 'The URL that the visitor is redirected to; null for a page of the service.',
    }),
    url: t.field({
      type: 'URL',
      nullable: true,
      description: 'The own destination of the link in this question; null if there is no link.',
      resolve: ({ link }) => link?.url ?? null,
    }),
    steps: t.field({
      type: [Step],
      description: 'Every rule, in order. Rules after the deciding one are not reached.',
      extensions: costs({ size: Object.keys(allRedirectRules).length + MAX_RULES }),
      resolve: ({ steps }) => steps,
    }),
    ruleWarnings: t.field({
      type: [RuleWarningType],
      description: 'The warnings of the rules and tests in this question, as in `Link.ruleWarnings`.',
      extensions: analysisCost,
      resolve: ({ link }, _args, { now }) => (link ? listRuleWarnings(link, now()) : []),
    }),
  }),
});

const Input = inputType(
  'ExplainRedirectInput',
  'A link, optionally with unsaved parts, and the visitor of a simulated request.',
  explainInput,
);

/** The fields that stand for parts of the link: they are checked as those of a change are. */
const draftFields = ['url', 'targeting', 'rules', 'ruleTests', 'utmTemplateId'];

/** The cost of a visitor's way through the rules of a link. */
const RULES_COST = 200;

builder.queryField('explainRedirect', (t) =>
  t.field({
    type: Decision,
    description: 'Simulates a visit of a link, and explains the result. No click is counted.',
    extensions: costs({
      work: ({ input }) =>
        STATEMENT_COST +
        RULES_COST +
        (draftFields.every((name) => getField(input, name) === undefined) ? 0 : STATEMENT_COST) +
        (getField(input, 'utmTemplateId') == null ? 0 : UTM_COST) +
        (getField(input, 'path') == null ? 0 : STATEMENT_COST) +
        (getField(input, 'password') == null ? 0 : PASSWORD_COST),
    }),
    args: { input: t.arg({ type: Input, required: true, description: 'The link and the visitor.' }) },
    resolve: (_root, { input }, { db, actor, services, now }) =>
      explainRedirect(db, actor, services, input, now()),
  }),
);
