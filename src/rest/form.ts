/** What was sent under one name: text, or (by brackets or nested JSON) names with what was sent under each. */
export type FormValue = string | FormFields;
export type FormFields = Map<string, FormValue>;

/** The body cannot be read as what its content type says. */
export class UnreadableBody extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Percent signs that escape nothing stand for themselves, as in PHP; bytes that are no UTF-8 cannot be kept. */
function decodeText(bytes: string): string {
  const raw = bytes
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number(`0x${hex}`)));
  try {
    return utf8.decode(Buffer.from(raw, 'latin1'));
  } catch {
    throw new UnreadableBody('The form is not in UTF-8.');
  }
}

/** `country[0][key]` is the path country, 0, key; a name without well-formed brackets is a path of its own. */
function pathOf(name: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!match) return [name];
  const [, head = '', brackets = ''] = match;
  return [head, ...Array.from(brackets.matchAll(/\[([^[\]]*)\]/g), ([, inner = '']) => inner)];
}

/** A position that a client may choose: a whole number of at most nine digits. Longer ones are names like any other. */
export const POSITION = /^\d{1,9}$/;

/** For each list of a form, one more than its largest number so far: what the next empty bracket takes, as in PHP. */
type NextNumbers = WeakMap<FormFields, number>;

function keyOf(segment: string, target: FormFields, next: NextNumbers): string {
  const free = next.get(target) ?? 0;
  const key = segment === '' ? String(free) : segment;
  if (POSITION.test(key) && Number(key) >= free) next.set(target, Number(key) + 1);
  return key;
}

/** Far deeper than any field of v1; a hostile body could nest until the stack ends. */
const MAX_DEPTH = 20;
/** Far more than all fields of v1 together have, each of their lists full; each costs some microseconds. */
const MAX_VALUES = 20_000;

/** Collects what is sent under names with brackets. */
export class FieldCollector {
  readonly fields: FormFields = new Map();
  readonly #next: NextNumbers = new WeakMap();
  #values = 0;

  /**
   * Where a name is sent twice, the last one counts.
   * @throws UnreadableBody where there are too many values, or they are nested too deeply
   */
  put(name: string, value: FormValue): void {
    this.putAt(pathOf(name), value);
  }

  /** The same, of a name that is taken apart already. */
  putAt(path: readonly string[], value: FormValue): void {
    this.count(1);
    if (path.length > MAX_DEPTH) throw new UnreadableBody('The body is nested too deeply.');
    let target = this.fields;
    path.forEach((segment, depth) => {
      const key = depth === 0 ? segment : keyOf(segment, target, this.#next);
      if (depth === path.length - 1) {
        target.set(key, value);
        return;
      }
      const below = target.get(key);
      const nested: FormFields = below instanceof Map ? below : new Map();
      target.set(key, nested);
      target = nested;
    });
  }

  /** @throws UnreadableBody */
  count(values: number): void {
    this.#values += values;
    if (this.#values > MAX_VALUES) throw new UnreadableBody(`The body has more than ${MAX_VALUES} values.`);
  }
}

/**
 * The fields of an urlencoded form or a query string, each text trimmed. `bytes` has one character for each byte.
 * @throws UnreadableBody
 */
export function parseForm(bytes: string): FormFields {
  const collector = new FieldCollector();
  for (const pair of bytes.split('&', MAX_VALUES + 2)) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    const value = equals < 0 ? '' : pair.slice(equals + 1);
    collector.put(decodeText(name), decodeText(value).trim());
  }
  return collector.fields;
}

function fromJson(value: unknown, collector: FieldCollector, depth = 1): FormValue {
  if (depth > MAX_DEPTH) throw new UnreadableBody('The body is nested too deeply.');
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value !== 'object') return String(value).trim();
  const entries = Object.entries(value);
  collector.count(entries.length);
  return new Map(entries.map(([key, inner]) => [key, fromJson(inner, collector, depth + 1)]));
}

/**
 * The fields of a JSON object, as a form with the same names would have them, those with brackets too; null is an empty value.
 * @throws UnreadableBody
 */
export function parseJson(body: Buffer): FormFields {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(body));
  } catch {
    throw new UnreadableBody('The body is not valid JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableBody('The body must be a JSON object.');
  const collector = new FieldCollector();
  for (const [name, inner] of Object.entries(value)) {
    const path = pathOf(name);
    // A list under `name[]` is the list of that name, and not a list in one.
    const items = path.length > 1 && path.at(-1) === '' && Array.isArray(inner) ? inner : [inner];
    for (const item of items) collector.putAt(path, fromJson(item, collector));
  }
  return collector.fields;
}
