import type { LoggedChangeFragment, RecordKind } from '../generated/documents.ts';
import { locale } from '../language.ts';
import { texts } from '../texts.ts';
import { atMoment, inDigits } from '../words/format.ts';
import { ruleWords } from './late-rule-words.ts';
import { type LinkFields, privacies, type TargetList, targetNames, targetTypes } from './link-fields.ts';
import { colors } from './named.ts';
import { listIn, propertyIn, toRuleField, toTestField } from './rule-fields.ts';
import { targetChoice } from './target-choices.ts';

export type ChangedValue = LoggedChangeFragment['values'][number];

/** The kinds of records that values name by their ids. */
export type NamedKind = 'SPACE' | 'TAG' | 'PIXEL' | 'DOMAIN';

/** Gives the name of a record. */
export type NameOf = (kind: NamedKind, id: string) => string;

/** A part of a value in words, before and after a change; null for none. */
export interface ValueRow {
  readonly key: string;
  readonly name: string;
  readonly was: string | null;
  readonly is: string | null;
  /** True if both are addresses. */
  readonly isAddress: boolean;
}

/** A value without words: of a secret, of a cut text that is no whole JSON, or one that is not kept. */
type Unshown = 'secret' | 'cut' | 'lost';

export interface ShownValue {
  readonly rows: readonly ValueRow[];
  readonly unshown: Unshown | null;
  readonly name: string;
}

/** The records that values of links name. */
const namedKinds: Readonly<Partial<Record<string, NamedKind>>> = {
  space: 'SPACE',
  domain: 'DOMAIN',
  tags: 'TAG',
  pixels: 'PIXEL',
};

/** The names in forms of the fields of links. */
const formNames: Readonly<Partial<Record<string, keyof LinkFields>>> = {
  ...{ url: 'url', title: 'title', alias: 'alias', privacy: 'privacy', forwardsQuery: 'forwardsQuery' },
  ...{ space: 'spaceId', domain: 'domainId', pixels: 'pixelIds', tags: 'tagIds' },
  ...{ startsAt: 'startsAt', notes: 'notes', redirectStatus: 'redirectStatus' },
  ...{ password: 'password', privacyPassword: 'privacyPassword', rules: 'rules', ruleTests: 'ruleTests' },
  preview: 'preview',
};

const capital = (text: string): string => text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);

/** The name of a field as forms show it. */
export function fieldName(kind: RecordKind, name: string): string {
  const inForm = kind === 'LINK' ? formNames[name] : undefined;
  if (inForm !== undefined) return texts.link.names[inForm];
  return capital(texts.history.fieldsOf[kind]?.[name] ?? texts.history.fields[name] ?? name);
}

/** The value of a text in JSON; undefined for one that is not. */
function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text or number as a text; null for all else. */
const plain = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

/** The ids of the records that changes name in their values. */
export function idsIn(values: readonly ChangedValue[]): { readonly kind: NamedKind; readonly id: string }[] {
  return values.flatMap(({ name, before, after }) => {
    const kind = namedKinds[name];
    if (kind === undefined) return [];
    return [before, after].flatMap((text) =>
      [parse(text)].flat().flatMap((id) => (typeof id === 'string' ? [{ kind, id }] : [])),
    );
  });
}

/** The parts of a value: their names and texts, the same for both sides. */
interface Part {
  readonly key: string;
  readonly name: string;
  readonly text: string | null;
  readonly isAddress?: boolean;
}

function expirationParts(value: unknown): Part[] {
  const t = texts.link.names;
  const at = plain(propertyIn(value, 'at'));
  const clicks = plain(propertyIn(value, 'clicks'));
  return [
    { key: 'at', name: t.expiresAt, text: at && atMoment(at) },
    { key: 'clicks', name: t.expiresAfter, text: clicks && inDigits(Number(clicks)) },
    { key: 'url', name: t.expiredUrl, text: plain(propertyIn(value, 'url')), isAddress: true },
  ];
}

const keyedLists: readonly Exclude<TargetList, 'ROTATION'>[] = ['COUNTRY', 'PLATFORM', 'LANGUAGE'];

/** Each target is a part of its own, by the name of its country, system or language. */
function targetingParts(value: unknown): Part[] {
  const type = targetTypes.find((one) => one === propertyIn(value, 'type')) ?? 'NONE';
  const t = texts.form;
  const targets = keyedLists.flatMap((list) => {
    const [listName, keyName] = targetNames[list];
    return listIn(value, listName).flatMap((one): Part[] => {
      const key = plain(propertyIn(one, keyName));
      if (key === null) return [];
      const name = targetChoice(list, key)?.name ?? key;
      return [{ key: `${list} ${key}`, name, text: plain(propertyIn(one, 'url')), isAddress: true }];
    });
  });
  const turns = listIn(value, 'rotation').flatMap((one) => plain(one) ?? []);
  return [
    { key: 'type', name: texts.link.names.targetType, text: t.targetTypes[type] },
    ...targets,
    {
      key: 'rotation',
      name: t.targetTypes.ROTATION,
      text: turns.length === 0 ? null : turns.join('\n'),
      isAddress: turns.length === 1,
    },
  ];
}

/** Their order, and each rule by its name. */
function ruleParts(value: unknown): Part[] {
  const rules = listIn(value, 'rules').map(toRuleField);
  const names = rules.map(({ name }) => name).join(', ');
  const words = ruleWords.get();
  return [
    { key: 'order', name: texts.link.names.rules, text: names === '' ? null : names },
    ...rules.map((rule) => ({
      ...{ key: rule.id, name: rule.name },
      text: words?.describeRule(rule) ?? rule.to.map(({ url }) => url).join(', '),
    })),
  ];
}

function testParts(value: unknown): Part[] {
  const tests = Array.isArray(value) ? value.map(toTestField) : [];
  const words = ruleWords.get();
  const told = tests.map((test) => words?.describeTest(test) ?? test.expect.text);
  return [{ key: 'ruleTests', name: texts.link.names.ruleTests, text: told.join('\n') || null }];
}

/** A value that is one text. */
function wordsOf(name: string, value: unknown, nameOf: NameOf): string | null {
  const kind = namedKinds[name];
  if (kind !== undefined) {
    const ids = [value ?? []].flat().flatMap((id) => plain(id) ?? []);
    return ids.length === 0 ? null : ids.map((id) => nameOf(kind, id)).join(', ');
  }
  if (name === 'disabled') return value === true ? texts.status.DISABLED : texts.status.ACTIVE;
  if (name === 'startsAt') return plain(value) && atMoment(plain(value) ?? '');
  if (name === 'color') return texts.spaces.colors[colors.find((one) => one === value) ?? 1];
  if (name === 'privacy') {
    const privacy = privacies.find((one) => one === value);
    return privacy ? texts.form.privacies[privacy] : plain(value);
  }
  if (name === 'preview')
    return (
      Object.values(value ?? {})
        .flatMap((one) => plain(one) ?? [])
        .join(' · ') || null
    );
  if (typeof value === 'boolean') return value ? texts.form.yes : texts.form.no;
  return value == null ? null : (plain(value) ?? JSON.stringify(value));
}

function partsOf(kind: RecordKind, name: string, value: unknown, nameOf: NameOf): Part[] {
  if (name === 'expiration') return expirationParts(value);
  if (name === 'targeting') return targetingParts(value);
  if (name === 'rules') return ruleParts(value);
  if (name === 'ruleTests') return testParts(value);
  return [
    {
      key: name,
      name: fieldName(kind, name),
      text: wordsOf(name, value, nameOf),
      isAddress: name === 'url',
    },
  ];
}

/** The beginning of a cut text of JSON; null unless it is a plain text. */
const cutText = (text: string | null): string | null =>
  text?.startsWith('"') ? `${text.slice(1).replaceAll(/\\(["\\/])/g, '$1')}…` : null;

/** A value of a change in words. Of a deletion, all that the record had. */
export function showValue(
  { kind, action }: Pick<LoggedChangeFragment, 'kind' | 'action'>,
  { name, before, after, isSecret, isCut, isKept }: ChangedValue,
  nameOf: NameOf,
): ShownValue {
  const told = fieldName(kind, name);
  if (isSecret) return { name: told, unshown: 'secret', rows: [] };
  if (isCut) {
    const [was, is] = [cutText(before), cutText(after)];
    const row = { key: name, name: told, was, is, isAddress: name === 'url' };
    return { name: told, unshown: 'cut', rows: was === null && is === null ? [] : [row] };
  }
  if (!isKept) return { name: told, unshown: 'lost', rows: [] };
  const isGone = action === 'DELETED';
  const was = partsOf(kind, name, parse(before), nameOf);
  const is = isGone ? [] : partsOf(kind, name, parse(after), nameOf);
  const keys = [...new Set([...was, ...is].map(({ key }) => key))];
  const rows = keys.flatMap((key): ValueRow[] => {
    const [one, other] = [was.find((part) => part.key === key), is.find((part) => part.key === key)];
    const [textBefore, textAfter] = [one?.text ?? null, other?.text ?? null];
    const part = one ?? other;
    if (!part || textBefore === textAfter) return [];
    return [{ key, name: part.name, was: textBefore, is: textAfter, isAddress: part.isAddress === true }];
  });
  return { name: told, unshown: null, rows };
}

/** The name that a deleted record had; null if the log has none. */
export function nameIn(
  { kind, action, values }: Pick<LoggedChangeFragment, 'kind' | 'action' | 'values'>,
  nameOf: NameOf,
): string | null {
  if (action !== 'DELETED') return null;
  const textOf = (field: string) => plain(parse(values.find(({ name }) => name === field)?.before ?? null));
  if (kind !== 'LINK') return textOf('name');
  const [title, alias, domain] = [textOf('title'), textOf('alias'), textOf('domain')];
  if (title !== null || alias === null) return title;
  return domain === null ? `/${alias}` : `${nameOf('DOMAIN', domain)}/${alias}`;
}
