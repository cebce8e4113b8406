import type { Client } from 'urql';
import { CheckLinksDocument } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { INCOMPLETE, inDigits, isAddress } from '../words/format.ts';
import type { Fault, RefusedField, Told } from './faults.ts';
import {
  emptyFields,
  type FieldErrors,
  filledTargets,
  hasChangedTargets,
  type LinkFields,
  newLinkInput,
  targetNames,
} from './link-fields.ts';
import { readNow } from './read.ts';
import { unsendableIn } from './rule-fields.ts';
import { wait } from './write.ts';

/** A rule in the language of the page; without such words, or without their values, in those of the API. */
export function describeRule({ rule = '', values = [] }: Told, message: string): string {
  const rules: Readonly<Partial<Record<string, string>>> = texts.rules;
  const words = rules[rule];
  const known = new Map(values.map(({ name, value }) => [name, value]));
  const names = words?.match(/(?<={)\w+(?=})/g) ?? [];
  const told =
    words === undefined || !names.every((name) => known.has(name))
      ? message
      : words.replaceAll(/{(\w+)}/g, (_, name) => known.get(name) ?? '');
  return rule === 'INTEGER' ? told.replace(/\d{5,}/g, (digits) => inDigits(Number(digits))) : told;
}

/** The name of a field in rules by its last part, which mostly says what it is. */
const nameInRules = (name: string): string =>
  name
    .replace(/^preview\./, '')
    .replace(/\.hours\.(from|to)$/, '.hours.clock')
    .replace(/^rules\..*?(?=\w+(\.\*)?$)/, 'rule.');

/** The words of a rule continue a sentence that starts with the field's name. */
export function describeRefusal({ path, messages, ...refused }: RefusedField): string {
  const name = nameInRules(path.map((part) => (/^\d+$/.test(part) ? '*' : part)).join('.'));
  const { subjects, otherSubject, instead } = texts.fieldErrors;
  const subject = subjects[name] ?? otherSubject(path.join('.'));
  // Only the first message has a rule.
  const [first = ''] = messages;
  const words = describeRule(refused, first);
  const told = words === first ? messages : [words];
  return instead[name] ?? told.map((one) => `${subject} ${one}.`).join(' ');
}

interface Placed {
  /** As sentences, by the places where they are shown. */
  readonly errors: FieldErrors;
  /** Errors without a place in the form. */
  readonly besides: string | null;
}

/** Sorts errors of fields by their places; null if there is none for a path. */
function place(fields: readonly RefusedField[], placeOf: (path: readonly string[]) => string | null): Placed {
  const errors = new Map<string, string>();
  const besides = new Set<string>();
  for (const one of fields) {
    const at = placeOf(one.path);
    if (at === null) besides.add(describeRefusal(one));
    else if (!errors.has(at)) errors.set(at, describeRefusal(one));
  }
  return {
    errors: Object.fromEntries(errors),
    besides: besides.size === 0 ? null : [...besides].join(' '),
  };
}

/** The errors of a form that has only these fields. */
export const errorsIn = (shown: readonly string[], fields: readonly RefusedField[]): Placed =>
  place(fields, ([first = '']) => (shown.includes(first) ? first : null));

const always: ReadonlySet<string> = new Set([
  ...['url', 'title', 'alias', 'domainId', 'spaceId', 'password', 'privacy', 'pixelIds', 'tagIds'],
  ...['preview.title', 'preview.description', 'preview.image'],
  'utmTemplateId',
  ...['notes', 'startsAt', 'redirectStatus'],
  ...['expiration.at', 'expiration.clicks', 'expiration.url', 'targeting.type'],
]);

/** Finds the place of an error in the form of a link. Its path counts only filled targets, since empty ones are not sent. */
function placeInLink(path: readonly string[], { targetType, targets, privacy }: LinkFields): string | null {
  const [first, second = '', index, ...rest] = path;
  const name = path.join('.');
  if (always.has(name)) return name;
  if (first === 'pixelIds' || first === 'tagIds') return first;
  if (first === 'rules' || first === 'ruleTests') return name;
  if (first === 'privacyPassword') return privacy === 'PASSWORD' ? first : null;
  if (first !== 'targeting' || targetType === 'NONE' || targetNames[targetType][0] !== second) return null;
  if (index === undefined) return 'targeting.type';
  const at = filledTargets(targets[targetType])[Number(index)]?.at;
  return at === undefined ? null : [first, second, at, ...rest].join('.');
}

/** A refusal, in place of the result. */
export interface Refusal {
  readonly __typename?: string;
  /** Absent where the console has its own words. */
  readonly message?: string;
  readonly fields?: readonly RefusedField[];
}

/** A refusal in sentences. */
export function refusalText({ __typename = '', message = '', fields = [] }: Refusal): string {
  if (fields.length > 0) return fields.map(describeRefusal).join(' ');
  return texts.refusals[__typename] ?? message;
}

/** The result of a form's write: the caller only needs to know that it succeeded, or why it was refused. */
export type Outcome = { readonly __typename: string } & (Omit<Refusal, '__typename'> | object);

/** A fault in words. */
export function faultText({ kind, code, message, told }: Fault): string {
  const { fields = [] } = told;
  if (fields.length > 0) return refusalText({ fields });
  return texts.faults[kind] ?? describeRule({ ...told, rule: told.rule ?? code }, message);
}

/** A failed action in words. */
export const failureText = (fault: Fault): string =>
  fault.kind === 'away' ? texts.notDone : faultText(fault);

/** The errors of a refused link, for the form that has these fields. */
export function linkErrors(refusal: Refusal, form: LinkFields): Placed {
  const { fields = [] } = refusal;
  if (fields.length === 0) return { errors: {}, besides: refusalText(refusal) };
  return place(fields, (path) => placeInLink(path, form));
}

/** Finds unfinished targets in the list that is shown. */
function unfinishedTargets({ targetType: type, targets }: LinkFields): FieldErrors {
  if (type === 'NONE') return {};
  const t = texts.form;
  const filled = filledTargets(targets[type]);
  if (filled.length === 0) return { 'targeting.type': t.noTargets };
  const [list, keyName] = targetNames[type];
  return Object.fromEntries(
    filled.flatMap(({ key, url, typed, at }) => {
      const target = `targeting.${list}.${at}`;
      const wrongKey =
        typed === '' ? (key === '' && type !== 'ROTATION' ? t.noKey[type] : null) : t.notChosen(typed);
      return [
        ...(wrongKey === null ? [] : [[`${target}.${keyName}`, wrongKey]]),
        ...(url === '' ? [[type === 'ROTATION' ? target : `${target}.url`, t.noTargetUrl]] : []),
      ];
    }),
  );
}

/** Finds fields that cannot be sent; `read` is what the link has already. */
export const unsendable = (fields: LinkFields, read = emptyFields): FieldErrors => ({
  ...(!isAddress(fields.url) && { url: texts.form.noScheme }),
  ...(!isAddress(fields.expiredUrl) && { 'expiration.url': texts.form.noScheme }),
  ...(fields.expiresAt === INCOMPLETE && { 'expiration.at': texts.form.incompleteExpiry }),
  ...(fields.startsAt === INCOMPLETE && { startsAt: texts.form.incompleteExpiry }),
  ...(fields.pixelTyped !== '' && { pixelIds: texts.form.notChosen(fields.pixelTyped.trim()) }),
  ...(hasChangedTargets(fields, read) && unfinishedTargets(fields)),
  ...unsendableIn(fields.rules, { incomplete: texts.form.incompleteExpiry, notChosen: texts.form.notChosen }),
});

/** The time that the service has to add to errors that are known without it, in seconds. */
const PATIENCE = 2;

/** Asks the service about changed fields that do not depend on others, while the form cannot be sent. */
export async function errorsBesides(
  client: Client,
  fields: LinkFields,
  read = emptyFields,
): Promise<FieldErrors> {
  const alone = [
    'url',
    'title',
    'notes',
    'password',
    'startsAt',
    'expiresAt',
    'expiresAfter',
    'expiredUrl',
  ] as const;
  const changed = alone.filter((name) => fields[name] !== read[name]).map((name) => [name, fields[name]]);
  // The URL is a placeholder unless it changed.
  const form = { ...emptyFields, url: 'https://example.com/', ...Object.fromEntries(changed) };
  const answer = readNow(client, CheckLinksDocument, { inputs: [newLinkInput(form)] });
  const result = await Promise.race([answer, wait(PATIENCE)]);
  const [wrong] = result?.data?.checkLinks ?? [];
  return wrong ? linkErrors(wrong, fields).errors : {};
}

/** The paths of the errors that a changed field may mend, where they are not its name. */
const mends: Readonly<Partial<Record<keyof LinkFields, string>>> = {
  expiresAt: 'expiration.at',
  expiresAfter: 'expiration.clicks',
  expiredUrl: 'expiration.url',
  spaceTyped: 'spaceId',
  pixelTyped: 'pixelIds',
  tagTyped: 'tagIds',
  targetType: 'targeting',
  targets: 'targeting',
  // Another rule may mend a test.
  rules: 'ruleTests',
  domainId: 'alias',
  removesPassword: 'password',
  privacy: 'privacyPassword',
};

/** The errors that stay when fields change. */
export function errorsAfter(errors: FieldErrors, patch: Partial<LinkFields>): FieldErrors {
  const names = Object.keys(patch) as (keyof LinkFields)[]; // The type says so.
  const mended = names.flatMap((name) => [name, mends[name] ?? name]);
  return Object.fromEntries(
    Object.entries(errors).filter(
      ([path]) => !mended.some((one) => path === one || path.startsWith(`${one}.`)),
    ),
  );
}
