import { plain } from '../io.ts';

/** Returns true for what a value has nothing to say by. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** The entries of an object that say something, but for the names of types. */
const entriesOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([name, one]) => name !== '__typename' && !isEmpty(one));

/** Returns the value without what is empty, for people. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(entriesOf(value).map(([name, one]) => [name, withoutEmpty(one)]));
}

/** Returns a target as its visitors and its address. */
const asTarget = (target: unknown): string =>
  typeof target === 'object' && target !== null
    ? entriesOf(target)
        .map(([, value]) => String(value))
        .join(' ')
    : String(target);

/** Returns targets as their type and one after another; lists of other types have their names. */
function asTargeting(value: object): string {
  const lists = entriesOf(value).filter(([name]) => name !== 'type');
  const type = 'type' in value ? String(value.type) : '';
  const texts = lists.map(([name, list]) => {
    const text = Array.isArray(list) ? list.map(asTarget).join(', ') : String(list);
    return lists.length === 1 && type !== 'NONE' ? text : `${name} ${text}`;
  });
  return [type, texts.join('; ')].filter((text) => text !== '').join(' ');
}

/** Returns fields and values, one after another. */
const asFields = (value: object): string =>
  entriesOf(value)
    .map(([name, one]) => `${name} ${String(one)}`)
    .join(', ') || 'null';

/** Returns the value of a link's field in one line, for people. */
export function asText(field: string, value: unknown): string {
  if (typeof value === 'string') return plain(value);
  const isObject = typeof value === 'object' && value !== null;
  if (isObject && field === 'targeting') return plain(asTargeting(value));
  if (isObject && field === 'expiration') return plain(asFields(value));
  return plain(JSON.stringify(withoutEmpty(value)) || 'null');
}
