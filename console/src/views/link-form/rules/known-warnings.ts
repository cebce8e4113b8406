import { changedFields } from '../../../data/edit-state.ts';
import { type LinkFields, toLinkFields } from '../../../data/link-fields.ts';
import type { LinkWholeFragment } from '../../../generated/documents.ts';

/** The warnings of a link as it is saved; null once the form has other rules, about which nothing is known yet. */
export function knownWarnings(
  link: LinkWholeFragment,
  fields: LinkFields,
): LinkWholeFragment['ruleWarnings'] {
  const changed = changedFields(fields, toLinkFields(link));
  return 'rules' in changed || 'ruleTests' in changed || 'url' in changed ? null : link.ruleWarnings;
}
