import type { LinkRuleInput, RuleTestInput } from '@linkspace/client';
import { isMap, isScalar, isSeq, type Node as YamlNode } from 'yaml';

/** The fields of a link in a file. A field that is absent is not managed by the file; null clears it. */
export interface FileLink {
  readonly url: string;
  readonly alias?: string;
  readonly title?: string | null;
  readonly notes?: string | null;
  readonly domain?: string;
  readonly disabled?: boolean;
  readonly archived?: boolean;
  readonly startsAt?: string | null;
  readonly redirectStatus?: number;
  readonly forwardsQuery?: boolean;
  readonly privacy?: 'PUBLIC' | 'PRIVATE';
  readonly space?: string | null;
  readonly tags?: readonly string[];
  readonly pixelIds?: readonly string[];
  readonly expiration?: FileExpiration | null;
  readonly targeting?: FileTargeting | null;
  readonly rules?: LinkRuleInput[] | null;
  readonly ruleTests?: RuleTestInput[] | null;
}

export interface FileExpiration {
  readonly at?: string | null;
  readonly clicks?: number | null;
  readonly url?: string | null;
}

const PLATFORMS = ['ANDROID', 'CHROME_OS', 'IOS', 'LINUX', 'OS_X', 'UBUNTU', 'WINDOWS'] as const;
const TARGET_TYPES = ['COUNTRY', 'LANGUAGE', 'NONE', 'PLATFORM', 'ROTATION'] as const;

export interface FileTargeting {
  readonly type: (typeof TARGET_TYPES)[number];
  readonly countries?: readonly { readonly country: string; readonly url: string }[];
  readonly platforms?: readonly { readonly platform: (typeof PLATFORMS)[number]; readonly url: string }[];
  readonly languages?: readonly { readonly language: string; readonly url: string }[];
  readonly rotation?: readonly string[];
}

/** Nodes of a file: aliases are followed, and errors are collected with their places. */
export interface Reader {
  resolve(node: unknown): YamlNode | null;
  /** Collects an error; returns undefined for the value. */
  refuse(node: unknown, message: string): undefined;
}

/** Reads a value of a file. Returns undefined after an error that the reader has collected. */
type Read<Value> = (reader: Reader, node: unknown, path: string) => Value | undefined;

const isNull = (node: YamlNode | null): boolean => node === null || (isScalar(node) && node.value === null);

/** Returns a function that reads a scalar of one type. */
function scalar<Value>(isRight: (value: unknown) => value is Value, wanted: string): Read<Value> {
  return (reader, given, path) => {
    const node = reader.resolve(given);
    const value = isScalar(node) ? node.value : undefined;
    if (isRight(value)) return value;
    const isWord = isScalar(node) && ['number', 'boolean'].includes(typeof value) && wanted === 'text';
    return reader.refuse(given, `${path} must be ${wanted}${isWord ? ': put it in quotes' : ''}`);
  };
}

const text = scalar((value): value is string => typeof value === 'string', 'text');
const flag = scalar((value): value is boolean => typeof value === 'boolean', 'true or false');
const number = scalar((value): value is number => Number.isInteger(value), 'a whole number');

const oneOf = <const Value extends string>(values: readonly Value[]): Read<Value> =>
  scalar((value): value is Value => values.some((one) => one === value), `one of ${values.join(', ')}`);

/** An offset from UTC that the service takes, and JavaScript does not: `+0530`, `+05`. */
const SHORT_OFFSET = /(?<=T[\d:.]+[+-]\d\d)(\d\d)?$/;

/** Reads a time, and returns it in the form in which it is compared with a stored one. */
const time: Read<string> = (reader, given, path) => {
  const value = text(reader, given, path);
  if (value === undefined) return undefined;
  const written = value.trim().replace(SHORT_OFFSET, (minutes) => `:${minutes || '00'}`);
  if (!Number.isNaN(Date.parse(written))) return written;
  return reader.refuse(given, `${path} must be a time, such as "2027-01-01T00:00:00Z"`);
};

/** Returns a function that also takes null, which clears the field. It must be written: a value may have been forgotten. */
const nullable =
  <Value>(read: Read<Value>): Read<Value | null> =>
  (reader, given, path) => {
    const node = reader.resolve(given);
    if (!isNull(node)) return read(reader, given, path);
    if (isScalar(node) && node.source) return null;
    return reader.refuse(given, `${path} has no value; write null to clear it`);
  };

const listOf =
  <Value>(read: Read<Value>): Read<Value[]> =>
  (reader, given, path) => {
    const node = reader.resolve(given);
    if (!isSeq(node)) return reader.refuse(given, `${path} must be a list`);
    const values = node.items.map((item, at) => read(reader, item, `${path}[${at}]`));
    return values.filter((value) => value !== undefined);
  };

/** Fields whose values nobody can read back, so that no difference could be told either. */
const SECRETS = ['password', 'privacyPassword'];

type Fields<Value> = { readonly [Name in keyof Value]-?: Read<Exclude<Value[Name], undefined>> };

/** Returns a function that reads an object of these fields, and refuses others. */
const object =
  <Value extends object>(fields: Fields<Value>, required: readonly (keyof Value & string)[]): Read<Value> =>
  (reader, given, path) => {
    const node = reader.resolve(given);
    const names = Object.keys(fields);
    if (!isMap(node)) {
      const wanted = required.join(' and ') || names.join(', ');
      return reader.refuse(given, `${path} must be an object with ${wanted}`);
    }
    const found: Record<string, unknown> = {};
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      const inner = `${path}.${name}`;
      const read: Read<unknown> | undefined = Object.hasOwn(fields, name)
        ? Reflect.get(fields, name)
        : undefined;
      if (SECRETS.includes(name)) reader.refuse(key, `${inner} is a secret, which does not belong in a file`);
      else if (!read) reader.refuse(key, `${inner} is no field; these are: ${names.join(', ')}`);
      else if (value === null) reader.refuse(key, `${inner} has no value`);
      else found[name] = read(reader, value, inner);
    }
    for (const name of required) if (!node.has(name)) reader.refuse(given, `${path}.${name} is missing`);
    return found as Value; // Each value was read by the function of its field; errors end the run.
  };

const target = <Name extends string, Value>(name: Name, read: Read<Value>) =>
  listOf(
    object<Record<Name, Value> & { url: string }>(
      { [name]: read, url: text } as Fields<Record<Name, Value> & { url: string }>,
      [name, 'url'],
    ),
  );

const lists = {
  countries: 'COUNTRY',
  platforms: 'PLATFORM',
  languages: 'LANGUAGE',
  rotation: 'ROTATION',
} as const;

const targetFields = object<FileTargeting>(
  {
    type: oneOf(TARGET_TYPES),
    countries: target('country', text),
    platforms: target('platform', oneOf(PLATFORMS)),
    languages: target('language', text),
    rotation: listOf(text),
  },
  [],
);

/** Reads targets. With one list, the type follows from it. */
const targeting: Read<FileTargeting> = (reader, node, path) => {
  const value = targetFields(reader, node, path);
  if (value === undefined || value.type !== undefined) return value;
  const types = Object.entries(lists).flatMap(([name, type]) => (name in value ? [type] : []));
  const [type] = types;
  if (type !== undefined && types.length === 1) return { ...value, type };
  return reader.refuse(node, `${path}.type is missing: it says by which list visitors are told apart`);
};

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
const DEVICES = ['DESKTOP', 'MOBILE', 'TABLET', 'OTHER'] as const;

/** Reads an object whose fields the service checks further. */
const loose = (fields: Record<string, Read<unknown>>, required: readonly string[] = []) =>
  object<Record<string, unknown>>(fields, required);
const choiceOf = (read: Read<unknown>) => loose({ in: listOf(read), notIn: listOf(read) });
const texts = choiceOf(text);

const conditions = {
  ...{ country: texts, language: texts, browser: texts, referrer: texts },
  platform: choiceOf(oneOf(PLATFORMS)),
  device: choiceOf(oneOf(DEVICES)),
  query: loose({ name: text, in: listOf(text), notIn: listOf(text), exists: flag }, ['name']),
  time: loose({ from: time, until: time }),
  hours: loose({ days: listOf(oneOf(DAYS)), from: text, to: text, timeZone: text }, ['timeZone']),
};

/** Reads an object with exactly one of these fields. */
const single =
  (fields: Record<string, Read<unknown>>): Read<Record<string, unknown>> =>
  (reader, node, path) => {
    const value = loose(fields)(reader, node, path);
    if (value === undefined || Object.keys(value).length === 1) return value;
    return reader.refuse(node, `${path} must have exactly one of ${Object.keys(fields).join(', ')}`);
  };

const rule = loose(
  {
    name: text,
    when: listOf(single(conditions)),
    to: listOf(loose({ name: text, url: text, weight: number }, ['url'])),
  },
  ['when', 'to'],
) as Read<LinkRuleInput>; // Its fields were read as the schema has them, but for their values.

const ruleTest = loose(
  {
    visitor: loose({
      ...{ country: text, language: text, browser: text, query: text, referrer: text, at: time },
      ...{ userAgent: text, platform: oneOf(PLATFORMS), device: oneOf(DEVICES) },
    }),
    expect: single({ url: text, rule: text, noRule: flag }),
  },
  ['visitor', 'expect'],
) as Read<RuleTestInput>; // As above.

/** Reads the fields of a link. */
export const linkFields = object<FileLink>(
  {
    url: text,
    alias: text,
    title: nullable(text),
    notes: nullable(text),
    domain: text,
    disabled: flag,
    archived: flag,
    startsAt: nullable(time),
    redirectStatus: number,
    forwardsQuery: flag,
    privacy: oneOf(['PUBLIC', 'PRIVATE']),
    space: nullable(text),
    tags: listOf(text),
    pixelIds: listOf(text),
    expiration: nullable(
      object<FileExpiration>({ at: nullable(time), clicks: nullable(number), url: nullable(text) }, []),
    ),
    targeting: nullable(targeting),
    rules: nullable(listOf(rule)),
    ruleTests: nullable(listOf(ruleTest)),
  },
  ['url'],
);
