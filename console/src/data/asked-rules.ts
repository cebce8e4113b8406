import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import {
  AskedWarningsDocument,
  type AskedWarningsQuery,
  type ExplainRedirectInput,
  type LinkWholeFragment,
} from '../generated/documents.ts';
import { changedInput, type LinkFields, newLinkInput, newLinkInputs, toLinkFields } from './link-fields.ts';
import { unsendable } from './refusals.ts';

/** The pause after the last change before the service is asked, in milliseconds. */
const SETTLE = 400;

/** A question about visits of the link as the form has it. The other fields count as they are saved. */
export function askedInput(link: LinkWholeFragment | undefined, fields: LinkFields): ExplainRedirectInput {
  // Of several links that are made at once, the first.
  const { url, targeting, rules, ruleTests, utmTemplateId, utmOnTargets, alias, spaceId } = link
    ? changedInput(fields, toLinkFields(link))
    : (newLinkInputs(fields)[0] ?? newLinkInput(fields));
  const utm = utmTemplateId && { utmTemplateId, utmOnTargets, alias, spaceId };
  const parts = Object.entries({ url, targeting, rules, ruleTests, ...(utm || {}) }).filter(
    ([, part]) => part !== undefined,
  );
  return { ...(link && { linkId: link.id }), ...Object.fromEntries(parts) };
}

/** A warning of a rule in the form, by the keys of rules and the places of tests. */
export interface AskedWarning extends Omit<Warning, 'rule' | 'by'> {
  readonly rule: string | undefined;
  readonly by: string | undefined;
}
type Warning = AskedWarningsQuery['explainRedirect']['ruleWarnings'][number];

/** The warnings with the keys of rules in the place of ids, which new rules do not know. */
function withKeys(
  warnings: readonly Warning[],
  ids: readonly string[],
  { rules }: LinkFields,
): AskedWarning[] {
  const keyOf = (id: string | null) => (id === null ? undefined : rules[ids.indexOf(id)]?.key);
  return warnings.map((one) => ({ ...one, rule: keyOf(one.rule), by: keyOf(one.by) }));
}

const idsIn = ({ steps }: AskedWarningsQuery['explainRedirect']): string[] =>
  steps.flatMap(({ rule, linkRule }) => (rule === 'RULE' && linkRule ? [linkRule.ruleId] : []));

/**
 * The warnings of the rules in the form: those of the saved link, and after a change those that the service gives a moment later, to
 * one question at a time. Until then the former ones stay.
 */
export function useRuleWarnings(
  link: LinkWholeFragment | undefined,
  fields: LinkFields,
): readonly AskedWarning[] {
  const client = useClient();
  const input = askedInput(link, fields);
  const question = JSON.stringify(input);
  const isSaved = link !== undefined && Object.keys(input).length === 1;
  const mayAsk = !isSaved && fields.rules.length > 0 && Object.keys(unsendable(fields)).length === 0;
  const [isBusy, setBusy] = useState(false);
  const [asked, setAsked] = useState<{ question: string; warnings: readonly AskedWarning[] } | null>(null);
  const isDue = mayAsk && !isBusy && asked?.question !== question;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the question stands for the input and the fields
  useEffect(() => {
    if (!isDue) return;
    const ask = async () => {
      setBusy(true);
      const { data } = await client
        .query(AskedWarningsDocument, { input }, { requestPolicy: 'network-only' })
        .toPromise();
      const found = data?.explainRedirect;
      // Rules that a save would refuse have no warnings.
      setAsked({ question, warnings: found ? withKeys(found.ruleWarnings, idsIn(found), fields) : [] });
      setBusy(false);
    };
    const timer = setTimeout(() => void ask(), SETTLE);
    return () => clearTimeout(timer);
  }, [isDue, question]);
  if (isSaved) {
    const ids = link.rules.map(({ id }) => id);
    return withKeys(link.ruleWarnings ?? [], ids, fields);
  }
  return fields.rules.length > 0 ? (asked?.warnings ?? []) : [];
}
