import { fieldsOfDraft, type LinkFields, targetTypes, toDraft } from './link-fields.ts';
import { toRuleField, toTestField } from './rule-fields.ts';

/** Texts that somebody typed in the form of a link, and signs of the values before: nothing that they did not type. */
export interface Typed {
  readonly typed: Readonly<Record<string, unknown>>;
  readonly signs: Readonly<Record<string, string>>;
}

/** The fields, with each list of targets as one of its own. */
const flat = ({ targets, ...others }: LinkFields): Record<string, unknown> => ({
  ...others,
  ...Object.fromEntries(Object.entries(targets).map(([type, list]) => [`targets.${type}`, list])),
});

function unflat(fields: Readonly<Record<string, unknown>>): LinkFields | null {
  const targets = Object.entries(fields).flatMap(([name, list]) => {
    const type = name.replace(/^targets\./, '');
    return type === name ? [] : [[type, list]];
  });
  return fieldsOfDraft({ ...fields, targets: Object.fromEntries(targets) });
}

/** A hash that recognizes a value without revealing it. */
function toComparable(value: unknown): string {
  let sum = 2_166_136_261;
  for (const character of JSON.stringify(value) ?? '')
    sum = Math.imul(sum ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return (sum >>> 0).toString(36);
}

/** Returns what was typed since the link had the fields that were read. */
export function typedFields(fields: LinkFields, read: LinkFields): Typed {
  const before = flat(read);
  const typed = Object.entries(flat(toDraft(fields))).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return {
    typed: Object.fromEntries(typed),
    signs: Object.fromEntries(typed.map(([name]) => [name, toComparable(before[name])])),
  };
}

/** A stand-in for an unknown value: it differs from the present value and from the typed one. */
function unknownValue(name: string, now: unknown, mine: unknown): unknown {
  if (name === 'targetType') return targetTypes.find((one) => one !== now && one !== mine);
  if (name.startsWith('targets.')) return [{ key: '\0', url: '\0' }];
  if (name === 'rules') return [toRuleField({ id: '\0' })];
  if (name === 'ruleTests') return [toTestField({ expect: { url: '\0' } })];
  if (name === 'preview') return { title: '\0', description: '\0', image: '\0' };
  if (Array.isArray(now)) return ['\0'];
  return typeof now === 'boolean' ? !mine : '\0';
}

/** Applies typed texts to a link's present fields; null for texts that this version does not know. */
export function fieldsWith(
  { typed, signs }: Typed,
  now: LinkFields,
): { readonly fields: LinkFields; readonly read: LinkFields } | null {
  const is = flat(now);
  const known = Object.entries(typed).filter(
    ([name, value]) => typeof value === typeof is[name] && Array.isArray(value) === Array.isArray(is[name]),
  );
  const changed = known.filter(([name]) => toComparable(is[name]) !== signs[name]);
  const unknown = changed.map(([name, value]) => [name, unknownValue(name, is[name], value)]);
  const fields = unflat({ ...is, ...Object.fromEntries(known) });
  const read = unflat({ ...is, ...Object.fromEntries(unknown) });
  return known.length > 0 && fields && read ? { fields, read } : null;
}
