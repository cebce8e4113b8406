import type { RefusedFragment } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { type FieldErrors, INCOMPLETE, type LinkFields } from './link-fields.ts';

/** The API continues a sentence that starts with the field's name. */
function sentenceOf({ path, messages }: RefusedFragment['fields'][number]): string {
  const name = path.map((part) => (/^\d+$/.test(part) ? '*' : part)).join('.');
  const { subjects, anySubject, instead } = texts.fieldErrors;
  return instead[name] ?? messages.map((message) => `${subjects[name] ?? anySubject} ${message}.`).join(' ');
}

/** The errors of fields as sentences. */
export function errorsOf({ fields }: Pick<RefusedFragment, 'fields'>): FieldErrors {
  return Object.fromEntries(fields.map((one) => [one.path.join('.'), sentenceOf(one)]));
}

/** What the API answers instead of what was asked for. */
export interface Refusal {
  readonly __typename?: string;
  readonly message: string;
  readonly fields?: RefusedFragment['fields'];
}

/** Why something was refused, in sentences. */
export function refusalText({ __typename = '', message, fields = [] }: Refusal): string {
  if (fields.length > 0) return fields.map(sentenceOf).join(' ');
  return texts.refusals[__typename] ?? message;
}

/** What is wrong with the fields that cannot be sent. */
export const unsendable = ({ expiresAt }: LinkFields): FieldErrors =>
  expiresAt === INCOMPLETE ? { 'expiration.at': texts.form.incompleteExpiry } : {};

const placed: ReadonlySet<string> = new Set([
  ...['url', 'title', 'alias', 'domainId', 'spaceId', 'password', 'privacy', 'privacyPassword'],
  ...['expiration', 'targeting', 'pixelIds'],
]);

/** Why a link was refused, unless all of that can stand at fields of the form. */
export function refusalBesides(refusal: Refusal): string | null {
  const { fields = [] } = refusal;
  return fields.length > 0 && fields.every(({ path: [first = ''] }) => placed.has(first))
    ? null
    : refusalText(refusal);
}
