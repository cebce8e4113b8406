import { explainRedirect } from '../domain/explain.ts';
import {
  type RedirectDecision,
  type RedirectStep,
  redirectOutcomes,
  redirectRules,
} from '../domain/redirect.ts';
import { builder } from './builder.ts';
import { costs, fieldOf, PASSWORD } from './cost.ts';
import { describedValues } from './described-values.ts';

const RedirectOutcome = builder.enumType('RedirectOutcome', {
  description: 'How a visit of a short link ends.',
  values: describedValues(redirectOutcomes),
});

const RedirectRule = builder.enumType('RedirectRule', {
  description: 'What decides a visit of a short link, in this order.',
  values: describedValues(redirectRules),
});

const Step = builder.objectRef<RedirectStep>('RedirectStep').implement({
  description: "One rule's say in a visit.",
  fields: (t) => ({
    rule: t.expose('rule', { type: RedirectRule, description: 'The rule.' }),
    applied: t.exposeBoolean('applied', { description: 'Whether it made a difference.' }),
    why: t.exposeString('why', { description: 'Why, for people.' }),
  }),
});

const Decision = builder.objectRef<RedirectDecision>('RedirectDecision').implement({
  description: 'What a visitor would get, and why.',
  fields: (t) => ({
    outcome: t.expose('outcome', { type: RedirectOutcome, description: 'How the visit ends.' }),
    destination: t.expose('destination', {
      type: 'URL',
      nullable: true,
      description: 'Where the visitor is sent; null for a page of the service.',
    }),
    steps: t.field({
      type: [Step],
      description: 'Every rule, in order; those after the deciding one are not reached.',
      extensions: costs({ size: Object.keys(redirectRules).length }),
      resolve: ({ steps }) => steps,
    }),
  }),
});

const Input = builder.inputType('ExplainRedirectInput', {
  description: 'A link, and a visitor as the request would tell of one.',
  fields: (t) => ({
    linkId: t.id({ required: true, description: 'The id of the link.' }),
    country: t.string({ description: 'The country: an ISO 3166-1 alpha-2 code, in any case.' }),
    userAgent: t.string({ description: 'The header User-Agent.' }),
    acceptLanguage: t.string({ description: 'The header Accept-Language.' }),
    at: t.string({ description: 'When: a moment in ISO 8601 with its offset from UTC; now by default.' }),
    password: t.string({ description: 'The password that the visitor gives.' }),
    query: t.string({ description: 'The query of the visit, without its question mark.' }),
  }),
});

builder.queryField('explainRedirect', (t) =>
  t.field({
    type: Decision,
    description:
      'What a visitor would get from a link, and why, by the rules that visits go by. Nothing is counted.',
    extensions: costs({ work: ({ input }) => (fieldOf(input, 'password') == null ? 10 : PASSWORD) }),
    args: { input: t.arg({ type: Input, required: true, description: 'Which link, and which visitor.' }) },
    resolve: (_root, { input }, { db, actor, site, now }) => explainRedirect(db, actor, site, input, now()),
  }),
);
