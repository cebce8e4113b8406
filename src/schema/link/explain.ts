import {
  type RedirectDecision,
  type RedirectStep,
  redirectOutcomes,
  redirectRules,
} from '../../domain/visit/decide-redirect.ts';
import { explainInput, explainRedirect } from '../../domain/visit/explanation.ts';
import { costs, getField, STATEMENT_COST } from '../../engine/graphql/cost/costs.ts';
import { builder } from '../builder.ts';
import { PASSWORD_COST } from '../cost/field-cost.ts';
import { enumType, inputType } from '../domain-types.ts';

const RedirectOutcome = enumType('RedirectOutcome', 'The result of a visit.', redirectOutcomes);

const RedirectRule = enumType('RedirectRule', 'The rules that decide a visit, in this order.', redirectRules);

const Step = builder.objectRef<RedirectStep>('RedirectStep').implement({
  description: 'The effect of one rule on a visit.',
  fields: (t) => ({
    rule: t.expose('rule', { type: RedirectRule, description: 'The rule.' }),
    applied: t.exposeBoolean('applied', { description: 'Whether the rule affected the result.' }),
    why: t.exposeString('why', { description: 'The reason, for people.' }),
  }),
});

const Decision = builder.objectRef<RedirectDecision>('RedirectDecision').implement({
  description: 'The result of a visit, and the reasons.',
  fields: (t) => ({
    outcome: t.expose('outcome', { type: RedirectOutcome, description: 'The result of the visit.' }),
    destination: t.expose('destination', {
      type: 'URL',
      nullable: true,
      description: 'The URL that the visitor is redirected to; null for a page of the service.',
    }),
    steps: t.field({
      type: [Step],
      description: 'Every rule, in order. Rules after the deciding one are not reached.',
      extensions: costs({ size: Object.keys(redirectRules).length }),
      resolve: ({ steps }) => steps,
    }),
  }),
});

const Input = inputType(
  'ExplainRedirectInput',
  'A link, and the visitor of a simulated request.',
  explainInput,
);

builder.queryField('explainRedirect', (t) =>
  t.field({
    type: Decision,
    description: 'Simulates a visit of a link, and explains the result. No click is counted.',
    extensions: costs({
      work: ({ input }) => (getField(input, 'password') == null ? STATEMENT_COST : PASSWORD_COST),
    }),
    args: { input: t.arg({ type: Input, required: true, description: 'The link and the visitor.' }) },
    resolve: (_root, { input }, { db, actor, services, now }) =>
      explainRedirect(db, actor, services, input, now()),
  }),
);
